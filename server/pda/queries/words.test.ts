import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasAllWords, stringsOf, wordsIn, wordsOf } from './words.ts';

describe('words', () => {
  it('are split at everything but letters and digits', () => {
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
  ])('%s is %s', (left, right) => {
    expect(wordsOf(left)).toEqual(wordsOf(right));
    expect(wordsOf(left)).toHaveLength(1);
  });

  it('keep the marks that make them: Hindi and Japanese are not cut up or blurred', () => {
    expect(wordsOf('हिन्दी में')).toHaveLength(2);
    expect(wordsOf('が')).not.toEqual(wordsOf('か'));
  });

  it('are single characters where a script has no spaces, so that a part of a text is found', () => {
    expect(hasAllWords(wordsOf('東京都に住んでいます'), wordsOf('東京'))).toBe(true);
    expect(hasAllWords(wordsOf('ประเทศไทย'), wordsOf('ไทย'))).toBe(true);
    expect(wordsOf('iPhone東京2')).toEqual(['iphone', '東', '京', '2']);
  });

  it('come out the same when joined and split again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const words = wordsOf(text);
        expect(wordsOf(words.join(' '))).toEqual(words);
      }),
      { numRuns: 2000 },
    );
  });

  it('of plain ASCII are those that the full rules give', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        // An accent at the end takes the text off the short way, and is then folded away.
        expect(wordsOf(text)).toEqual(wordsOf(`${text} \u0301`).filter((word) => word !== ''));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the text of a value', () => {
  it('is all strings in it, not names, numbers or anything else', () => {
    expect(stringsOf({ a: 'x', b: ['y', { c: 'z', d: 5 }], e: null, f: true })).toEqual(['x', 'y', 'z']);
    expect(wordsIn(['a b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(wordsIn(17)).toEqual([]);
  });

  it('is not found by asking for nothing', () => {
    expect(hasAllWords(['a'], [])).toBe(false);
  });
});
