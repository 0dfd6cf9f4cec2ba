// @ts-check
'use strict';

const { readSync, writeSync } = require('node:fs');

/**
 * Frame protocol over stdin and stdout: four bytes of length, one letter for the kind, the payload. I/O is synchronous,
 * so that console output of the function is written before the process can be killed.
 */

const STDIN = 0;
const STDOUT = 1;
const HEADER_BYTES = 5;
/** Limit of a received payload. No request of the server is that large. */
const MAX_PAYLOAD_BYTES = 16_000_000;

class ChannelError extends Error {}

/** @param {unknown} error @param {string} code */
const hasCode = (error, code) => error instanceof Error && 'code' in error && error.code === code;

/** @param {number} length */
const readExactly = (length) => {
  const bytes = Buffer.allocUnsafeSlow(length);
  let offset = 0;
  while (offset < length) {
    let bytesRead = 0;
    try {
      bytesRead = readSync(STDIN, bytes, offset, length - offset, null);
    } catch (error) {
      // The pipe is non-blocking on some systems: retry.
      if (hasCode(error, 'EAGAIN')) continue;
      // Windows reports the end of a pipe as an error.
      if (hasCode(error, 'EOF') || hasCode(error, 'ECONNRESET')) throw new ChannelError();
      throw error;
    }
    if (bytesRead === 0) throw new ChannelError();
    offset += bytesRead;
  }
  return bytes;
};

/** @returns {{ kind: string, text: string }} @throws {ChannelError} if the channel is closed or a frame is too large */
const readFrame = () => {
  const header = readExactly(HEADER_BYTES);
  const length = header.readUInt32BE(0);
  if (length > MAX_PAYLOAD_BYTES) throw new ChannelError();
  return { kind: String.fromCharCode(header[4] ?? 0), text: length === 0 ? '' : readExactly(length).toString('utf8') };
};

/** @param {string} kind one letter @param {string} text @throws {ChannelError} if the channel is closed */
const writeFrame = (kind, text) => {
  const length = Buffer.byteLength(text, 'utf8');
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + length);
  bytes.writeUInt32BE(length, 0);
  bytes[4] = kind.charCodeAt(0);
  bytes.write(text, HEADER_BYTES, 'utf8');
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(STDOUT, bytes, offset);
    } catch (error) {
      if (hasCode(error, 'EAGAIN')) continue;
      if (hasCode(error, 'EPIPE')) throw new ChannelError();
      throw error;
    }
  }
};

module.exports = { ChannelError, readFrame, writeFrame };
