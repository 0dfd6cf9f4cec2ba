import { describe, expect, it } from 'vitest';
import { changeOf, nextChoice, type TagChoice } from './tag-choices.ts';

const choicesAfterClicks = (isOnAll: boolean): TagChoice[] => {
  const choices: TagChoice[] = ['keep'];
  for (let click = 0; click < 3; click += 1) choices.push(nextChoice(choices.at(-1) ?? 'keep', isOnAll));
  return choices;
};

describe('nextChoice', () => {
  it('toggles a tag of all selected files between keep and remove', () => {
    expect(choicesAfterClicks(true)).toEqual(['keep', 'remove', 'keep', 'remove']);
  });

  it('cycles a tag of some selected files through add, remove and keep', () => {
    expect(choicesAfterClicks(false)).toEqual(['keep', 'add', 'remove', 'keep']);
  });
});

describe('changeOf', () => {
  it('returns each chosen or new tag once, and adds a new tag even if it was to be removed', () => {
    const choices = new Map<string, TagChoice>([
      ['kept', 'keep'],
      ['all', 'add'],
      ['gone', 'remove'],
      ['back', 'remove'],
    ]);
    expect(changeOf(choices, ['new', 'all', 'back'])).toEqual({ add: ['all', 'new', 'back'], remove: ['gone'] });
    expect(changeOf(new Map(), [])).toEqual({ add: [], remove: [] });
  });
});
