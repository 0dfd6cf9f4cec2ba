// @ts-check
'use strict';

const { readSync, writeSync } = require('node:fs');

/**
 * Frames over the two pipes that this process was born with: four bytes of length, one letter that says what it is,
 * the payload. Read and written synchronously: the process does one thing at a time, nothing of Node's streams and
 * sockets is ever loaded, and what the guest says to its console is out before it can be killed.
 */

const STDIN = 0;
const STDOUT = 1;
const HEADER_BYTES = 5;
/** Bytes. More than any request: what announces itself as longer is not ours. */
const MAX_FRAME_BYTES = 16_000_000;

/** The parent process has closed the channel. */
class ChannelClosed extends Error {}

/** @param {unknown} error @param {string} code */
const hasCode = (error, code) => error instanceof Error && 'code' in error && error.code === code;

/** @param {number} length */
const readExactly = (length) => {
  const bytes = Buffer.allocUnsafeSlow(length);
  let at = 0;
  while (at < length) {
    let read = 0;
    try {
      read = readSync(STDIN, bytes, at, length - at, null);
    } catch (error) {
      // Where the system gives us a pipe that does not wait, we ask again.
      if (hasCode(error, 'EAGAIN')) continue;
      // Windows reports the end of a pipe as an error.
      if (hasCode(error, 'EOF') || hasCode(error, 'ECONNRESET')) throw new ChannelClosed();
      throw error;
    }
    if (read === 0) throw new ChannelClosed();
    at += read;
  }
  return bytes;
};

/** @returns {{ kind: string, text: string }} */
const readFrame = () => {
  const header = readExactly(HEADER_BYTES);
  const length = header.readUInt32BE(0);
  if (length > MAX_FRAME_BYTES) throw new ChannelClosed();
  return { kind: String.fromCharCode(header[4] ?? 0), text: length === 0 ? '' : readExactly(length).toString('utf8') };
};

/** @param {string} kind one letter @param {string} text */
const writeFrame = (kind, text) => {
  const length = Buffer.byteLength(text, 'utf8');
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + length);
  bytes.writeUInt32BE(length, 0);
  bytes[4] = kind.charCodeAt(0);
  bytes.write(text, HEADER_BYTES, 'utf8');
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(STDOUT, bytes, at);
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) continue;
      if (hasCode(error, 'EPIPE')) throw new ChannelClosed();
      throw error;
    }
  }
};

module.exports = { ChannelClosed, readFrame, writeFrame };
