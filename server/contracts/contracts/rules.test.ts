import { describe, expect, it } from 'vitest';
import { idOfName } from './rules.ts';

describe('idOfName', () => {
  it.each([
    ['Steps study', 'steps-study'],
    [' «Café» – 2 ', 'cafe-2'],
    ['Ärzte', 'arzte'],
  ])('derives the id of %j: %j', (name, id) => {
    expect(idOfName(name)).toBe(id);
  });

  it('returns undefined for a name without letters and digits', () => {
    expect(idOfName('?!')).toBeUndefined();
  });

  it('returns at most 60 characters, without a hyphen at the end', () => {
    expect(idOfName(`${'a'.repeat(60)}b`)).toBe('a'.repeat(60));
    expect(idOfName(`${'a'.repeat(59)} b`)).toBe('a'.repeat(59));
  });
});
