/**
 * A value that is registered once, after the module that uses it was created. A lower module has a binding for each
 * value that an upper module provides: the upper module depends on the lower one, so it is created later.
 */
export type LateBinding<T> = {
  /** Registers the value. @throws Error if one is registered already */
  register(value: T): void;
  /** Returns the value. @throws Error if none is registered yet */
  get(): T;
  /** Returns the value; undefined until one is registered. */
  find(): T | undefined;
};

/** Creates an empty binding. @param subject names the value in error messages */
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
