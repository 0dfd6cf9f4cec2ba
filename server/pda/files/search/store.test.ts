import Sqlite from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerFilesQuery } from '../../../wire/files.ts';
import { newId } from '../../core/sequence.ts';
import { openDatabase, type Database } from '../../storage/database.ts';
import { createWriter, type Writer } from '../../storage/writer.ts';
import { NO_DETAILS } from '../pictures/rules.ts';
import { createPictureStore, type PictureStore } from '../pictures/store.ts';
import { readerCondition } from './criteria.ts';
import { createFileSearchStore, type FileSearchStore } from './store.ts';
import { createFileStore, type FileStore, type NewFile } from '../store.ts';

// Compares searches with a linear search. The number of files is large enough for every query plan of the search.

const FILE_COUNT = 12_000;
const SOURCES = ['camera', 'mail', 'scans'];
const KINDS = ['image', 'document', 'text'] as const;

let folder: string;
let db: Database;
let writer: Writer;
let store: FileStore;
let search: FileSearchStore;
let pictures: PictureStore;
const files: NewFile[] = [];

const fileAt = (seq: number): NewFile => ({
  seq,
  id: newId(seq),
  file_id: `file-${seq}`,
  name: `${seq % 7 === 0 ? 'B' : 'b'}oat ${(seq * 7919) % FILE_COUNT}.jpg`,
  source: SOURCES[seq % 3] ?? '',
  title: seq % 2 === 0 ? `Holiday number ${seq}` : null,
  description: seq % 100 === 0 ? 'rare thing' : 'usual thing',
  tags: JSON.stringify(seq % 10 === 0 ? ['all', 'tenth'] : ['all']),
  created: seq,
  updated: (seq * 31) % FILE_COUNT,
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

/** Every other picture has a date taken. */
const takenLocalOf = (seq: number): string | null =>
  seq % 6 === 0 ? `2024-${String((seq % 12) + 1).padStart(2, '0')}-0${(seq % 9) + 1}T12:00:00` : null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'file-search-'));
  db = openDatabase(join(folder, 'pda.sqlite'), { backups: folder, registerFunctions: () => undefined });
  writer = createWriter(db);
  store = createFileStore(db);
  search = createFileSearchStore(db, store);
  pictures = createPictureStore(db, search);
  for (let seq = 1; seq <= FILE_COUNT; seq += 1) files.push(fileAt(seq));
  await writer.write((tx) => {
    for (const file of files) {
      store.insert(tx, file);
      if (file.seq % 5 === 0) store.grant(tx, file.seq, 'someone', true);
      const takenLocal = takenLocalOf(file.seq);
      if (takenLocal !== null)
        pictures.setDetails(tx, file, { ...NO_DETAILS, taken: Date.parse(`${takenLocal}Z`), taken_local: takenLocal });
    }
  });
});
afterAll(() => {
  db.close();
  rmSync(folder, { recursive: true });
});

const query = (parameters: object) => ownerFilesQuery.parse({ take: '50', ...parameters });

/** Filters, sorts and counts all files in memory. */
const linearSearch = (criteria: ReturnType<typeof query>) => {
  const matches = files.filter(({ status, seq, source, kind, tags, title, name, description }) => {
    if (criteria.show === 'unfinished' ? status !== 'New' : status !== 'Completed') return false;
    if (criteria.show === 'shared' && seq % 5 !== 0) return false;
    if (criteria.source !== '' && source !== criteria.source) return false;
    if (criteria.kind !== undefined && kind !== criteria.kind) return false;
    if (criteria.tag !== '' && !(JSON.parse(tags ?? '[]') as string[]).includes(criteria.tag)) return false;
    const words = [title, name, description, tags]
      .join(' ')
      .toLowerCase()
      .split(/[^\p{L}\p{N}]+/u);
    return criteria.search === '' || words.some((word) => word.startsWith(criteria.search));
  });
  const key = ({ name, size, seq, updated }: NewFile): string | number =>
    ({ name: name.toLowerCase(), size: size ?? 0, added: seq, changed: updated, taken: takenLocalOf(seq) ?? '' })[
      criteria.sort
    ];
  const sign = criteria.order === 'ascending' ? 1 : -1;
  const sortedMatches = matches.toSorted((a, b) => sign * (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : a.seq - b.seq));
  return {
    files: matches.length,
    seqs: sortedMatches.slice(criteria.skip, criteria.skip + criteria.take).map(({ seq }) => seq),
  };
};

