import { expect, it } from 'vitest';
import { likePattern, likeSpellings } from './like.ts';

it('escapes the wildcards of a pattern', () => {
  expect(likePattern(String.raw`50%_of\all`)).toBe(String.raw`%50\%\_of\\all%`);
});

it('lists the spellings of a text that is not ASCII', () => {
  expect(likeSpellings('50% Off')).toEqual(['50% Off']);
  expect(likeSpellings('äpfel Und')).toEqual(['äpfel Und', 'äpfel und', 'ÄPFEL UND', 'Äpfel und']);
});
