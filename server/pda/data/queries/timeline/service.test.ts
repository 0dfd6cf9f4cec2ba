import { describe, expect, it, vi } from 'vitest';
import { createRecordTimeline } from './service.ts';
import { EXAMINED_MATCHES_MAX, type DatedRecordRow, type RecordTimelineStore } from './store.ts';

const ID = '00000000-0000-4000-8000-000000000000';
const rowOf = (seq: number, time: string): DatedRecordRow => ({ seq, recordId: ID, time, data: `{"seq":${seq}}` });

const setUp = (store: Partial<RecordTimelineStore>, enabled = true) =>
  createRecordTimeline({
    store: store as RecordTimelineStore,
    // Each page has 10 records.
    charts: { pageStart: async (_endpoint, before) => (before > 10 ? before - 10 : undefined) },
    searchStore: { settings: () => ({ enabled, excludedSources: [], fileTexts: true }), isComplete: () => true },
    fieldsOf: async () => ({ fields: [] }) as never,
    correctionCount: () => 0,
  });

describe('a search', () => {
  it('reports that there may be more matches if the newest ones are at other endpoints', async () => {
    const findMatches = vi.fn<RecordTimelineStore['findMatches']>(async () => ({
      rows: [],
      examined: EXAMINED_MATCHES_MAX,
    }));
    expect(await setUp({ findMatches }).search('bread', 'a/b')).toMatchObject({ matches: [], more: true });
    findMatches.mockResolvedValue({ rows: [], examined: EXAMINED_MATCHES_MAX - 1 });
    expect(await setUp({ findMatches }, false).search('bread', 'a/b')).toMatchObject({ more: false, enabled: false });
  });

  it('counts matches without a time, and returns only valid times of day', async () => {
    const findMatches = async () => ({
      rows: [1, 2, 3].map((seq) => ({ seq, id: 7, path: 'a/b' })),
      examined: 3,
    });
    const readBySeqs = async () => [rowOf(1, '2026-03-01 😀😀😀😀😀'), rowOf(2, '2026-03-01 08:30')];
    const { matches: timelineMatches, undated } = await setUp({ findMatches, readBySeqs }).search('bread', undefined);
    expect(timelineMatches.map(({ item }) => item.time)).toEqual(['2026-03-01', '2026-03-01 08:30']);
    expect(undated).toBe(1);
  });
});

describe('the records of a day', () => {
  it('are read page by page, the latest first', async () => {
    // Record n is at minute n % 10.
    const times = Array.from({ length: 40 }, (_, seq) => ({ seq, time: `2026-03-01 00:0${seq % 10}` }));
    const readLatestOnDay = vi.fn<RecordTimelineStore['readLatestOnDay']>(
      async (_endpoint, _time, { from, before, take }) =>
        times
          .slice(from, before)
          .toSorted((a, b) => (a.time === b.time ? b.seq - a.seq : a.time < b.time ? 1 : -1))
          .slice(0, take),
    );
    const readBySeqs = async (_endpoint: number, _time: unknown, seqs: readonly number[]) =>
      seqs.toSorted((a, b) => a - b).map((seq) => rowOf(seq, times[seq]?.time ?? ''));
    const page = (skip: number) =>
      setUp({ readLatestOnDay, readBySeqs }).listOnDay(
        1,
        undefined,
        '2026-03-01',
        { items: 35, first: 5, last: 39 },
        { skip, take: 3 },
      );
    const firstPage = await page(0);
    expect(firstPage.items.map(({ data }) => data)).toEqual([{ seq: 39 }, { seq: 29 }, { seq: 19 }]);
    expect(firstPage.more).toBe(true);
    expect(readLatestOnDay.mock.calls.map(([, , { from, before }]) => [from, before])).toEqual([
      [30, 40],
      [20, 30],
      [10, 20],
      [5, 10],
    ]);
    expect((await page(3)).items.map(({ data }) => data)).toEqual([{ seq: 9 }, { seq: 38 }, { seq: 28 }]);
    const lastPage = await page(33);
    expect([lastPage.items.length, lastPage.more]).toEqual([2, false]);
    expect(await page(35)).toEqual({ items: [], more: false });
  });
});
