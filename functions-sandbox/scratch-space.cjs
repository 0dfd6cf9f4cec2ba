// @ts-check
'use strict';

const { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/** File names that a function may use. They never reach the disk, where the files are numbered. */
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const FILES_MAX = 1000;

/**
 * Returns a handler for the operations of a sandboxed function on scratch files. The handler validates all arguments,
 * because the sandboxed function can modify the code inside the isolate. Errors are never thrown into the isolate: a response begins with `=` for a
 * result and with `!` for an error message.
 *
 * @param {{ folder: string, maxBytes: number, chunkBytes: number }} options
 */
const createScratchSpace = ({ folder, maxBytes, chunkBytes }) => {
  /** @type {Map<string, { path: string, bytes: number }>} */
  const files = new Map();
  let totalBytes = 0;
  let lastFileNumber = 0;

  /** @param {string} name */
  const remove = (name) => {
    const file = files.get(name);
    if (file === undefined) return `!there is no file ${JSON.stringify(name)}`;
    unlinkSync(file.path);
    files.delete(name);
    totalBytes -= file.bytes;
    return '=';
  };

  /** @param {string} name @param {string} chunk @param {boolean} truncate */
  const writeChunk = (name, chunk, truncate) => {
    if (chunk.length > chunkBytes) return '!the chunk is too large';
    const existing = files.get(name);
    if (existing === undefined && files.size >= FILES_MAX) return `!the limit of ${FILES_MAX} files is reached`;
    const offset = truncate ? 0 : (existing?.bytes ?? 0);
    if (totalBytes - (existing?.bytes ?? 0) + offset + chunk.length > maxBytes)
      return `!the limit of ${maxBytes} bytes is exceeded`;
    if (existing === undefined) lastFileNumber += 1;
    const file = existing ?? { path: join(folder, String(lastFileNumber)), bytes: 0 };
    const handle = openSync(file.path, existing === undefined ? 'w' : 'r+', 0o600);
    files.set(name, file);
    try {
      const bytes = Buffer.from(chunk, 'latin1');
      for (let written = 0; written < bytes.length;)
        written += writeSync(handle, bytes, written, bytes.length - written, offset + written);
      // The file is overwritten first and truncated at the end. Some file systems flush a file that is truncated first,
      // which would slow down the server's disk.
      if (file.bytes > offset + bytes.length) ftruncateSync(handle, offset + bytes.length);
    } finally {
      const { size } = fstatSync(handle);
      totalBytes += size - file.bytes;
      file.bytes = size;
      closeSync(handle);
    }
    return '=';
  };

  /** @param {string} name */
  const size = (name) => {
    const file = files.get(name);
    return file === undefined ? `!there is no file ${JSON.stringify(name)}` : `=${file.bytes}`;
  };

  /** @param {string} name @param {number} from */
  const readChunk = (name, from) => {
    const file = files.get(name);
    if (file === undefined) return `!there is no file ${JSON.stringify(name)}`;
    const handle = openSync(file.path, 'r');
    try {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(chunkBytes, file.bytes - from)));
      const count = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, from);
      return `=${bytes.toString('latin1', 0, count)}`;
    } finally {
      closeSync(handle);
    }
  };

  /** @param {unknown[]} args @returns {string} */
  return (...args) => {
    const [operation, name, chunk, from] = args;
    try {
      if (operation === 'list') return `=${JSON.stringify([...files].map(([name, { bytes }]) => ({ name, bytes })))}`;
      if (typeof name !== 'string' || !FILE_NAME.test(name))
        return '!a name has 1 to 100 of the characters A-Z a-z 0-9 . _ - and begins with a letter or digit';
      if (operation === 'write' || operation === 'append')
        return typeof chunk === 'string' ? writeChunk(name, chunk, operation === 'write') : '!the content must be text';
      if (operation === 'size') return size(name);
      if (operation === 'read') return readChunk(name, typeof from === 'number' && from >= 0 ? Math.floor(from) : 0);
      if (operation === 'remove') return remove(name);
      return '!unknown operation';
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return code === 'ENOSPC' ? '!the disk is full' : '!the file could not be read or written';
    }
  };
};

module.exports = { createScratchSpace };
