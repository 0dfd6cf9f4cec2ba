import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createMemoryFolder } from './memory-folder.ts';

const parentFolder = mkdtempSync(join(tmpdir(), 'pda-memory-'));
afterAll(() => rmSync(parentFolder, { recursive: true }));

it('creates a folder if there is enough space, and removes it with its content', () => {
  const folder = createMemoryFolder(parentFolder, 1);
  expect(folder?.path.startsWith(parentFolder)).toBe(true);
  mkdirSync(join(folder?.path ?? '', 'deep'));
  writeFileSync(join(folder?.path ?? '', 'deep/file'), 'text');
  folder?.remove();
  expect([existsSync(folder?.path ?? ''), existsSync(parentFolder)]).toStrictEqual([false, true]);
});

it('returns undefined if the parent is missing or has too little space', () => {
  expect([
    createMemoryFolder(join(parentFolder, 'nowhere'), 1),
    createMemoryFolder(parentFolder, 2 ** 60),
  ]).toStrictEqual([undefined, undefined]);
});
