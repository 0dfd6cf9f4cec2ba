import { createIdleThread } from '../../../../platform/workers/idle-thread.ts';
import type { Strength } from '../../../../platform/auth/password-strength.ts';

export type StrengthRequest = { password: string; inputs: readonly string[] };

/** One thread for all who ask in this process. Its word lists take half a second to load, in which nobody would be answered, and thirty megabytes. */
const thread = createIdleThread<StrengthRequest, Strength>({
  file: new URL('./strength-worker.ts', import.meta.url),
  // Somebody who chooses a password asks with each letter.
  idleMs: 10_000,
  ended: 'the thread that rates passwords has ended',
});

/** How hard a password is to guess. `inputs`: words an attacker would try first. */
export const strengthOf = (password: string, inputs: readonly string[]): Promise<Strength> =>
  thread.ask({ password, inputs });
