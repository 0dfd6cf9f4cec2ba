import { describe, expect, it } from 'vitest';
import { removalFocusSelector, buttonSelector, inputSelector } from './form-focus.ts';

describe('form focus', () => {
  it('moves to the add button when a list becomes empty', () => {
    expect(removalFocusSelector(['tags'], 0, 1)).toBe(buttonSelector(['tags'], 'add'));
  });

  it('moves to the next list item after a removal, or to the last one', () => {
    expect(removalFocusSelector(['tags'], 0, 3)).toBe(buttonSelector(['tags', 0], 'remove'));
    expect(removalFocusSelector(['tags'], 2, 3)).toBe(buttonSelector(['tags', 1], 'remove'));
  });

  it('escapes field names in selectors', () => {
    expect(buttonSelector(['a"\\'], 'up')).toBe(String.raw`[data-row="[\"a\\\"\\\\\"]"] [data-button=up]`);
    expect(inputSelector(['a', 0]).split(', ')[0]).toBe(String.raw`[data-row="[\"a\",0]"] input`);
  });
});
