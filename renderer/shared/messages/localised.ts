/**
 * Type of a catalogue in another language: the same keys, strings for strings, and functions with the same parameters
 * for functions.
 */
export type Localised<T> = T extends string
  ? string
  : T extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Localised<R>
    : T extends object
      ? { readonly [K in keyof T]: Localised<T[K]> }
      : T;
