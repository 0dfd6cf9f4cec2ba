import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.ts';
import { FAULTS } from './faults.ts';

const countOccurrences = (text: string, substring: string): number => text.split(substring).length - 1;

describe('list of deliberate faults', () => {
  it('has unique names', () => {
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });

  it.each(FAULTS)('$name: the text to replace occurs exactly once in $file', ({ file, find, replace }) => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    expect(countOccurrences(readFileSync(join(ROOT, file), 'utf8'), find)).toBe(1);
    expect(replace).not.toBe(find);
  });

  it.each(FAULTS)('$name: its test exists', ({ testFile, test }) => {
    const text = readFileSync(join(ROOT, testFile), 'utf8');
    expect([testFile, test, text.includes(test)]).toStrictEqual([testFile, test, true]);
  });
});
