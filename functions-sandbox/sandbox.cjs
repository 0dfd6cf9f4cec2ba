// @ts-check
'use strict';

/**
 * Runs one function once. Started by the server with a bare environment and two pipes; what it may read and write is
 * bounded by Node's permission model, what it may reach by the system as far as that can. It ends when its server
 * kills it, or with its pipe.
 *
 * Plain JavaScript with types in comments: stripping types would cost as much as starting Node.
 */

const { readFileSync } = require('node:fs');
const { takeApart } = require('./addresses.cjs');
const { ChannelClosed, readFrame, writeFrame } = require('./channel.cjs');
const { harden } = require('./hardening.cjs');
const { createScratchSpace } = require('./scratch-space.cjs');
const { addonFile, createGuest } = require('./wall.cjs');

/**
 * What the first frame says.
 *
 * @typedef {{
 *   module: string, folder: string, memoryMb: number, timeoutMs: number, scratchBytes: number,
 *   limits: import('./guest/prelude.cjs').PreludeLimits & { outputBytes: number },
 * }} Start
 */

/** Names of the operations, by the letter of their frame. */
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
  const first = readFrame();
  /** @type {Start} */
  const start = JSON.parse(first.text);
  const { limits } = start;

  let linesLeft = limits.lines;
  /** @param {unknown[]} given */
  const log = (...given) => {
    const [level, text] = given;
    if (typeof level !== 'string' || typeof text !== 'string' || linesLeft <= 0) return;
    linesLeft -= 1;
    const mark = level === 'warn' ? 'warning: ' : level === 'error' ? 'error: ' : '';
    try {
      writeFrame('l', mark + text.slice(0, limits.lineChars + 1));
    } catch {
      // The server has gone. Thrown on, the error would cross the wall.
      process.exit(0);
    }
  };

  const guest = createGuest({
    memoryMb: start.memoryMb,
    limits,
    log,
    url: takeApart,
    scratch: createScratchSpace({ folder: start.folder, maxBytes: start.scratchBytes, pieceBytes: limits.pieceBytes }),
  });
  const source = start.module === '' ? '' : readModule(start.module);
  harden();
  // The server looks at this process now, before code of the guest has touched it.
  writeFrame('s', addonFile);

  /** @param {import('./wall.cjs').Ended} ended */
  const tell = (ended) => {
    if (ended.outcome !== 'done') writeFrame('f', JSON.stringify(ended));
    else if (Buffer.byteLength(ended.text, 'utf8') > limits.outputBytes)
      writeFrame('f', JSON.stringify({ outcome: 'output', message: 'the function returned too much' }));
    else writeFrame('o', ended.text);
  };

  tell(
    source === undefined
      ? { outcome: 'error', message: 'the module cannot be read' }
      : guest.load(source, start.timeoutMs),
  );
  for (;;) {
    const { kind, text } = readFrame();
    const operation = OPERATIONS.get(kind);
    if (operation === undefined) throw new ChannelClosed();
    tell(guest.call(operation, text, start.timeoutMs));
  }
};

try {
  main();
} catch (error) {
  if (!(error instanceof ChannelClosed)) throw error;
  process.exit(0);
}
