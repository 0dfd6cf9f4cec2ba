// @ts-check
'use strict';

/** Characters of an address that is taken apart for the guest. */
const MAX_ADDRESS_CHARS = 100_000;
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
const CAN_BE_SET = new Set(PARTS.filter((part) => part !== 'origin'));

/** @param {string} part @returns {part is Exclude<typeof PARTS[number], 'origin'>} */
const canBeSet = (part) => /** @type {Set<string>} */ (CAN_BE_SET).has(part);

/**
 * Takes an address apart for the guest's `URL`. Text in, JSON text or nothing out; never throws.
 *
 * @param {unknown[]} given
 * @returns {string | undefined}
 */
const takeApart = (...given) => {
  const [operation, first, second, third] = given;
  try {
    if (typeof first !== 'string' || typeof second !== 'string' || typeof third !== 'string') return undefined;
    if (first.length + second.length + third.length > MAX_ADDRESS_CHARS) return undefined;
    const url = new URL(first, operation === 'parse' && third === 'base' ? second : undefined);
    if (operation === 'set') {
      if (!canBeSet(second)) return undefined;
      url[second] = third;
    }
    return JSON.stringify(PARTS.map((part) => url[part]));
  } catch {
    // What is no address answers nothing; the guest's side throws its own error.
    return undefined;
  }
};

module.exports = { takeApart };
