import { describe, expect, it } from 'vitest';
import { decode, firstBytes } from './text-decoder.ts';

describe('the beginning of a text', () => {
  it('is UTF-8 unless it says something else', () => {
    expect(decode(new TextEncoder().encode('Grüße'))).toBe('Grüße');
    expect(decode(Uint8Array.of(0xff, 0xfe, 0x41, 0x00, 0xac, 0x20))).toBe('A€');
    expect(decode(Uint8Array.of(0xfe, 0xff, 0x00, 0x41, 0x20, 0xac))).toBe('A€');
  });

  it('leaves out a character that was cut at its end', () => {
    expect(decode(new TextEncoder().encode('a€').slice(0, -1))).toBe('a');
  });

  it('is no more than was asked for, whatever comes', async () => {
    const body = new Blob(['abc', 'def', 'ghi']).stream();
    expect(decode(await firstBytes(body, 5))).toBe('abcde');
    expect(decode(await firstBytes(new Blob(['abc']).stream(), 5))).toBe('abc');
  });

  it('shows what is no UTF-8 instead of refusing it', () => {
    expect(decode(Uint8Array.of(0x41, 0xe9, 0x42))).toBe('A\uFFFDB');
  });
});
