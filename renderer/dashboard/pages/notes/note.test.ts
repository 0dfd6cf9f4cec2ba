import { describe, expect, it } from 'vitest';
import { isSameNote, noteOf } from './note.ts';

describe('noteOf', () => {
  it('returns the text and the tags', () => {
    expect(noteOf({ text: 'buy milk', tags: ['home'], more: 1 })).toEqual({ text: 'buy milk', tags: ['home'] });
  });

  it('returns only string tags, and an empty list if there are none', () => {
    expect(noteOf({ text: 'buy milk' })).toEqual({ text: 'buy milk', tags: [] });
    expect(noteOf({ text: 'buy milk', tags: ['home', 7, null] })).toEqual({ text: 'buy milk', tags: ['home'] });
  });

  it.each([null, 'text', 7, [], {}, { text: 7 }])('returns undefined for other data: %j', (data) => {
    expect(noteOf(data)).toBeUndefined();
  });
});

describe('isSameNote', () => {
  const note = { text: 'buy milk', tags: ['home', 'shop'] };

  it('compares the text and the tags', () => {
    expect(isSameNote(note, { text: 'buy milk', tags: ['home', 'shop'] })).toBe(true);
    for (const change of [{ text: 'buy oats' }, { tags: ['home'] }, { tags: ['shop', 'home'] }, { tags: [] }])
      expect(isSameNote(note, { ...note, ...change })).toBe(false);
  });
});
