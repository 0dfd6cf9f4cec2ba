// @ts-check
'use strict';

/**
 * Provides `scratch`, a flat folder of named files that is deleted after the run. Bytes cross the isolate boundary in
 * chunks, as strings with one character per byte.
 *
 * @typedef {'write' | 'append' | 'size' | 'read' | 'list' | 'remove'} Operation
 *
 * @param {(operation: Operation, name: string, chunk: string, from: number) => string} callHost
 *   returns `=` and the result, or `!` and an error message
 * @param {{
 *   TextEncoder: new () => { encode(text: string): Uint8Array },
 *   TextDecoder: new () => { decode(bytes: Uint8Array): string },
 * }} encoding
 * @param {number} chunkBytes
 */
function makeScratch(callHost, encoding, chunkBytes) {
  const { freeze } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  /** @type {(value: unknown) => string} */
  const toText = String;
  const encoder = new encoding.TextEncoder();
  const decoder = new encoding.TextDecoder();
  /** Characters per call of `String.fromCharCode`. Many more would overflow the stack. */
  const CHARS_PER_CALL = 4096;

  /** @param {Operation} operation @param {string} name @param {string} chunk @param {number} from */
  const request = (operation, name, chunk = '', from = 0) => {
    const response = callHost(operation, name, chunk, from);
    if (response[0] !== '=') throw new Error(`scratch: ${response.slice(1)}`);
    return response.slice(1);
  };

  /** @param {unknown} data */
  const toBytes = (data) => {
    if (data instanceof ArrayBuffer) return new Uint8Array(data);
    if (isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    if (typeof data !== 'string') throw new TypeError('scratch: only text and bytes can be written');
    return encoder.encode(data);
  };

  /** @param {'write' | 'append'} operation @param {unknown} name @param {unknown} data */
  const put = (operation, name, data) => {
    const file = toText(name);
    const bytes = toBytes(data);
    let offset = 0;
    do {
      let chunk = '';
      const end = Math.min(bytes.length, offset + chunkBytes);
      for (; offset < end; offset += CHARS_PER_CALL)
        chunk += apply(fromCharCode, undefined, bytes.subarray(offset, Math.min(end, offset + CHARS_PER_CALL)));
      offset = end;
      request(operation, file, chunk);
      operation = 'append';
    } while (offset < bytes.length);
  };

  /** @param {unknown} name */
  const readBytes = (name) => {
    const file = toText(name);
    const bytes = new Uint8Array(Number(request('size', file)));
    for (let offset = 0; offset < bytes.length;) {
      const chunk = request('read', file, '', offset);
      if (chunk === '') break;
      for (let index = 0; index < chunk.length; index += 1) bytes[offset + index] = chunk.charCodeAt(index);
      offset += chunk.length;
    }
    return bytes;
  };

  return freeze({
    write: freeze((/** @type {unknown} */ name, /** @type {unknown} */ data) => put('write', name, data)),
    append: freeze((/** @type {unknown} */ name, /** @type {unknown} */ data) => put('append', name, data)),
    read: freeze((/** @type {unknown} */ name) => decoder.decode(readBytes(name))),
    readBytes: freeze(readBytes),
    list: freeze(() => JSON.parse(request('list', ''))),
    remove: freeze((/** @type {unknown} */ name) => {
      request('remove', toText(name));
    }),
  });
}

exports.makeScratch = makeScratch;
