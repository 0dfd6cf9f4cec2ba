import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LedgerGroup } from '../../../../wire/ledger.ts';
import { anEntry, openAccessLog, recordsWith, type TestAccessLog } from '../harness.test-support.ts';
import type { AccessLogEntry } from '../service.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const BERLIN = 'Europe/Berlin';

let testLog: TestAccessLog;
beforeEach(() => {
  testLog = openAccessLog();
});
afterEach(() => {
  testLog.accessLog.close();
  testLog.db.close();
});

const HOUR_MS = 3_600_000;
const write = (entry: Partial<AccessLogEntry> = {}): Promise<number> => testLog.accessLog.write(anEntry(entry));
const pageOf = (query: { timeZone?: string; before?: number } = {}) =>
  testLog.accessLog.groups({ timeZone: 'UTC', ...query });
const shortForm = ({ day, row, entries }: LedgerGroup) => [day, row.who.name, row.records, entries];

describe('alike entries of a day', () => {
  it('are one group with the newest entry and the sums of records, requests and bytes', async () => {
    const oldestId = await write({ records: recordsWith(1, 2) });
    testLog.clock.advance(HOUR_MS);
    await write({ who: { kind: 'application', name: 'other' } });
    testLog.clock.advance(HOUR_MS);
    const newestId = await write({ records: recordsWith(2, 3, 4) });
    await write({ records: recordsWith(5), reason: 'forbidden', status: 403 });
    const { groups, next } = await pageOf();
    expect(next).toBeNull();
    expect(groups.map(shortForm)).toEqual([
      ['2026-01-15', 'notes', 1, 1],
      ['2026-01-15', 'notes', 5, 2],
      ['2026-01-15', 'other', 0, 1],
    ]);
    expect(groups[1]).toMatchObject({ oldest: oldestId, row: { id: newestId, count: 2, bytes: 200 } });
  });

  it('are grouped by the days of the requested time zone', async () => {
    // The clock starts at 12:00 UTC.
    await write({ records: recordsWith(1) });
    testLog.clock.advance(11.5 * HOUR_MS);
    await write({ records: recordsWith(1) });
    expect((await pageOf()).groups.map(shortForm)).toEqual([['2026-01-15', 'notes', 2, 2]]);
    expect((await pageOf({ timeZone: BERLIN })).groups.map(shortForm)).toEqual([
      ['2026-01-16', 'notes', 1, 1],
      ['2026-01-15', 'notes', 1, 1],
    ]);
  });

  it('have the names of the four newest files, each once', async () => {
    for (let seq = 1; seq <= 6; seq += 1) testLog.fileNames.set(seq, `${seq}.png`);
    const download = (seq: number) =>
      write({ action: 'GET /storage/:fileId', records: new Map([['files:photos', [seq]]]) });
    for (const seq of [1, 1, 2, 3, 4, 5]) await download(seq);
    const { groups } = await pageOf();
    expect(groups).toHaveLength(1);
    expect(groups[0]?.row.files.map(({ name }) => name)).toEqual(['5.png', '4.png', '3.png', '2.png']);
  });

  it('are grouped by the person with whom something is shared', async () => {
    const share = (person: string) =>
      write({
        who: { kind: 'owner', name: '' },
        action: 'POST /api/v2.6/owner/shared-folders',
        consent: { kind: 'folder', name: 'Trips', detail: person },
      });
    const idsOfGrace = [await share('Grace'), await share('Grace')];
    await share('Alan');
    const { groups } = await pageOf();
    expect(groups.map(({ row, entries }) => [row.consent?.detail, entries])).toEqual([
      ['Alan', 1],
      ['Grace', 2],
    ]);
    const { rows } = await testLog.accessLog.list({ alike: idsOfGrace[1], take: 50 });
    expect(rows.map(({ id }) => id)).toEqual(idsOfGrace.toReversed());
  });

  it('can be listed individually, by a row of their group', async () => {
    const expectedIds = [await write({ records: recordsWith(1) })];
    await write({ who: { kind: 'application', name: 'other' } });
    expectedIds.unshift(await write({ records: recordsWith(2) }));
    testLog.clock.advance(24 * HOUR_MS);
    await write({ records: recordsWith(3) });
    const group = (await pageOf()).groups.find(({ entries }) => entries === 2);
    if (group === undefined) throw new Error('there is no group of two');
    const { id } = group.row;
    const { rows } = await testLog.accessLog.list({ alike: id, after: group.oldest - 1, before: id + 1, take: 50 });
    expect(rows.map((row) => row.id)).toEqual(expectedIds);
  });
});

describe('the pages of groups', () => {
  it('contain each entry once, even if a page ends within a day', async () => {
    const COUNT = 130;
    await testLog.writer.write((tx) => {
      for (let index = 0; index < COUNT; index += 1)
        for (let repeat = 0; repeat < 2; repeat += 1)
          testLog.accessLog.record(tx, anEntry({ who: { kind: 'application', name: `app-${index}` } }));
    });
    const entries = new Map<string, number>();
    let pages = 0;
    for (let before: number | undefined, isLast = false; !isLast; pages += 1) {
      const { groups, next } = await pageOf(before === undefined ? {} : { before });
      expect(groups.length).toBeLessThanOrEqual(50);
      for (const group of groups)
        entries.set(group.row.who.name, (entries.get(group.row.who.name) ?? 0) + group.entries);
      isLast = next === null;
      before = next ?? undefined;
    }
    expect(pages).toBe(3);
    expect(entries.size).toBe(COUNT);
    expect([...entries.values()].every((count) => count === 2)).toBe(true);
  });

  it.skipIf(!IS_THOROUGH_RUN)('cover at most 20,000 entries each', async () => {
    await testLog.writer.write((tx) => {
      for (let index = 0; index < 20_500; index += 1) testLog.accessLog.record(tx, anEntry());
    });
    const firstPage = await pageOf();
    expect(firstPage.groups.map(({ entries }) => entries)).toEqual([20_000]);
    if (firstPage.next === null) throw new Error('there is no second page');
    expect((await pageOf({ before: firstPage.next })).groups.map(({ entries }) => entries)).toEqual([500]);
  });
});
