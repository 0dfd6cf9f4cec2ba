import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeEncoding } from './encoding.cjs';

const isolateEncoding = makeEncoding();
const anyText = fc.string({ unit: 'binary', maxLength: 200 });

describe('TextEncoder', () => {
  it('encodes as the platform does, including lone surrogates', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, fc.constantFrom('\ud800', '\udc00', 'é', '€', '😀'))), (parts) => {
        const text = parts.join('');
        expect(Buffer.from(new isolateEncoding.TextEncoder().encode(text))).toEqual(
          Buffer.from(new TextEncoder().encode(text)),
        );
      }),
    );
  });

  it('encodeInto writes only whole characters', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 50 }), (text, size) => {
        const [ours, native] = [new Uint8Array(size), new Uint8Array(size)];
        expect(new isolateEncoding.TextEncoder().encodeInto(text, ours)).toEqual(
          new TextEncoder().encodeInto(text, native),
        );
        expect(ours).toEqual(native);
      }),
    );
  });
});

describe('TextDecoder', () => {
  it('decodes any bytes as the platform does', () => {
    const edgeBytes = [0xc0, 0xc2, 0xe0, 0xed, 0xef, 0xbb, 0xbf, 0xf0, 0xf4, 0xf5, 0x80, 0x9f, 0xa0, 0x41];
    const edgeByte = fc.constantFrom(...edgeBytes);
    fc.assert(
      fc.property(fc.array(fc.oneof(edgeByte, fc.integer({ min: 0, max: 255 })), { maxLength: 60 }), (bytes) => {
        const input = Uint8Array.from(bytes);
        expect(new isolateEncoding.TextDecoder().decode(input)).toBe(new TextDecoder().decode(input));
        expect(new isolateEncoding.TextDecoder('UTF-8', { ignoreBOM: true }).decode(input.buffer)).toBe(
          new TextDecoder('utf-8', { ignoreBOM: true }).decode(input),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('rejects invalid UTF-8 in fatal mode', () => {
    expect(() => new isolateEncoding.TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.of(0xff))).toThrow(
      TypeError,
    );
  });

  it('rejects other encodings', () => {
    expect(() => new isolateEncoding.TextDecoder('latin1')).toThrow(RangeError);
  });
});
