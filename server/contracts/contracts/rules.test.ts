import { describe, expect, it } from 'vitest';
import { idOfName } from './rules.ts';

describe('the id that is derived from a name', () => {
  it.each([
    ['Steps study', 'steps-study'],
    [' «Café» – 2 ', 'cafe-2'],
    ['?!', undefined],
  ])('of %j is %j', (name, id) => {
    expect(idOfName(name)).toBe(id);
  });

  it('has at most 60 characters and does not end with a hyphen', () => {
    expect(idOfName(`${'a'.repeat(60)}b`)).toBe('a'.repeat(60));
    expect(idOfName(`${'a'.repeat(59)} b`)).toBe('a'.repeat(59));
  });
});
