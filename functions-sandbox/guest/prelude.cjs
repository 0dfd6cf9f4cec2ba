// @ts-check
'use strict';

const { removeGlobals } = require('./closed.cjs');
const { makeAddress } = require('./address.cjs');
const { makeClone } = require('./clone.cjs');
const { makeConsole } = require('./console.cjs');
const { makeEncoding } = require('./encoding.cjs');
const { makeRunner } = require('./runner.cjs');
const { makeScratch } = require('./scratch.cjs');

/**
 * Size limits of data that crosses the isolate boundary. Small, because everything is copied in a process with little
 * memory.
 *
 * @typedef {{
 *   messageChars: number, lineChars: number, lines: number, outputChars: number, chunkBytes: number,
 * }} PreludeLimits
 */

/** @param {{ toString(): string }} factory a function that uses only its arguments and built-ins */
const sourceOf = (factory) => factory.toString();

/**
 * Returns the source of the code that runs first in the isolate: the body of a function with three callbacks (`log`,
 * `url`, `scratch`). It removes dangerous globals, defines frozen globals, and returns the runner.
 *
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
  ...(${sourceOf(makeAddress)})($1),
  structuredClone: (${sourceOf(makeClone)})(),
  scratch: (${sourceOf(makeScratch)})($2, encoding, limits.chunkBytes),
};
for (const name of Object.keys(globals)) {
  Object.defineProperty(globalThis, name, { value: globals[name], writable: false, enumerable: false, configurable: false });
}
return (${sourceOf(makeRunner)})(write, limits);
`;

exports.preludeSource = preludeSource;
