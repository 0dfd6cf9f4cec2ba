import { describe, expect, it } from 'vitest';
import { createExcerpt, toMatchExpression } from './rules.ts';

describe('createExcerpt', () => {
  const filler = 'filler '.repeat(60);

  it.each([
    ['ignoring accents and case', `${filler}Café ZÜRICH today`, 'zurich', 'ZÜRICH'],
    ['not within another word', `${'banana '.repeat(60)}an apple`, 'an apple', 'an apple'],
    ['by the beginning of the last word only', `${'andante '.repeat(60)}an apple`, 'an app', 'an apple'],
    ['in text without spaces', `${'一'.repeat(300)}東京`, '東京', '東京'],
    ['with a soft hyphen in the word', `${filler}Donau\u00addampf`, 'donaudampf', 'Donau\u00addampf'],
  ])('contains the match, %s', (_, text, search, match) => {
    expect(createExcerpt(text, search)).toContain(match);
  });

  it('begins with the first value that matches', () => {
    expect(createExcerpt('plum · a  ripe\nfig · pear', 'fig')).toBe('a ripe fig · pear');
    expect(createExcerpt('first line\na fig\nlast line', 'fig', '\n')).toBe('a fig last line');
  });

  it('is the beginning of the text if nothing matches', () => {
    expect(createExcerpt('plum · pear', 'fig')).toBe('plum · pear');
  });

  it('ignores the words of a search beyond the limit', () => {
    const words = Array.from({ length: 8 }, (_, index) => `w${index}`).join(' ');
    expect(toMatchExpression(`${words} fig`)).not.toContain('fig');
    expect(createExcerpt(`fig · ${words}`, `${words} fig`)).toBe(words);
  });
});
