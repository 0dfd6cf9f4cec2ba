import { createIdleThread } from '../../../../platform/workers/idle-thread.ts';
import type { Strength } from '../../../../platform/auth/password-strength.ts';

/** `userInputs`: words that an attacker would try first. */
export type StrengthRequest = { password: string; userInputs: readonly string[] };

/** Worker thread that rates passwords. Loading the word lists (30 MB, half a second) would block the event loop. */
const thread = createIdleThread<StrengthRequest, Strength>({
  file: new URL('./strength-worker.ts', import.meta.url),
  // Password forms request ratings while the owner types.
  idleMs: 10_000,
  exitMessage: 'the password strength thread has ended',
});

export const strengthOf = (password: string, userInputs: readonly string[]): Promise<Strength> =>
  thread.send({ password, userInputs });
