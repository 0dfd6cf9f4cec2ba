import { Worker } from 'node:worker_threads';
import type { Strength } from '../../platform/password-strength.ts';
import { threadEnvironment } from '../../platform/thread-environment.ts';

/**
 * How hard passwords are to guess, worked out in a thread. Its word lists take half a second to load, in which nobody would be answered, and thirty megabytes,
 * which go again when nobody has asked for a while.
 */
export type StrengthOf = (password: string, inputs: readonly string[]) => Promise<Strength>;

/** Milliseconds: somebody who chooses a password asks with each letter. */
const IDLE_MS = 60_000;

type Answer = { id: number; strength?: Strength; problem?: string };
type Waiting = { resolve: (strength: Strength) => void; reject: (error: Error) => void };

const createStrength = (): StrengthOf => {
  let live: { thread: Worker; waiting: Map<number, Waiting>; idle: NodeJS.Timeout | undefined } | undefined;
  let lastId = 0;

  const start = (): NonNullable<typeof live> => {
    const thread = new Worker(new URL('./strength-thread.ts', import.meta.url), { env: threadEnvironment() });
    const waiting = new Map<number, Waiting>();
    const made = { thread, waiting, idle: undefined };
    const giveUp = (error: Error): void => {
      if (live === made) live = undefined;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    thread.on('message', ({ id, strength, problem }: Answer) => {
      const asker = waiting.get(id);
      waiting.delete(id);
      if (strength === undefined) asker?.reject(new Error(problem ?? 'no answer'));
      else asker?.resolve(strength);
    });
    thread.on('error', (error: unknown) => giveUp(error instanceof Error ? error : new Error(String(error))));
    thread.on('exit', () => giveUp(new Error('the thread that looks at passwords ended')));
    return made;
  };

  return async (password, inputs) => {
    const used = (live ??= start());
    clearTimeout(used.idle);
    // While somebody waits the program must not end; afterwards it may.
    used.thread.ref();
    const id = (lastId += 1);
    try {
      return await new Promise<Strength>((resolve, reject) => {
        used.waiting.set(id, { resolve, reject });
        used.thread.postMessage({ id, password, inputs });
      });
    } finally {
      if (used.waiting.size === 0) {
        used.thread.unref();
        clearTimeout(used.idle);
        used.idle = setTimeout(() => {
          if (live === used) live = undefined;
          void used.thread.terminate();
        }, IDLE_MS).unref();
      }
    }
  };
};

/** One thread for all who ask in this process. */
export const strengthOf: StrengthOf = createStrength();
