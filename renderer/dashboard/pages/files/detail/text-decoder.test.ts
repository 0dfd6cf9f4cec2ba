import { describe, expect, it } from 'vitest';
import { decodeText, readFirstBytes } from './text-decoder.ts';

describe('text decoder', () => {
  it('decodes text as UTF-8 unless it begins with the byte order mark of a different encoding', () => {
    expect(decodeText(new TextEncoder().encode('Grüße'))).toBe('Grüße');
    expect(decodeText(Uint8Array.of(0xff, 0xfe, 0x41, 0x00, 0xac, 0x20))).toBe('A€');
    expect(decodeText(Uint8Array.of(0xfe, 0xff, 0x00, 0x41, 0x20, 0xac))).toBe('A€');
  });

  it('drops a truncated character at the end', () => {
    expect(decodeText(new TextEncoder().encode('a€').slice(0, -1))).toBe('a');
  });

  it('reads no more than the requested number of bytes', async () => {
    const body = new Blob(['abc', 'def', 'ghi']).stream();
    expect(decodeText(await readFirstBytes(body, 5))).toBe('abcde');
    expect(decodeText(await readFirstBytes(new Blob(['abc']).stream(), 5))).toBe('abc');
  });

  it('replaces invalid UTF-8 instead of failing', () => {
    expect(decodeText(Uint8Array.of(0x41, 0xe9, 0x42))).toBe('A\uFFFDB');
  });
});
