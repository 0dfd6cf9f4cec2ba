/**
 * A catalogue with its words left open, which another language has to fill: every text a text, every function one with the same
 * parameters, nothing missing and nothing more.
 */
export type Localised<T> = T extends string
  ? string
  : T extends (...parameters: infer P) => infer R
    ? (...parameters: P) => Localised<R>
    : T extends object
      ? { readonly [K in keyof T]: Localised<T[K]> }
      : T;
