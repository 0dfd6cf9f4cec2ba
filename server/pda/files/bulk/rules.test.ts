import { describe, expect, it } from 'vitest';
import { changedTags, isFolderPath } from './rules.ts';

describe('a change of tags', () => {
  it('keeps the order of existing tags, adds each new tag once and removes the given tags', () => {
    expect(changedTags(['b', 'a', 'c'], { add: ['d', 'a', 'd'], remove: ['b', 'none'] })).toEqual(['a', 'c', 'd']);
    expect(changedTags([], { add: [], remove: ['x'] })).toEqual([]);
  });

  it('distinguishes tags that differ in case or in Unicode normalisation', () => {
    expect(changedTags(['Rome', 'caf\u00E9'], { add: ['rome'], remove: ['cafe\u0301'] })).toEqual([
      'Rome',
      'caf\u00E9',
      'rome',
    ]);
  });
});

describe('the path of a folder', () => {
  it.each(['', 'Trips', 'Trips/2024', 'a:b', 'Ärger/😀', '100 %'])('%j is the files folder or below it', (folder) => {
    expect(isFolderPath(folder, '/')).toBe(true);
  });

  it.each(['/', '/etc', 'a/', 'a//b', '..', '../a', 'a/../../b', '.', './a', '.git', 'a/.trash', 'a\0b', '\uD800'])(
    '%j is refused',
    (folder) => {
      expect(isFolderPath(folder, '/')).toBe(false);
    },
  );

  it('contains no backslash if the file system uses it as the separator', () => {
    expect(isFolderPath('a\\..\\..\\b', '\\')).toBe(false);
    expect(isFolderPath('a\\b', '/')).toBe(true);
  });
});
