import { createRequire } from 'node:module';

// Makes password hashing cheap in this process. Each hash states its parameters, so it can still be verified. Tests of
// the hashing cost opt out. Separate processes hash at full cost.

type Argon2 = {
  hash: (password: string, options?: object) => Promise<string>;
  verify: (hash: string, password: string) => Promise<boolean>;
  /**
   * Derives backup keys. The key file states the intended cost, so a separate process would derive a different key from
   * the same passphrase.
   */
  hashRaw: (password: string, options?: object) => Promise<Buffer>;
};
type State = { isQuick: boolean; onCheck: ((cost: string) => void) | undefined };
const CHEAPEST_COST = { memoryCost: 8, timeCost: 1 };

const PATCH_STATE = Symbol.for('quick hashes of tests');
const argon2 = createRequire(import.meta.url)('@node-rs/argon2') as Argon2 & { [PATCH_STATE]?: State };

/** Test files share a process, so the functions are replaced only once, before other code loads them. */
const patchArgon2 = (): State => {
  const newState: State = { isQuick: true, onCheck: undefined };
  const { hash, hashRaw, verify } = argon2;
  const toEffectiveOptions = (options?: object) => (newState.isQuick ? { ...options, ...CHEAPEST_COST } : options);
  argon2.hash = (password, options) => hash(password, toEffectiveOptions(options));
  argon2.hashRaw = (password, options) => hashRaw(password, toEffectiveOptions(options));
  argon2.verify = (storedHash, password) => {
    newState.onCheck?.(storedHash.split('$', 4).join('$'));
    return verify(storedHash, password);
  };
  return newState;
};
const state = (argon2[PATCH_STATE] ??= patchArgon2());

/** Runs `work` with hashing at full cost. */
export const hashAtFullCost = async <T>(work: () => Promise<T>): Promise<T> => {
  state.isQuick = false;
  try {
    return await work();
  } finally {
    state.isQuick = true;
  }
};

/** Runs `work` and returns algorithm, version and cost of each password check during it. */
export const recordPasswordChecks = async (work: () => Promise<unknown>): Promise<string[]> => {
  const costs: string[] = [];
  state.onCheck = (cost) => costs.push(cost);
  try {
    await work();
    return costs;
  } finally {
    state.onCheck = undefined;
  }
};
