/**
 * A value that is registered once, after its holder was created. A lower room holds one for each thing that an upper room provides: the upper
 * room needs the lower one, so it is created later.
 */
export type LateBinding<T> = {
  /** @throws Error when a value is registered already */
  register(value: T): void;
  /** @throws Error when no value is registered yet */
  get(): T;
  /** Undefined until a value is registered. */
  find(): T | undefined;
};

/** @param subject names the value in error messages */
export const createLateBinding = <T extends object>(subject: string): LateBinding<T> => {
  let bound: T | undefined;
  return {
    register(value) {
      if (bound !== undefined) throw new Error(`${subject}: already registered`);
      bound = value;
    },
    get() {
      if (bound === undefined) throw new Error(`${subject}: not registered yet`);
      return bound;
    },
    find: () => bound,
  };
};
