import { expect, it } from 'vitest';
import { numberedPaths } from './disk-names.ts';

const MANY = 1500;
/** Names that may be tried for one file. */
const MOST_TRIES = 200;

it('finds a place for each of thousands of files of one name, without looking at all that are taken', () => {
  const taken = new Set<string>();
  let tries = 0;
  for (let n = 0; n < MANY; n += 1) {
    const before = tries;
    const free = numberedPaths('camera/image.jpg').find((path) => {
      tries += 1;
      return !taken.has(path);
    });
    expect(free).toMatch(/^camera\/image(?: \(\d+\))?\.jpg$/u);
    taken.add(free ?? '');
    expect(tries - before).toBeLessThan(MOST_TRIES);
  }
  expect(taken.size).toBe(MANY);
});

it('counts in order first', () => {
  expect([...numberedPaths('a/b').take(3)]).toStrictEqual(['a/b', 'a/b (1)', 'a/b (2)']);
});
