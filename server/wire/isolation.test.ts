import { describe, expect, it } from 'vitest';
import { isolateText } from './isolation.ts';

describe('isolateText', () => {
  it('returns left-to-right text unchanged', () => {
    expect(isolateText('Acme Health, 3 records (a/b)')).toBe('Acme Health, 3 records (a/b)');
  });

  it('wraps right-to-left text', () => {
    expect(isolateText('שלום')).toBe('\u2068שלום\u2069');
  });

  it('removes control characters that could reorder the surroundings or close the isolate', () => {
    expect(isolateText('a\u2069\u202Eb')).toBe('ab');
    expect(isolateText('\u2067ש\u2069\u2069\u202E')).toBe('\u2068ש\u2069');
  });

  it('keeps isolates within a sentence that becomes part of another', () => {
    const sentence = `${isolateText('שלום')} reads`;
    expect(isolateText(sentence)).toBe(`\u2068${sentence}\u2069`);
  });
});
