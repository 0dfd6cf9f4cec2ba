import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { memoryFolder } from './memory-folder.ts';

const place = mkdtempSync(join(tmpdir(), 'pda-memory-'));
afterAll(() => rmSync(place, { recursive: true }));

it('creates a folder if there is enough space, and removes it with its content', () => {
  const folder = memoryFolder(place, 1);
  expect(folder?.path.startsWith(place)).toBe(true);
  mkdirSync(join(folder?.path ?? '', 'deep'));
  writeFileSync(join(folder?.path ?? '', 'deep/file'), 'text');
  folder?.remove();
  expect([existsSync(folder?.path ?? ''), existsSync(place)]).toStrictEqual([false, true]);
});

it('returns undefined if the parent is missing or has too little space', () => {
  expect([memoryFolder(join(place, 'nowhere'), 1), memoryFolder(place, 2 ** 60)]).toStrictEqual([undefined, undefined]);
});
