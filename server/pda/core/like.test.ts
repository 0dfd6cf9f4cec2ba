import { expect, it } from 'vitest';
import { likePattern, likeSpellings } from './like.ts';

it('escapes wildcards in the text that a pattern searches for', () => {
  expect(likePattern(String.raw`50%_of\all`)).toBe(String.raw`%50\%\_of\\all%`);
});

it('lists the spellings of a text, and only the text itself if it is ASCII', () => {
  expect(likeSpellings('50% Off')).toEqual(['50% Off']);
  expect(likeSpellings('äpfel Und')).toEqual(['äpfel Und', 'äpfel und', 'ÄPFEL UND', 'Äpfel und']);
});
