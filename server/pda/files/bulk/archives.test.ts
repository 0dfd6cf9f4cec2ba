import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../../../tests/support/test-pda.ts';
import { readZip } from '../../../../tests/support/zip.ts';
import type { FileRow } from '../store.ts';
import { createFileArchives } from './archives.ts';

let folder: string;
let rows: Map<number, FileRow>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-archives-'));
  rows = new Map(
    ['a.txt', 'b.txt'].map((name, index) => {
      const seq = index + 1;
      writeFileSync(join(folder, name), `content ${seq}`);
      const row = { seq, file_id: `f${seq}`, name, path: name, size: 9, modified: '1', status: 'Completed' };
      return [seq, row as FileRow];
    }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const change = (seq: number, changes: Partial<FileRow>): void => {
  const row = rows.get(seq);
  if (row !== undefined) rows.set(seq, { ...row, ...changes });
};

const beginDownload = async () => {
  const archives = createFileArchives({
    store: {
      findBySeq: (seq) => rows.get(seq),
      findByFileId: (fileId) => [...rows.values()].find((row) => row.file_id === fileId),
    },
    disk: { open: ({ path }) => open(join(folder, path ?? '')) },
    owner: { isSessionAlive: () => true, onSessionChange: () => () => undefined },
    clock: createTestClock(),
  });
  const { ticket } = await archives.issueTicket(['f1', 'f2'], { kind: 'owner', userId: '', sessionId: 'session' });
  return archives.download(ticket);
};

const CONTENT_CHANGES: readonly Partial<FileRow>[] = [{ size: 10 }, { modified: '2' }];

describe('a download of an archive', () => {
  it('contains a file that is moved before its turn', async () => {
    const stream = await beginDownload();
    renameSync(join(folder, 'b.txt'), join(folder, 'moved.txt'));
    change(2, { path: 'moved.txt' });
    expect(await readZip(await buffer(stream))).toEqual({ 'a.txt': 'content 1', 'b.txt': 'content 2' });
  });

  it.each(CONTENT_CHANGES)('fails if a file is changed before its turn: %j', async (changes) => {
    const stream = await beginDownload();
    change(2, changes);
    await expect(buffer(stream)).rejects.toThrow('changed in the meantime');
  });

  it('fails if a file is deleted before its turn', async () => {
    const stream = await beginDownload();
    change(2, { status: 'Deleted' });
    await expect(buffer(stream)).rejects.toThrow('deleted in the meantime');
  });
});
