import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerFilesQuery } from '../../../wire/files.ts';
import { openDatabase, type Database } from '../../storage/database.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { createFileSearchStore, type FileSearchStore } from './store.ts';
import { createFileStore, type FileStore, type NewFile } from '../store.ts';

/** More files than a search looks at one by one, so that each of its ways is gone; against a plain look through all of them. */

const FILES = 12_000;
const SOURCES = ['camera', 'mail', 'scans'];
const KINDS = ['image', 'document', 'text'] as const;

let folder: string;
let db: Database;
let writer: Writer;
let store: FileStore;
let search: FileSearchStore;
const files: NewFile[] = [];

const fileAt = (seq: number): NewFile => ({
  seq,
  id: `id-${seq}`,
  file_id: `file-${seq}`,
  name: `${seq % 7 === 0 ? 'B' : 'b'}oat ${(seq * 7919) % FILES}.jpg`,
  source: SOURCES[seq % 3] ?? '',
  title: seq % 2 === 0 ? `Holiday number ${seq}` : null,
  description: seq % 100 === 0 ? 'rare thing' : 'usual thing',
  tags: JSON.stringify(seq % 10 === 0 ? ['all', 'tenth'] : ['all']),
  created: seq,
  updated: (seq * 31) % FILES,
  added: seq,
  status: seq % 11 === 0 ? 'New' : 'Completed',
  uploader: 'owner',
  application: null,
  nonce: null,
  size: (seq * 13) % 5000,
  sha256: null,
  type: 'image/jpeg',
  kind: KINDS[seq % 3] ?? 'image',
  path: null,
  modified: null,
  inode: null,
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'file-search-'));
  db = openDatabase(join(folder, 'pda.sqlite'), { backups: folder, registerFunctions: () => undefined });
  writer = createWriter(db);
  store = createFileStore(db);
  search = createFileSearchStore(db, store);
  for (let seq = 1; seq <= FILES; seq += 1) files.push(fileAt(seq));
  await writer.write((tx) => {
    for (const file of files) {
      store.insert(tx, file);
      if (file.seq % 5 === 0) store.grant(tx, file.seq, 'someone', true);
    }
  });
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const query = (more: object) => ownerFilesQuery.parse({ take: '50', ...more });

/** What a person would do: look at each file, keep what fits, sort, count. */
const byHand = (given: ReturnType<typeof query>) => {
  const hit = files.filter(({ status, seq, source, kind, tags, title, name, description }) => {
    if (given.show === 'unfinished' ? status !== 'New' : status !== 'Completed') return false;
    if (given.show === 'shared' && seq % 5 !== 0) return false;
    if (given.source !== '' && source !== given.source) return false;
    if (given.kind !== undefined && kind !== given.kind) return false;
    if (given.tag !== '' && !(JSON.parse(tags ?? '[]') as string[]).includes(given.tag)) return false;
    const words = [title, name, description, tags]
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return given.search === '' || words.some((word) => word.startsWith(given.search));
  });
  const key = ({ name, size, seq, updated }: NewFile): string | number =>
    ({ name: name.toLowerCase(), size: size ?? 0, added: seq, changed: updated })[given.sort];
  const up = given.order === 'ascending' ? 1 : -1;
  const sorted = hit.toSorted((a, b) => up * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.seq - b.seq));
  return { files: hit.length, seqs: sorted.slice(given.skip, given.skip + given.take).map(({ seq }) => seq) };
};

const CASES = ['here', 'shared', 'unfinished'].flatMap((show) =>
  ['name', 'size', 'added', 'changed'].flatMap((sort) =>
    [
      {},
      { search: 'hol' },
      { search: 'usual', kind: 'image' },
      { search: 'rare' },
      { tag: 'all', source: 'mail' },
      { tag: 'tenth', search: 'boat' },
    ].map((more) => query({ show, sort, order: sort === 'size' ? 'ascending' : 'descending', ...more })),
  ),
);

describe('a search of the owner', () => {
  it.each(
    CASES.map(
      (given) =>
        [
          `${given.show} by ${given.sort}: ${JSON.stringify([given.search, given.tag, given.source, given.kind])}`,
          given,
        ] as const,
    ),
  )('finds what a look through all files finds, in the same order: %s', (_name, given) => {
    const { total, rows } = search.ofOwner(given);
    const hand = byHand(given);
    expect(rows.map(({ seq }) => seq)).toEqual(hand.seqs);
    expect(total.files).toBe(hand.files);
  });

  it('pages on where the page before ended', () => {
    const given = query({ search: 'usual', sort: 'changed', skip: '7000' });
    expect(search.ofOwner(given).rows.map(({ seq }) => seq)).toEqual(byHand(given).seqs);
  });

  it('sees what was written since the same words were asked for last', async () => {
    const given = query({ search: 'usual', sort: 'name', order: 'ascending' });
    const before = search.ofOwner(given);
    const first = before.rows[0];
    if (first === undefined) throw new Error('nothing was found');
    await writer.write((tx) => store.describe(tx, { ...first, description: 'nothing of the kind' }));
    const after = search.ofOwner(given);
    expect(after.rows[0]?.seq).toBe(before.rows[1]?.seq);
    await writer.write((tx) => store.describe(tx, first));
    expect(search.ofOwner(given).rows[0]?.seq).toBe(first.seq);
  });
});
