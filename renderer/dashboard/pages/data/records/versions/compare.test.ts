import { describe, expect, it } from 'vitest';
import { compareTexts, compareVersions, isSameValue, lastChars } from './compare.ts';

const differences = (before: unknown, after: unknown) => compareVersions(before, after, 100).differences;

describe('compareVersions', () => {
  it('finds added, removed and changed members by their path', () => {
    const olderVersion = { name: 'Ada', city: 'Kiel', address: { street: 'Hafen 1', zip: '24103' } };
    const newerVersion = { name: 'Ada L.', address: { street: 'Hafen 1', zip: '24105', floor: 2 }, tags: [] };
    expect(differences(olderVersion, newerVersion)).toEqual([
      { kind: 'changed', path: ['name'], before: 'Ada', after: 'Ada L.' },
      { kind: 'removed', path: ['city'], before: 'Kiel' },
      { kind: 'changed', path: ['address', 'zip'], before: '24103', after: '24105' },
      { kind: 'added', path: ['address', 'floor'], after: 2 },
      { kind: 'added', path: ['tags'], after: [] },
    ]);
  });

  it('ignores a changed member order', () => {
    expect(compareVersions({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }, 10).total).toBe(0);
  });

  it('lists each value within an added or removed object or list', () => {
    expect(differences({ a: { b: 1, c: { d: 2 } } }, {})).toEqual([
      { kind: 'removed', path: ['a', 'b'], before: 1 },
      { kind: 'removed', path: ['a', 'c', 'd'], before: 2 },
    ]);
    expect(differences({}, { list: [{ a: 1 }, 2] })).toEqual([
      { kind: 'added', path: ['list', 0, 'a'], after: 1 },
      { kind: 'added', path: ['list', 1], after: 2 },
    ]);
  });

  it('reports an inserted or removed list item once', () => {
    expect(differences([1, 2, 3], [1, 9, 2, 3])).toEqual([{ kind: 'added', path: [1], after: 9 }]);
    expect(differences({ l: ['a', 'b', 'c'] }, { l: ['a', 'c'] })).toEqual([
      { kind: 'removed', path: ['l', 1], before: 'b' },
    ]);
    expect(differences([1, 1], [1])).toEqual([{ kind: 'removed', path: [1], before: 1 }]);
  });

  it('compares changed list items member by member', () => {
    expect(differences([{ a: 1, b: 1 }, 'x'], [{ a: 2, b: 1 }, 'x'])).toEqual([
      { kind: 'changed', path: [0, 'a'], before: 1, after: 2 },
    ]);
  });

  it.each([
    ['a different type', { a: 1 }, [1]],
    ['null', null, { a: 1 }],
    ['a string instead of a number', 1, '1'],
  ])('reports %s as one change', (_, before, after) => {
    expect(differences(before, after)).toEqual([{ kind: 'changed', path: [], before, after }]);
  });

  it('compares the digits of numbers that a double cannot represent', () => {
    const exactNumber = (rawJSON: string) => Object.freeze({ rawJSON });
    expect(isSameValue(exactNumber('12345678901234567890'), exactNumber('12345678901234567890'))).toBe(true);
    expect(
      differences({ n: exactNumber('12345678901234567890') }, { n: exactNumber('12345678901234567891') }),
    ).toMatchObject([{ kind: 'changed', path: ['n'] }]);
  });

  it('does not confuse members with inherited properties', () => {
    expect(differences(JSON.parse('{"__proto__":1}'), { toString: 1 })).toEqual([
      { kind: 'removed', path: ['__proto__'], before: 1 },
      { kind: 'added', path: ['toString'], after: 1 },
    ]);
  });

  it('counts differences beyond the maximum', () => {
    const comparison = compareVersions(
      [],
      Array.from({ length: 5000 }, (_, n) => n),
      3,
    );
    expect([comparison.differences.length, comparison.total]).toEqual([3, 5000]);
  });
});

describe('compareTexts', () => {
  it.each([
    ['the quick fox jumps', 'the slow fox jumps', ['the ', 'quick', 'slow', ' fox jumps']],
    ['one two', 'one two three', ['one ', 'two', 'two three', '']],
    ['a b c', 'a c', ['a ', 'b c', 'c', '']],
    ['same', 'same', ['', 'same', 'same', '']],
    ['👍 fine', '👎 fine', ['', '👍', '👎', ' fine']],
    ['', 'new', ['', '', 'new', '']],
    ['x x x', 'x x', ['x ', 'x x', 'x', '']],
  ])('finds whole changed words between "%s" and "%s"', (before, after, [start, removed, added, end]) => {
    expect(compareTexts(before, after)).toEqual({ start, before: removed, after: added, end });
    expect(`${start}${removed}${end}`).toBe(before);
    expect(`${start}${added}${end}`).toBe(after);
  });
});

describe('lastChars', () => {
  it('keeps the end of a long string and does not split a surrogate pair', () => {
    expect(lastChars('abc', 3)).toBe('abc');
    expect(lastChars('abcd', 3)).toBe('…bcd');
    expect(lastChars('a👍bc', 3)).toBe('…bc');
  });
});
