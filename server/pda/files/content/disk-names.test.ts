import { expect, it } from 'vitest';
import { diskName, isSafeName, numberedPaths } from './disk-names.ts';

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

it('keeps numbered names within the limit of file systems', () => {
  const name = `${'é'.repeat(125)}.jpeg`;
  expect(Buffer.byteLength(name)).toBe(255);
  const paths = [...numberedPaths(`folder/${name}`)];
  for (const path of paths) {
    expect(Buffer.byteLength(path)).toBeLessThanOrEqual('folder/'.length + 255);
    expect(path).toMatch(/^folder\/é+(?: \(\d+\))?\.jpeg$/u);
  }
  expect(new Set(paths).size).toBeGreaterThan(100);
});

it('composes a letter and its accent even if an invisible character separated them', () => {
  const name = diskName('e\u200b\u0301.txt');
  expect(name).toBe('\u00e9.txt');
  expect(isSafeName(name)).toBe(true);
});
