// @ts-check
'use strict';

/** Provides `TextEncoder` and `TextDecoder` for UTF-8 according to the Encoding Standard, without streaming. */
function makeEncoding() {
  const { freeze } = Object;
  const { isView } = ArrayBuffer;
  const { fromCharCode } = String;
  const { apply } = Reflect;
  /** String conversion as in the standard. @type {(value: unknown) => string} */
  const toText = String;
  /** Characters per call of `String.fromCharCode`. Many more would overflow the stack. */
  const CHARS_PER_CALL = 4096;
  const REPLACEMENT_POINT = 0xfffd;

  /** Returns the code point at an index; a lone surrogate is replaced. @param {string} text @param {number} index */
  const pointAt = (text, index) => {
    const point = text.codePointAt(index) ?? REPLACEMENT_POINT;
    return point >= 0xd800 && point <= 0xdfff ? REPLACEMENT_POINT : point;
  };
  /** @param {number} point */
  const byteLengthOf = (point) => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4);

  /** @param {Uint8Array} bytes @param {number} position @param {number} point @param {number} length */
  const writePoint = (bytes, position, point, length) => {
    if (length === 1) {
      bytes[position] = point;
      return;
    }
    for (let index = length - 1; index > 0; index -= 1) {
      bytes[position + index] = 0x80 | (point & 0x3f);
      point >>= 6;
    }
    bytes[position] = (length === 2 ? 0xc0 : length === 3 ? 0xe0 : 0xf0) | point;
  };

  class TextEncoder {
    get encoding() {
      return 'utf-8';
    }

    encode(text = '') {
      const string = toText(text);
      let size = 0;
      for (let index = 0; index < string.length; index += 1) {
        const point = pointAt(string, index);
        if (point >= 0x10000) index += 1;
        size += byteLengthOf(point);
      }
      const bytes = new Uint8Array(size);
      this.encodeInto(string, bytes);
      return bytes;
    }

    /** @param {string} text @param {Uint8Array} bytes */
    encodeInto(text, bytes) {
      const string = toText(text);
      let read = 0;
      let written = 0;
      while (read < string.length) {
        const point = pointAt(string, read);
        const length = byteLengthOf(point);
        if (written + length > bytes.length) break;
        writePoint(bytes, written, point, length);
        written += length;
        read += point >= 0x10000 ? 2 : 1;
      }
      return { read, written };
    }
  }

  class TextDecoder {
    #fatal;
    #keepBom;

    /** @param {string} label @param {{ fatal?: boolean, ignoreBOM?: boolean }} options */
    constructor(label = 'utf-8', options = {}) {
      const name = toText(label).trim().toLowerCase();
      if (name !== 'utf-8' && name !== 'utf8' && name !== 'unicode-1-1-utf-8')
        throw new RangeError(`The encoding "${name}" is not supported. Use utf-8.`);
      this.#fatal = Boolean(options?.fatal);
      this.#keepBom = Boolean(options?.ignoreBOM);
    }

    get encoding() {
      return 'utf-8';
    }

    get fatal() {
      return this.#fatal;
    }

    get ignoreBOM() {
      return this.#keepBom;
    }

    /** @param {ArrayBuffer | ArrayBufferView} [input] */
    decode(input) {
      if (input === undefined) return '';
      const bytes = isView(input)
        ? new Uint8Array(input.buffer, input.byteOffset, input.byteLength)
        : new Uint8Array(input);
      let text = '';
      /** @type {number[]} */
      let charCodes = [];
      let position = !this.#keepBom && bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
      while (position < bytes.length) {
        const lead = bytes[position] ?? 0;
        position += 1;
        let point = lead;
        if (lead >= 0x80) {
          const continuationBytes =
            lead >= 0xc2 && lead <= 0xdf ? 1 : (lead & 0xf0) === 0xe0 ? 2 : lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
          // Range of the second byte. Excludes overlong forms, surrogates and code points above U+10FFFF.
          let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
          let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
          point = continuationBytes === 0 ? -1 : lead & (0x3f >> continuationBytes);
          for (let remaining = continuationBytes; remaining > 0; remaining -= 1) {
            const nextByte = bytes[position];
            if (nextByte === undefined || nextByte < low || nextByte > high) {
              point = -1;
              break;
            }
            point = (point << 6) | (nextByte & 0x3f);
            position += 1;
            low = 0x80;
            high = 0xbf;
          }
          if (point === -1) {
            if (this.#fatal) throw new TypeError('The encoded data was not valid for encoding utf-8');
            point = REPLACEMENT_POINT;
          }
        }
        if (point < 0x10000) charCodes.push(point);
        else charCodes.push(0xd800 + ((point - 0x10000) >> 10), 0xdc00 + ((point - 0x10000) & 0x3ff));
        if (charCodes.length >= CHARS_PER_CALL) {
          text += apply(fromCharCode, undefined, charCodes);
          charCodes = [];
        }
      }
      return text + apply(fromCharCode, undefined, charCodes);
    }
  }

  for (const exported of [TextEncoder, TextDecoder]) {
    freeze(exported);
    freeze(exported.prototype);
  }
  return { TextEncoder, TextDecoder };
}

exports.makeEncoding = makeEncoding;
