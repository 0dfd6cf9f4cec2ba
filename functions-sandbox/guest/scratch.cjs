// @ts-check
'use strict';

/**
 * The scratch file system: a flat folder of named files that is gone after the run. Bytes go over the wall as text of
 * one character each, in pieces.
 *
 * @param {(operation: 'write' | 'append' | 'read' | 'list' | 'remove', name: string, piece: string, from: number) => string} ask
 *   answers `=` and what was asked for, or `!` and what went wrong
 * @param {{ TextEncoder: new () => { encode(text: string): Uint8Array }, TextDecoder: new () => { decode(bytes: Uint8Array): string } }} encoding
 * @param {number} pieceBytes
 */
function makeScratch(ask, encoding, pieceBytes) {
  const { freeze } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  /** @type {(value: unknown) => string} */
  const toText = String;
  const encoder = new encoding.TextEncoder();
  const decoder = new encoding.TextDecoder();
  /** Characters that are put together in one call: more would overflow the stack. */
  const RUN = 4096;

  /** @param {'write' | 'append' | 'read' | 'list' | 'remove'} operation @param {string} name @param {string} piece @param {number} from */
  const answerOf = (operation, name, piece = '', from = 0) => {
    const answer = ask(operation, name, piece, from);
    if (answer[0] !== '=') throw new Error(`scratch: ${answer.slice(1)}`);
    return answer.slice(1);
  };

  /** @param {unknown} data */
  const bytesOf = (data) => {
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (typeof data !== 'string') throw new TypeError('scratch: only text and bytes can be written');
    return encoder.encode(data);
  };

  /** @param {'write' | 'append'} operation @param {unknown} name @param {unknown} data */
  const put = (operation, name, data) => {
    const file = toText(name);
    const bytes = bytesOf(data);
    let at = 0;
    do {
      let piece = '';
      const end = Math.min(bytes.length, at + pieceBytes);
      for (; at < end; at += RUN) piece += apply(fromCharCode, undefined, bytes.subarray(at, Math.min(end, at + RUN)));
      at = end;
      answerOf(operation, file, piece);
      operation = 'append';
    } while (at < bytes.length);
  };

  /** @param {unknown} name */
  const readBytes = (name) => {
    const file = toText(name);
    const bytes = new Uint8Array(Number(answerOf('read', file, 'size')));
    for (let at = 0; at < bytes.length;) {
      const piece = answerOf('read', file, '', at);
      if (piece === '') break;
      for (let index = 0; index < piece.length; index += 1) bytes[at + index] = piece.charCodeAt(index);
      at += piece.length;
    }
    return bytes;
  };

  return freeze({
    write: freeze((/** @type {unknown} */ name, /** @type {unknown} */ data) => put('write', name, data)),
    append: freeze((/** @type {unknown} */ name, /** @type {unknown} */ data) => put('append', name, data)),
    read: freeze((/** @type {unknown} */ name) => decoder.decode(readBytes(name))),
    readBytes: freeze(readBytes),
    list: freeze(() => JSON.parse(answerOf('list', ''))),
    remove: freeze((/** @type {unknown} */ name) => {
      answerOf('remove', toText(name));
    }),
  });
}

exports.makeScratch = makeScratch;
