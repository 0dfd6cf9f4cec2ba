// @ts-check
'use strict';

/** `structuredClone` for what JSON-like data is made of, and what the language itself gives. */
function makeClone() {
  const { isArray } = Array;
  const { prototype: plain, freeze } = Object;
  const { isView } = ArrayBuffer;
  const { apply, getPrototypeOf, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
  const toText = Object.prototype.toString;
  const BOXED = new Set(['[object Boolean]', '[object Number]', '[object String]', '[object BigInt]']);
  const ERRORS = new Map(
    [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((made) => [made.name, made]),
  );

  /** @param {string} what */
  const refuse = (what) => {
    const error = new Error(`${what} could not be cloned.`);
    error.name = 'DataCloneError';
    throw error;
  };

  /** @param {object} value @param {Map<object, object>} seen @returns {object} */
  const copyObject = (value, seen) => {
    const known = seen.get(value);
    if (known !== undefined) return known;
    /** @template {object} T @param {T} copy */
    const keep = (copy) => {
      seen.set(value, copy);
      return copy;
    };
    if (isArray(value)) {
      /** @type {unknown[]} */
      const copy = keep([]);
      copy.length = value.length;
      return fill(value, copy, seen);
    }
    if (value instanceof ArrayBuffer) return keep(value.slice(0));
    if (isView(value)) {
      const buffer = copyObject(value.buffer, seen);
      const made = /** @type {new (...values: unknown[]) => object} */ (value.constructor);
      const length = value instanceof DataView ? value.byteLength : /** @type {Uint8Array} */ (value).length;
      return keep(new made(buffer, value.byteOffset, length));
    }
    if (value instanceof Map) {
      const copy = keep(new Map());
      for (const [key, held] of Array.from(value)) copy.set(clone(key, seen), clone(held, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = keep(new Set());
      for (const held of Array.from(value)) copy.add(clone(held, seen));
      return copy;
    }
    if (value instanceof Date) return keep(new Date(value.getTime()));
    if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags));
    if (value instanceof Error) {
      const made = ERRORS.get(value.name) ?? Error;
      const copy = keep(new made(value.message));
      defineProperty(copy, 'stack', { value: `${value.stack}`, writable: true, configurable: true });
      if ('cause' in value)
        defineProperty(copy, 'cause', { value: clone(value.cause, seen), writable: true, configurable: true });
      return copy;
    }
    const kind = apply(toText, value, []);
    if (BOXED.has(kind)) return keep(Object(value.valueOf()));
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) return refuse(kind);
    const from = getPrototypeOf(value);
    const copy = keep({});
    if (kind !== '[object Object]' && from !== plain && from !== null) return refuse(kind);
    return fill(value, copy, seen);
  };

  /** @param {object} from @param {object} to @param {Map<object, object>} seen @returns {object} */
  const fill = (from, to, seen) => {
    for (const key of ownKeys(from)) {
      if (typeof key !== 'string' || getOwnPropertyDescriptor(from, key)?.enumerable !== true) continue;
      const value = clone(/** @type {Record<string, unknown>} */ (from)[key], seen);
      // Not an assignment: a key `__proto__` is data here.
      defineProperty(to, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return to;
  };

  /** @param {unknown} value @param {Map<object, object>} seen @returns {unknown} */
  const clone = (value, seen) => {
    if (typeof value === 'function' || typeof value === 'symbol') return refuse(String(value));
    return typeof value === 'object' && value !== null ? copyObject(value, seen) : value;
  };

  /** @param {unknown} value */
  const structuredClone = (value) => clone(value, new Map());
  return freeze(structuredClone);
}

exports.makeClone = makeClone;
