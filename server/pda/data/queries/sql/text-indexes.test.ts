import { beforeEach, describe, expect, it } from 'vitest';
import type { Filter } from '../../../../wire/query.ts';
import { compileSelect } from './compiler.ts';
import { openRecords } from './database.test-support.ts';
import { defineTextIndex, dropTextIndexSql, INDEXED_RECORD_MAX_BYTES } from './text-indexes.ts';

const ENDPOINT = 7;
const findFilter = (search: string): Filter => ({
  field: 'text',
  transformation: { transformation: 'searchable' },
  operator: { operator: 'find', search },
});

let db: ReturnType<typeof openRecords>;
const insertRecord = (seq: number, data: unknown, endpoint = ENDPOINT): void => {
  db.prepare('INSERT INTO records VALUES (?, ?, ?, 1, 0, NULL, ?)').run(
    seq,
    `id-${seq}`,
    endpoint,
    JSON.stringify(data),
  );
};
const fillIndex = (count: number): void => {
  const index = defineTextIndex(ENDPOINT, 'text');
  const upTo = Number(db.prepare('SELECT coalesce(max(seq), 0) FROM records').pluck().get());
  for (let after = 0; ;) {
    const nextSeq = db.prepare(index.nextSql).pluck().get({ after, upTo, count, bytes: 1_000_000 }) as number | null;
    if (nextSeq === null) return;
    db.prepare(index.fillSql).run({ after, upTo: nextSeq });
    after = nextSeq;
  }
};
const matchingSeqs = (search: string, usesIndex: boolean): number[] => {
  const { name } = defineTextIndex(ENDPOINT, 'text');
  const query = compileSelect({
    entries: [{ endpoint: ENDPOINT, filters: [findFilter(search)] }],
    ordering: 'ascending',
    skip: 0,
    take: null,
    columns: 'keys',
    ...(usesIndex ? { indexes: new Set([name]) } : {}),
  });
  return db
    .prepare<unknown[], { seq: number }>(query.sql)
    .all(...query.parameters)
    .map((row) => row.seq);
};

beforeEach(() => {
  db = openRecords();
});

describe('a full-text index', () => {
  it('matches the same records as an unindexed filter: folded words, other scripts, nested strings', () => {
    const texts = [
      'Crème brûlée',
      'STRASSE und Straße',
      'привет мир',
      '東京 tower',
      ['a list', { of: 'texts' }],
      42,
      null,
      '',
    ];
    for (const [index, text] of texts.entries()) insertRecord(index + 1, { text });
    db.exec(defineTextIndex(ENDPOINT, 'text').createSql);
    fillIndex(3);
    for (const search of ['creme', 'strasse', 'ПРИВЕТ', '東', 'texts list', 'tower 京', 'nothing', '42']) {
      expect(matchingSeqs(search, true), search).toEqual(matchingSeqs(search, false));
    }
    expect(matchingSeqs('creme', true)).toEqual([1]);
  });

  it('reflects records that are stored, changed, moved and deleted before it is filled', () => {
    for (let seq = 1; seq <= 10; seq += 1) insertRecord(seq, { text: `number ${seq % 2 === 0 ? 'even' : 'odd'}` });
    db.exec(defineTextIndex(ENDPOINT, 'text').createSql);
    db.prepare('UPDATE records SET data = ? WHERE seq = 2').run('{"text":"number changed"}');
    db.prepare('DELETE FROM records WHERE seq = 4').run();
    insertRecord(11, { text: 'even later' });
    insertRecord(12, { text: 'even at another endpoint' }, 8);
    db.prepare('UPDATE records SET endpoint = 8 WHERE seq = 6').run();
    db.prepare(`UPDATE records SET endpoint = ${ENDPOINT} WHERE seq = 12`).run();
    fillIndex(4);
    expect(matchingSeqs('even', true)).toEqual([8, 10, 11, 12]);
    expect(matchingSeqs('even', true)).toEqual(matchingSeqs('even', false));
    expect(matchingSeqs('changed', true)).toEqual([2]);
  });

  it('matches large records although it does not contain their words', () => {
    db.exec(defineTextIndex(ENDPOINT, 'text').createSql);
    insertRecord(1, { text: 'a small record' });
    insertRecord(2, { text: 'a large record', padding: 'x'.repeat(INDEXED_RECORD_MAX_BYTES) });
    const { name } = defineTextIndex(ENDPOINT, 'text');
    const indexedSeqs = db.prepare(`SELECT rowid FROM ${name} WHERE ${name} MATCH 'record'`).pluck().all();
    expect(indexedSeqs).toEqual([1]);
    expect(matchingSeqs('record', true)).toEqual([1, 2]);
    expect(matchingSeqs('small', true)).toEqual([1]);
    expect(matchingSeqs('large', true)).toEqual([2]);
    db.prepare('UPDATE records SET data = ? WHERE seq = 2').run('{"text":"a record that became small"}');
    expect(matchingSeqs('small', true)).toEqual([1, 2]);
  });

  it('finds words without scanning the endpoint', () => {
    insertRecord(1, { text: 'a word' });
    const index = defineTextIndex(ENDPOINT, 'text');
    db.exec(index.createSql);
    const query = compileSelect({
      entries: [{ endpoint: ENDPOINT, filters: [findFilter('word')] }],
      ordering: 'ascending',
      skip: 0,
      take: 10,
      columns: 'records',
      indexes: new Set([index.name]),
    });
    const plan = db
      .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${query.sql}`)
      .all(...query.parameters)
      .map((row) => row.detail)
      .join('\n');
    expect(plan).toContain(`SCAN ${index.name} VIRTUAL TABLE INDEX`);
    expect(plan).not.toContain('records_by_endpoint');
  });

  it('is dropped with all its tables and triggers, and no other table can be dropped', () => {
    const index = defineTextIndex(ENDPOINT, 'text');
    const schemaBefore = db.prepare('SELECT name FROM sqlite_schema ORDER BY name').all();
    db.exec(index.createSql);
    db.exec(dropTextIndexSql(index.name));
    expect(db.prepare('SELECT name FROM sqlite_schema ORDER BY name').all()).toEqual(schemaBefore);
    expect(() => dropTextIndexSql('records')).toThrow('not the name of a text index');
  });
});
