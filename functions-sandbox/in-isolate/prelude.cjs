// @ts-check
'use strict';

const { makeClone } = require('./clone.cjs');
const { makeConsole } = require('./console.cjs');
const { makeEncoding } = require('./encoding.cjs');
const { removeGlobals } = require('./removed-globals.cjs');
const { makeRunner } = require('./runner.cjs');
const { makeScratch } = require('./scratch.cjs');
const { makeUrlClasses } = require('./url.cjs');

/**
 * Limits of the data that crosses the isolate boundary, where it is copied.
 *
 * @typedef {{
 *   messageChars: number, lineChars: number, lines: number, outputChars: number, chunkBytes: number,
 * }} PreludeLimits
 */

/** @param {{ toString(): string }} factory a function that uses only its arguments and built-ins */
const sourceOf = (factory) => factory.toString();

/**
 * Returns the source of the code that runs first in the isolate: the body of a function with the callbacks `log`, `url`
 * and `scratch`.
 * @param {PreludeLimits} limits
 */
const preludeSource = (limits) => `'use strict';
const limits = ${JSON.stringify(limits)};
(${sourceOf(removeGlobals)})();
const write = $0;
const encoding = (${sourceOf(makeEncoding)})();
const globals = {
  console: (${sourceOf(makeConsole)})(write, limits),
  ...encoding,
  ...(${sourceOf(makeUrlClasses)})($1),
  structuredClone: (${sourceOf(makeClone)})(),
  scratch: (${sourceOf(makeScratch)})($2, encoding, limits.chunkBytes),
};
for (const name of Object.keys(globals)) {
  Object.defineProperty(globalThis, name, { value: globals[name], writable: false, enumerable: false, configurable: false });
}
return (${sourceOf(makeRunner)})(write, limits);
`;

exports.preludeSource = preludeSource;