const CASES = ['completed', 'shared', 'unfinished'].flatMap((show) =>
  ['name', 'size', 'added', 'changed', 'taken'].flatMap((sort) =>
    [
      {},
      { search: 'hol' },
      { search: 'usual', kind: 'image' },
      { search: 'rare' },
      { tag: 'all', source: 'mail' },
      { tag: 'tenth', search: 'boat' },
    ].map((parameters) => query({ show, sort, order: sort === 'size' ? 'ascending' : 'descending', ...parameters })),
  ),
);

describe('a search by the owner', () => {
  it.each(
    CASES.map(
      (criteria) =>
        [
          `${criteria.show} by ${criteria.sort}: ${JSON.stringify([criteria.search, criteria.tag, criteria.source, criteria.kind])}`,
          criteria,
        ] as const,
    ),
  )('returns the same files in the same order as a linear search: %s', (_name, criteria) => {
    const { total, rows } = search.findOwnerFiles(criteria);
    const expected = linearSearch(criteria);
    expect(rows.map(({ seq }) => seq)).toEqual(expected.seqs);
    expect(total.files).toBe(expected.files);
  });

  it.each([{}, { kind: 'image' }, { search: 'hol' }, { tag: 'tenth', show: 'shared' }])(
    'counts its matches by month, in the order of the files: %j',
    (parameters) => {
      const criteria = query({ ...parameters, sort: 'taken', take: `${FILE_COUNT}` });
      const months = linearSearch(criteria).seqs.map((seq) => takenLocalOf(seq)?.slice(0, 7) ?? null);
      const counts = [...new Set(months)].map((month) => ({
        month,
        files: months.filter((candidate) => candidate === month).length,
      }));
      expect(pictures.countByMonth(criteria)).toEqual(counts);
    },
  );

  it('finds a complete file by its id in the access history', () => {
    const findById = (ledgerId: string): number[] =>
      search.findOwnerFiles(query({ ledgerId })).rows.map(({ seq }) => seq);
    const [completeFile, unfinishedFile] = [files[11], files[10]];
    if (completeFile === undefined || unfinishedFile === undefined) throw new Error('there are too few files');
    expect(findById(completeFile.id)).toEqual([completeFile.seq]);
    expect(findById(completeFile.id.toUpperCase())).toEqual([completeFile.seq]);
    expect(findById(unfinishedFile.id)).toEqual([]);
    expect(findById(newId(completeFile.seq))).toEqual([]);
  });

  it('finds files by a word of their tags', () => {
    const criteria = query({ search: 'tenth' });
    const { total, rows } = search.findOwnerFiles(criteria);
    expect(total.files).toBe(files.filter(({ seq, status }) => seq % 10 === 0 && status === 'Completed').length);
    expect(rows.map(({ seq }) => seq)).toEqual(linearSearch(criteria).seqs);
  });

  it('counts only complete files per tag', () => {
    const completeFiles = files.filter(({ status }) => status === 'Completed');
    expect(search.tags()).toEqual([
      { tag: 'all', files: completeFiles.length },
      { tag: 'tenth', files: completeFiles.filter(({ seq }) => seq % 10 === 0).length },
    ]);
  });

  it('has an equivalent condition for connections without the temporary table of the search', () => {
    const reader = new Sqlite(join(folder, 'pda.sqlite'), { readonly: true });
    for (const criteria of CASES.filter(({ sort }) => sort === 'added')) {
      const { sql, parameters } = readerCondition(criteria);
      const seqs = reader.prepare(`SELECT f.seq FROM files f WHERE ${sql} ORDER BY f.seq DESC`).pluck().all(parameters);
      expect(seqs).toEqual(linearSearch({ ...criteria, take: FILE_COUNT }).seqs);
    }
    reader.close();
  });

  it('skips the files of earlier pages', () => {
    const criteria = query({ search: 'usual', sort: 'changed', skip: '7000' });
    expect(search.findOwnerFiles(criteria).rows.map(({ seq }) => seq)).toEqual(linearSearch(criteria).seqs);
  });

  it('includes changes since the last search for the same words', async () => {
    const criteria = query({ search: 'usual', sort: 'name', order: 'ascending' });
    const initialResult = search.findOwnerFiles(criteria);
    const firstFile = initialResult.rows[0];
    if (firstFile === undefined) throw new Error('the search found no file');
    await writer.write((tx) => store.describe(tx, { ...firstFile, description: 'nothing of the kind' }));
    const nextResult = search.findOwnerFiles(criteria);
    expect(nextResult.rows[0]?.seq).toBe(initialResult.rows[1]?.seq);
    await writer.write((tx) => store.describe(tx, firstFile));
    expect(search.findOwnerFiles(criteria).rows[0]?.seq).toBe(firstFile.seq);
  });
});
