// @ts-check
'use strict';

const { close } = require('./closed.cjs');
const { makeAddress } = require('./address.cjs');
const { makeClone } = require('./clone.cjs');
const { makeConsole } = require('./console.cjs');
const { makeEncoding } = require('./encoding.cjs');
const { makeRunner } = require('./runner.cjs');
const { makeScratch } = require('./scratch.cjs');

/**
 * The bounds of what goes over the wall. Kept small: each is a copy in a process that has little room.
 *
 * @typedef {{ messageChars: number, lineChars: number, lines: number, outputChars: number, pieceBytes: number }} PreludeLimits
 */

/** @param {{ toString(): string }} piece a function that uses only its arguments and the language */
const sourceOf = (piece) => piece.toString();

/**
 * The source of what runs first in the isolate, as the body of a function of three callbacks (`log`, `url`,
 * `scratch`). It closes what has to be closed, puts the globals there, frozen, and returns the runner.
 *
 * @param {PreludeLimits} limits
 */
const preludeSource = (limits) => `'use strict';
const limits = ${JSON.stringify(limits)};
(${sourceOf(close)})();
const write = $0;
const encoding = (${sourceOf(makeEncoding)})();
const globals = {
  console: (${sourceOf(makeConsole)})(write, limits),
  ...encoding,
  ...(${sourceOf(makeAddress)})($1),
  structuredClone: (${sourceOf(makeClone)})(),
  scratch: (${sourceOf(makeScratch)})($2, encoding, limits.pieceBytes),
};
for (const name of Object.keys(globals)) {
  Object.defineProperty(globalThis, name, { value: globals[name], writable: false, enumerable: false, configurable: false });
}
return (${sourceOf(makeRunner)})(write, limits);
`;

exports.preludeSource = preludeSource;
