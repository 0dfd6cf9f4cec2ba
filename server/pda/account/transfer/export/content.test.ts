import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createZipWriter } from '../../../../platform/archive/zip-writer.ts';
import { createContentWriter } from './content.ts';
import type { SnapshotFile } from './snapshot-store.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-export-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), text);
};
/** The row of a complete file, as of now. */
const rowOf = (seq: number, path: string, text: string): SnapshotFile => {
  const { dev, ino, mtimeNs } = statSync(join(home, 'files', path), { bigint: true });
  const attributes = { inode: `${dev}:${ino}`, modified: String(mtimeNs) };
  return { seq, path, size: text.length, sha256: hashOf(text), type: null, ...attributes, undo: null, moving: 0 };
};
/** Exports a file of the snapshot while the live database has `liveRow`. Returns the hash of the archived content. */
const exportFile = async (row: SnapshotFile, liveRow: SnapshotFile | undefined): Promise<string | null> => {
  const zip = createZipWriter(async () => undefined, 0);
  const contents = createContentWriter({ home, zip, findLiveFile: () => liveRow, onProgress: () => undefined });
  await contents.addFile(row);
  const content = contents.contentOfFile(row.seq);
  return content === undefined ? row.sha256 : (content?.sha256 ?? null);
};

describe('the archived content of a file that changes during the export', () => {
  it('is its own if it was moved and another file has taken its path', async () => {
    put('files/report.txt', 'last year');
    put('files/new/report.txt', 'this year');
    const row = rowOf(1, 'report.txt', 'last year');
    mkdirSync(join(home, 'files', 'old'));
    renameSync(join(home, 'files/report.txt'), join(home, 'files/old/report.txt'));
    renameSync(join(home, 'files/new/report.txt'), join(home, 'files/report.txt'));
    expect(await exportFile(row, { ...row, path: 'old/report.txt' })).toBe(hashOf('last year'));
  });

  it('is its own if it was deleted and another file has taken its path', async () => {
    put('files/report.txt', 'last year');
    const row = rowOf(1, 'report.txt', 'last year');
    mkdirSync(join(home, 'removed'));
    renameSync(join(home, 'files/report.txt'), join(home, 'removed/1'));
    put('files/report.txt', 'this year');
    expect(await exportFile(row, { ...row, path: null, undo: 'report.txt' })).toBe(hashOf('last year'));
  });

  it('is missing, and not that of another file at its path, if it was erased', async () => {
    put('files/report.txt', 'last year');
    const row = rowOf(1, 'report.txt', 'last year');
    put('files/report.txt.new', 'this year');
    renameSync(join(home, 'files/report.txt.new'), join(home, 'files/report.txt'));
    expect(await exportFile(row, undefined)).toBeNull();
    put('files/report.txt', 'this year');
    // A new file can have the inode number of the erased one.
    expect(await exportFile({ ...rowOf(1, 'report.txt', 'last year'), modified: '1' }, undefined)).toBeNull();
  });

  it('is the new content if another program has replaced it', async () => {
    put('files/report.txt', 'last year');
    const row = rowOf(1, 'report.txt', 'last year');
    put('files/report.txt.new', 'this year');
    renameSync(join(home, 'files/report.txt.new'), join(home, 'files/report.txt'));
    expect(await exportFile(row, row)).toBe(hashOf('this year'));
  });
});
