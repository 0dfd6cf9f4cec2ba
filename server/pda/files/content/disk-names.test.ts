import { expect, it } from 'vitest';
import { numberedPaths } from './disk-names.ts';

const FILE_COUNT = 1500;
/** Maximum number of paths that are tried for each file. */
const TRIES_MAX = 200;

it('finds a free path for each of 1,500 files with the same name without trying all used paths', () => {
  const usedPaths = new Set<string>();
  let tries = 0;
  for (let n = 0; n < FILE_COUNT; n += 1) {
    const triesBefore = tries;
    const freePath = numberedPaths('camera/image.jpg').find((path) => {
      tries += 1;
      return !usedPaths.has(path);
    });
    expect(freePath).toMatch(/^camera\/image(?: \(\d+\))?\.jpg$/u);
    usedPaths.add(freePath ?? '');
    expect(tries - triesBefore).toBeLessThanOrEqual(TRIES_MAX);
  }
  expect(usedPaths.size).toBe(FILE_COUNT);
});

it('tries consecutive numbers first', () => {
  expect([...numberedPaths('a/b').take(3)]).toStrictEqual(['a/b', 'a/b (1)', 'a/b (2)']);
});
