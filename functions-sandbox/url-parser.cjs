// @ts-check
'use strict';

const MAX_URL_CHARS = 100_000;
const PARTS = /** @type {const} */ ([
  'href',
  'origin',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
]);
const SETTABLE_PARTS = new Set(PARTS.filter((part) => part !== 'origin'));

/** @param {string} part @returns {part is Exclude<typeof PARTS[number], 'origin'>} */
const isSettable = (part) => /** @type {Set<string>} */ (SETTABLE_PARTS).has(part);

/**
 * Parses a URL for the `URL` class in the isolate, or changes one part of it. Returns its parts as JSON, or undefined
 * if an argument or the URL is invalid. Never throws.
 * @param {unknown[]} args @returns {string | undefined}
 */
const parseUrl = (...args) => {
  const [operation, first, second, third] = args;
  try {
    if (typeof first !== 'string' || typeof second !== 'string' || typeof third !== 'string') return undefined;
    if (first.length + second.length + third.length > MAX_URL_CHARS) return undefined;
    const url = new URL(first, operation === 'parse' && third === 'base' ? second : undefined);
    if (operation === 'set') {
      if (!isSettable(second)) return undefined;
      url[second] = third;
    }
    return JSON.stringify(PARTS.map((part) => url[part]));
  } catch {
    return undefined;
  }
};

module.exports = { parseUrl };
