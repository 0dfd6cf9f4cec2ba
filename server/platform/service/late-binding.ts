/** A value that is registered once, by an upper module that is created after the lower module that uses the value. */
export type LateBinding<T> = {
  /** @throws Error if a value is registered already */
  register(value: T): void;
  /** @throws Error if no value is registered yet */
  get(): T;
  find(): T | undefined;
};

export const createLateBinding = <T extends object>(subject: string): LateBinding<T> => {
  let registeredValue: T | undefined;
  return {
    register(value) {
      if (registeredValue !== undefined) throw new Error(`${subject}: already registered`);
      registeredValue = value;
    },
    get() {
      if (registeredValue === undefined) throw new Error(`${subject}: not registered yet`);
      return registeredValue;
    },
    find: () => registeredValue,
  };
};
