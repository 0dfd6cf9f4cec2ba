// @ts-check
'use strict';

/**
 * Entry point of the sandbox process, which runs one function once. The code of the sandbox is plain JavaScript,
 * because stripping types would take as long as starting Node.
 */

const { readFileSync } = require('node:fs');
const { ChannelError, readFrame, writeFrame } = require('./channel.cjs');
const { harden } = require('./hardening.cjs');
const { createScratchSpace } = require('./scratch-space.cjs');
const { parseUrl } = require('./url-parser.cjs');
const { addonFile, createFunctionIsolate, OUTPUT_TOO_LARGE } = require('./isolate.cjs');

/**
 * Payload of the first frame. `module` is empty in a probe, which runs no function.
 *
 * @typedef {{
 *   module: string, folder: string, memoryMb: number, timeoutMs: number, scratchBytes: number,
 *   limits: import('./in-isolate/prelude.cjs').PreludeLimits & { outputBytes: number },
 * }} StartPayload
 */

/** Exported functions of a module, by the letter of their frame. */
const OPERATIONS = new Map([
  ['c', 'configuration'],
  ['d', 'dataBundle'],
  ['p', 'process'],
]);

/** @param {string} path */
const readModule = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const main = () => {
  /** @type {StartPayload} */
  const start = JSON.parse(readFrame().text);
  const { limits } = start;

  let linesLeft = limits.lines;
  /** @param {unknown[]} args */
  const log = (...args) => {
    const [level, text] = args;
    if (typeof level !== 'string' || typeof text !== 'string' || linesLeft <= 0) return;
    linesLeft -= 1;
    const prefix = level === 'warn' ? 'warning: ' : level === 'error' ? 'error: ' : '';
    try {
      writeFrame('l', prefix + text.slice(0, limits.lineChars + 1));
    } catch {
      // The server is gone. Exit, because a thrown error would reach the sandboxed code.
      process.exit(0);
    }
  };

  const isolate = createFunctionIsolate({
    memoryMb: start.memoryMb,
    limits,
    log,
    url: parseUrl,
    scratch: createScratchSpace({ folder: start.folder, maxBytes: start.scratchBytes, chunkBytes: limits.chunkBytes }),
  });
  const source = start.module === '' ? '' : readModule(start.module);
  harden();
  // The server starts the time limit of the function when it receives this frame.
  writeFrame('s', addonFile);

  /** @param {import('./isolate.cjs').StepResult} result */
  const sendResult = (result) => {
    if (result.outcome !== 'done') writeFrame('f', JSON.stringify(result));
    else if (Buffer.byteLength(result.text, 'utf8') > limits.outputBytes)
      writeFrame('f', JSON.stringify({ outcome: 'output', message: OUTPUT_TOO_LARGE }));
    else writeFrame('o', result.text);
  };

  sendResult(
    source === undefined
      ? { outcome: 'error', message: 'the module cannot be read' }
      : isolate.load(source, start.timeoutMs),
  );
  for (;;) {
    const { kind, text } = readFrame();
    const operation = OPERATIONS.get(kind);
    if (operation === undefined) throw new ChannelError();
    sendResult(isolate.call(operation, text, start.timeoutMs));
  }
};

try {
  main();
} catch (error) {
  if (!(error instanceof ChannelError)) throw error;
  process.exit(0);
}
