// @ts-check
'use strict';

/** Provides `structuredClone` for JSON-like data and built-in types of the language. */
function makeClone() {
  const { isArray } = Array;
  const { prototype: objectPrototype, freeze } = Object;
  const { isView } = ArrayBuffer;
  const { apply, getPrototypeOf, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
  const { toString: objectToString } = Object.prototype;
  const BOXED_KINDS = new Set(['[object Boolean]', '[object Number]', '[object String]', '[object BigInt]']);
  const ERROR_TYPES = new Map(
    [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError].map((type) => [type.name, type]),
  );

  /** @param {string} label */
  const refuse = (label) => {
    const error = new Error(`${label} could not be cloned.`);
    error.name = 'DataCloneError';
    throw error;
  };

  /** @param {object} value @param {Map<object, object>} copies @returns {object} */
  const copyObject = (value, copies) => {
    const existing = copies.get(value);
    if (existing !== undefined) return existing;
    /** @template {object} T @param {T} copy */
    const remember = (copy) => {
      copies.set(value, copy);
      return copy;
    };
    if (isArray(value)) {
      /** @type {unknown[]} */
      const copy = remember([]);
      copy.length = value.length;
      return fill(value, copy, copies);
    }
    if (value instanceof ArrayBuffer) return remember(value.slice(0));
    if (isView(value)) {
      const buffer = copyObject(value.buffer, copies);
      const viewType = /** @type {new (...values: unknown[]) => object} */ (value.constructor);
      const length = value instanceof DataView ? value.byteLength : /** @type {Uint8Array} */ (value).length;
      return remember(new viewType(buffer, value.byteOffset, length));
    }
    if (value instanceof Map) {
      const copy = remember(new Map());
      for (const [key, item] of Array.from(value)) copy.set(clone(key, copies), clone(item, copies));
      return copy;
    }
    if (value instanceof Set) {
      const copy = remember(new Set());
      for (const item of Array.from(value)) copy.add(clone(item, copies));
      return copy;
    }
    if (value instanceof Date) return remember(new Date(value.getTime()));
    if (value instanceof RegExp) return remember(new RegExp(value.source, value.flags));
    if (value instanceof Error) {
      const errorType = ERROR_TYPES.get(value.name) ?? Error;
      const copy = remember(new errorType(value.message));
      defineProperty(copy, 'stack', { value: `${value.stack}`, writable: true, configurable: true });
      if ('cause' in value)
        defineProperty(copy, 'cause', { value: clone(value.cause, copies), writable: true, configurable: true });
      return copy;
    }
    const kind = apply(objectToString, value, []);
    if (BOXED_KINDS.has(kind)) return remember(Object(value.valueOf()));
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet) return refuse(kind);
    const prototype = getPrototypeOf(value);
    const copy = remember({});
    if (kind !== '[object Object]' && prototype !== objectPrototype && prototype !== null) return refuse(kind);
    return fill(value, copy, copies);
  };

  /** @param {object} source @param {object} target @param {Map<object, object>} copies @returns {object} */
  const fill = (source, target, copies) => {
    for (const key of ownKeys(source)) {
      if (typeof key !== 'string' || getOwnPropertyDescriptor(source, key)?.enumerable !== true) continue;
      const value = clone(/** @type {Record<string, unknown>} */ (source)[key], copies);
      // Not an assignment, because the key `__proto__` is plain data here.
      defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
    }
    return target;
  };

  /** @param {unknown} value @param {Map<object, object>} copies @returns {unknown} */
  const clone = (value, copies) => {
    if (typeof value === 'function' || typeof value === 'symbol') return refuse(String(value));
    return typeof value === 'object' && value !== null ? copyObject(value, copies) : value;
  };

  /** @param {unknown} value */
  const structuredClone = (value) => clone(value, new Map());
  return freeze(structuredClone);
}

exports.makeClone = makeClone;
