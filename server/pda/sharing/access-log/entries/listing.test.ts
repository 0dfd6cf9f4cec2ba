import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { anEntry, openAccessLog, recordsWith, type TestAccessLog } from '../harness.test-support.ts';
import type { AccessLogEntry } from '../service.ts';

const DOWNLOAD = 'GET /storage/:fileId';

let testLog: TestAccessLog;
beforeEach(() => {
  testLog = openAccessLog();
});
afterEach(() => {
  testLog.accessLog.close();
  testLog.db.close();
});

const write = async (...entries: Partial<AccessLogEntry>[]): Promise<number[]> => {
  const ids: number[] = [];
  for (const entry of entries) {
    testLog.clock.advance(1000);
    ids.push(await testLog.accessLog.write(anEntry(entry)));
  }
  return ids;
};
const search = async (text: string): Promise<number[]> =>
  (await testLog.accessLog.list({ search: text, take: 100 })).rows.map(({ id }) => id);
const downloadOf = (seq: number, person = 'Grace'): Partial<AccessLogEntry> => ({
  who: { kind: 'user', name: 'u-1', person },
  action: DOWNLOAD,
  consent: null,
  records: new Map([['files:photos', [seq]]]),
});

describe('the search of the access history by words', () => {
  beforeEach(() => {
    testLog.fileNames.set(7, 'passport.pdf').set(8, 'hills.png');
    testLog.names.setFileSearch((word) =>
      [...testLog.fileNames].filter(([, name]) => name.startsWith(word)).map(([seq]) => seq),
    );
  });

  it('finds downloads by the name of the file, and by the names of the file and the person together', async () => {
    const [passport, hills] = await write(downloadOf(7), downloadOf(8), { records: recordsWith(1) });
    expect(await search('passport')).toEqual([passport]);
    expect(await search('grace hills')).toEqual([hills]);
    expect(await search('ada hills')).toEqual([]);
    const { rows } = await testLog.accessLog.list({ search: 'passport', take: 1 });
    expect(rows[0]?.files).toEqual([{ fileId: 'file-7', name: 'passport.pdf' }]);
  });

  it('finds entries by the name that the owner gave an endpoint', async () => {
    testLog.endpointNames.set('fitbit/activity', 'Daily steps');
    const [steps] = await write({ records: new Map([['fitbit/activity', [1]]]) }, { records: recordsWith(2) });
    expect(await search('daily STEPS')).toEqual([steps]);
    testLog.endpointNames.set('fitbit/activity', 'Walks');
    expect(await search('daily')).toEqual([]);
    expect(await search('walks')).toEqual([steps]);
  });

  it('finds entries by the name of an application, but not other entries without a consent', async () => {
    testLog.names.addLookup('application', (id) => (id === 'ws-2' ? 'Walk Study' : undefined));
    const [study] = await write({ who: { kind: 'application', name: 'ws-2' }, consent: null }, { consent: null });
    expect(await search('walk')).toEqual([study]);
  });

  it('does not search the paths of routes', async () => {
    await write({ records: recordsWith(1) });
    expect(await search('namespace')).toEqual([]);
  });

  it('treats wildcards as text', async () => {
    await write({ records: recordsWith(1) });
    expect(await search('%')).toEqual([]);
    expect(await search('_')).toEqual([]);
    expect(await search('\\')).toEqual([]);
  });

  it('returns everything for a search without words', async () => {
    const ids = await write({}, {});
    expect(await search('  "" ')).toEqual(ids.toReversed());
  });

  it('fills a page by scanning the log if more than 500 shapes match', async () => {
    await testLog.writer.write((tx) => {
      for (let index = 0; index < 600; index += 1)
        testLog.accessLog.record(
          tx,
          anEntry({ address: `198.51.100.${index}`, who: { kind: 'application', name: 'rare' } }),
        );
    });
    const [newestId] = await write({ who: { kind: 'application', name: 'notes' }, address: '198.51.100.1' });
    expect((await search('198.51.100.1'))[0]).toBe(newestId);
    const { rows, next } = await testLog.accessLog.list({ search: '198.51.100', application: 'rare', take: 100 });
    expect(rows).toHaveLength(100);
    expect(rows.every(({ who }) => who.name === 'rare')).toBe(true);
    expect(next).toBe(rows.at(-1)?.id);
  });
});

describe('a page of the access history', () => {
  it('has at most 100 entries', async () => {
    await testLog.writer.write((tx) => {
      for (let index = 0; index < 101; index += 1) testLog.accessLog.record(tx, anEntry());
    });
    const { rows, next } = await testLog.accessLog.list({ take: 101 });
    expect(rows).toHaveLength(100);
    expect(next).toBe(rows.at(-1)?.id);
  });
});

describe('the queries of the search', () => {
  const planOf = (sql: string): string =>
    testLog.db
      .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => detail)
      .join('\n');

  it('read rows of a shape, of a group and of the whole log in chronological order, without sorting', () => {
    const conditions = 'id > 1 AND id < 9 ORDER BY id DESC LIMIT 5';
    expect(planOf(`SELECT id FROM ledger WHERE shape = 3 AND ${conditions}`)).toBe(
      'SEARCH ledger USING COVERING INDEX ledger_by_shape (shape=? AND rowid>? AND rowid<?)',
    );
    expect(planOf(`SELECT id FROM ledger WHERE grp = 3 AND ${conditions}`)).toBe(
      'SEARCH ledger USING COVERING INDEX ledger_by_group (grp=? AND rowid>? AND rowid<?)',
    );
    expect(planOf(`SELECT id, grp, shape FROM ledger WHERE ${conditions}`)).toBe(
      'SEARCH ledger USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)',
    );
  });
});
