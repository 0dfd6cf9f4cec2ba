import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEARCHED_CHARS_MAX, wordsOf } from '../../../core/words.ts';
import { hasAllWords, stringsInJson, wordsInJson } from './tokenizer.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

describe('words', () => {
  it('are separated by characters other than letters and digits', () => {
    expect(wordsOf('  Don’t e-mail me_at 10:30, №5!')).toEqual([
      'don',
      't',
      'e',
      'mail',
      'me',
      'at',
      '10',
      '30',
      'no5',
    ]);
    expect(wordsOf('… — !')).toEqual([]);
  });

  it.each([
    ['Café', 'CAFE\u0301'],
    ['Straße', 'STRASSE'],
    ['ẞ', 'ss'],
    ['İstanbul', 'istanbul'],
    ['ısı', 'ISI'],
    ['ὁδός', 'ΟΔΟΣ'],
    ['Ёлка', 'елка'],
    ['ﬁnd', 'find'],
    ['ŁÓDŹ', 'lodz'],
    ['Færøerne', 'faeroerne'],
    ['ｶﾞ', 'ガ'],
    ['مُحَمَّد', 'محمد'],
    ['שָׁלוֹם', 'שלום'],
    ['co\u00adoperate', 'cooperate'],
  ])('%s equals %s', (left, right) => {
    expect(wordsOf(left)).toEqual(wordsOf(right));
    expect(wordsOf(left)).toHaveLength(1);
  });

  it('keep marks that are not diacritics, as in Hindi and Japanese', () => {
    expect(wordsOf('हिन्दी में')).toHaveLength(2);
    expect(wordsOf('が')).not.toEqual(wordsOf('か'));
  });

  it('are single characters in scripts without spaces, so that a search finds words within a text', () => {
    expect(hasAllWords(wordsOf('東京都に住んでいます'), wordsOf('東京'))).toBe(true);
    expect(hasAllWords(wordsOf('ประเทศไทย'), wordsOf('ไทย'))).toBe(true);
    expect(wordsOf('iPhone東京2')).toEqual(['iphone', '東', '京', '2']);
  });

  it('are unchanged when joined and split again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = wordsOf(text);
        expect(wordsOf(words.join(' '))).toEqual(words);
      }),
      { numRuns: 2000 },
    );
  });

  it('do not depend on whether the fast path for ASCII text is taken', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        // A combining accent at the end disables the fast path, and is removed by folding.
        expect(wordsOf(text)).toEqual(wordsOf(`${text} \u0301`).filter((word) => word !== ''));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the text of a value', () => {
  it('consists of all strings in it, without names, numbers and other values', () => {
    const value = { a: 'x', b: ['y', { c: 'z', d: 5 }], e: null, f: true, 'g"': '\\"' };
    expect(stringsInJson(JSON.stringify(value))).toEqual(['x', 'y', 'z', '\\"']);
    expect(wordsInJson(JSON.stringify(['a b', 'c']))).toEqual(['a', 'b', 'c']);
  });

  it.skipIf(!IS_THOROUGH_RUN)('equals the strings from parsing the whole value', () => {
    const stringsOf = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      if (typeof value !== 'object' || value === null) return [];
      return Object.values(value).flatMap(stringsOf);
    };
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (value) => {
        const json = JSON.stringify(value);
        expect(stringsInJson(json)).toEqual(stringsOf(JSON.parse(json)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is searched up to a bounded length, with any character at the boundary', () => {
    const padding = JSON.stringify(['x '.repeat(SEARCHED_CHARS_MAX / 2 - 12)]).slice(0, -2);
    for (const end of ['\\u00e9', '\\\\', '\\n', '\\"', 'é', '😀'])
      for (let cut = 0; cut < 12; cut += 1)
        expect(wordsInJson(`${padding}${'y'.repeat(cut)}${end.repeat(40)} zebra"]`)).not.toContain('zebra');
    expect(wordsOf(`${'x '.repeat(SEARCHED_CHARS_MAX / 2)} zebra`)).not.toContain('zebra');
    expect(wordsOf('\ufdfa'.repeat(SEARCHED_CHARS_MAX)).join('').length).toBeLessThanOrEqual(SEARCHED_CHARS_MAX);
  });

  it('is split into words in bounded time, even if it has a long run of combining marks', () => {
    const measureMicros = (text: string): number => {
      const usageBefore = process.cpuUsage();
      wordsOf(text);
      const { user, system } = process.cpuUsage(usageBefore);
      return user + system;
    };
    const letters = 'é'.repeat(SEARCHED_CHARS_MAX);
    measureMicros(letters);
    const marks = `e${'\u0301\u0323'.repeat(5_000_000)}`;
    expect(measureMicros(marks)).toBeLessThan(100 * Math.max(measureMicros(letters), 10_000));
  });

  it('is not found by an empty search', () => {
    expect(hasAllWords(['a'], [])).toBe(false);
  });
});
