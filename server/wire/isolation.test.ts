import { describe, expect, it } from 'vitest';
import { isolated, withoutBidiControls } from './isolation.ts';

describe('isolated', () => {
  it('leaves left-to-right text as it is', () => {
    expect(isolated('Acme Health, 3 records (a/b)')).toBe('Acme Health, 3 records (a/b)');
  });

  it('wraps right-to-left text', () => {
    expect(isolated('שלום')).toBe('\u2068שלום\u2069');
  });

  it('removes control characters that could reorder the surroundings or close the isolate', () => {
    expect(isolated('a\u2069\u202Eb')).toBe('ab');
    expect(isolated('\u2067ש\u2069\u2069\u202E')).toBe('\u2068ש\u2069');
  });

  it('keeps isolates within a sentence that becomes part of another', () => {
    const inner = `${isolated('שלום')} reads`;
    expect(withoutBidiControls(inner)).toBe(inner);
  });
});
