import { describe, expect, it } from 'vitest';
import { truncateText } from './entries.ts';

describe('truncateText', () => {
  it('returns a text of at most the maximum length unchanged', () => {
    expect(truncateText('abc', 3)).toBe('abc');
    expect(truncateText('ab😀', 4)).toBe('ab😀');
  });

  it('truncates a longer text to the maximum length', () => {
    expect(truncateText('abcd', 3)).toBe('abc');
    expect(truncateText('a😀b', 3)).toBe('a😀');
  });

  it('omits a surrogate pair that the limit would split', () => {
    expect(truncateText('ab😀', 3)).toBe('ab');
    expect(truncateText('😀😀', 3)).toBe('😀');
  });

  it('replaces unpaired surrogates with U+FFFD', () => {
    expect(truncateText('a\ud83d', 3)).toBe('a\ufffd');
    expect(truncateText('a\ud83dbc', 2)).toBe('a\ufffd');
    expect(truncateText('\ude00abc', 2)).toBe('\ufffda');
  });
});
