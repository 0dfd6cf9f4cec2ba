// @ts-check
'use strict';

const { closeSync, fstatSync, ftruncateSync, openSync, readSync, unlinkSync, writeSync } = require('node:fs');
const { join } = require('node:path');

/** Names that a guest may give its files. They never reach the disk: there the files are numbered. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const MAX_FILES = 1000;

/**
 * The guest's scratch files in the run's folder. All input is validated here, because the guest can modify the code on its
 * side; errors are returned as text and never thrown across the wall.
 *
 * @param {{ folder: string, maxBytes: number, pieceBytes: number }} options
 */
const createScratchSpace = ({ folder, maxBytes, pieceBytes }) => {
  /** @type {Map<string, { path: string, bytes: number }>} */
  const files = new Map();
  let total = 0;
  let next = 0;

  /** @param {string} name */
  const remove = (name) => {
    const file = files.get(name);
    if (file === undefined) return `!there is no file ${JSON.stringify(name)}`;
    unlinkSync(file.path);
    files.delete(name);
    total -= file.bytes;
    return '=';
  };

  /** @param {string} name @param {string} piece @param {boolean} fresh */
  const put = (name, piece, fresh) => {
    if (piece.length > pieceBytes) return '!a piece is too large';
    const known = files.get(name);
    if (known === undefined && files.size >= MAX_FILES) return `!there may be ${MAX_FILES} files at most`;
    const kept = fresh ? 0 : (known?.bytes ?? 0);
    if (total - (known?.bytes ?? 0) + kept + piece.length > maxBytes) return `!more than ${maxBytes} bytes`;
    if (known === undefined) next += 1;
    const file = known ?? { path: join(folder, String(next)), bytes: 0 };
    const handle = openSync(file.path, known === undefined ? 'w' : 'r+', 0o600);
    files.set(name, file);
    try {
      const bytes = Buffer.from(piece, 'latin1');
      for (let at = 0; at < bytes.length;) at += writeSync(handle, bytes, at, bytes.length - at, kept + at);
      // Written over and cut, not emptied first: some file systems take an emptied file for a reason to go to the disk at
      // once, and the server waits for that disk, too.
      if (file.bytes > kept + bytes.length) ftruncateSync(handle, kept + bytes.length);
    } finally {
      const { size } = fstatSync(handle);
      total += size - file.bytes;
      file.bytes = size;
      closeSync(handle);
    }
    return '=';
  };

  /** @param {string} name @param {string} piece @param {number} from */
  const read = (name, piece, from) => {
    const file = files.get(name);
    if (file === undefined) return `!there is no file ${JSON.stringify(name)}`;
    if (piece === 'size') return `=${file.bytes}`;
    const handle = openSync(file.path, 'r');
    try {
      const bytes = Buffer.allocUnsafeSlow(Math.max(0, Math.min(pieceBytes, file.bytes - from)));
      const count = bytes.length === 0 ? 0 : readSync(handle, bytes, 0, bytes.length, from);
      return `=${bytes.toString('latin1', 0, count)}`;
    } finally {
      closeSync(handle);
    }
  };

  /** @param {unknown[]} given @returns {string} */
  return (...given) => {
    const [operation, name, piece, from] = given;
    try {
      if (operation === 'list') return `=${JSON.stringify([...files].map(([name, { bytes }]) => ({ name, bytes })))}`;
      if (typeof name !== 'string' || !NAME.test(name))
        return '!a name is 1 to 100 of A-Z a-z 0-9 . _ - and begins with a letter or digit';
      if (operation === 'write' || operation === 'append')
        return typeof piece === 'string' ? put(name, piece, operation === 'write') : '!text is needed';
      if (operation === 'read')
        return read(
          name,
          typeof piece === 'string' ? piece : '',
          typeof from === 'number' && from >= 0 ? Math.floor(from) : 0,
        );
      if (operation === 'remove') return remove(name);
      return '!unknown operation';
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return code === 'ENOSPC' ? '!the disk is full' : '!the file could not be reached';
    }
  };
};

module.exports = { createScratchSpace };
