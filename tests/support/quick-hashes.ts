import { createRequire } from 'node:module';

/**
 * Passwords are hashed with as little work as there can be, which is written in each hash and holds for its checks: what tests ask is who is let
 * in. Those that ask what a hash costs say so. Processes of their own hash as they do anywhere.
 */
type Argon2 = { hash: (password: string, options?: object) => Promise<string> };

const INSTEAD = Symbol.for('quick hashes of tests');
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as Argon2 & { [INSTEAD]?: { isQuick: boolean } };

/** Files share a process: the function is replaced once, before anything has loaded it. */
const make = (): { isQuick: boolean } => {
  const state = { isQuick: true };
  const inEarnest = argon2.hash;
  argon2.hash = (password, options) =>
    inEarnest(password, state.isQuick ? { ...options, memoryCost: 8, timeCost: 1 } : options);
  return state;
};
const state = (argon2[INSTEAD] ??= make());

/** What is hashed meanwhile takes the work that it takes anywhere. */
export const hashInEarnest = async <T>(act: () => Promise<T>): Promise<T> => {
  state.isQuick = false;
  try {
    return await act();
  } finally {
    state.isQuick = true;
  }
};
