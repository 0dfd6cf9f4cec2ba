import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Failure } from '../../../platform/failure.ts';
import type { EndpointRow } from '../../core/endpoint-store.ts';
import type { DayCount, EndpointTime, RecordTimeline } from '../../data/queries/timeline/service.ts';
import { createTimelineService } from './service.ts';

const OWNER = { principal: { kind: 'owner', session: '' }, host: '' } as never;
const PAGE = { skip: 0, take: 50 };

const endpointRow = (path: string, records = 1): EndpointRow => ({
  id: path.length,
  path,
  records,
  bytes: 10,
  first_created: 0,
  last_created: 0,
  last_change: 0,
});

const daysOf = (count: number): Map<string, DayCount> => {
  const firstDay = Date.UTC(1900, 0, 1);
  const day = (n: number): string => new Date(firstDay + n * 86_400_000).toISOString().slice(0, 10);
  return new Map(Array.from({ length: count }, (_, n) => [day(n), { items: 1, first: n, last: n }]));
};

/** @param rows endpoints; each count of an endpoint takes `state.ms` */
const setUp = (rows: EndpointRow[]) => {
  const state = { ms: 0, fails: false, days: 1 };
  const timeOf = vi.fn<RecordTimeline['timeOf']>(async (): Promise<EndpointTime> => ({
    time: { path: 'date', format: 'iso' },
    isFeed: false,
  }));
  const count = vi.fn<RecordTimeline['count']>(async () => {
    vi.advanceTimersByTime(state.ms);
    if (state.fails) throw new Failure('query_limit_exceeded', 'too long');
    return daysOf(state.days);
  });
  const list = vi.fn(() => [...rows]);
  const timeline = createTimelineService({
    endpoints: { list, summary: (path) => rows.find((row) => row.path === path) },
    records: {
      timeOf,
      correctionCount: () => 0,
      count,
      listOnDay: async () => ({ items: [], more: true }),
      search: () => Promise.reject(new Error('not used')),
    },
    displayOf: (name) => ({ name, icon: null, colour: null }) as never,
    activitySources: [],
    events: { onTopic: () => () => undefined },
    clock: { now: () => Date.now() },
  });
  const change = (): void => rows.forEach((row) => (row.last_change = Date.now()));
  return { timeline, state, timeOf, count, list, change };
};

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the counts of an endpoint', () => {
  it('are cached, and dropped after several minutes without a request', async () => {
    const { timeline, count } = setUp([endpointRow('a/b')]);
    await timeline.readOverview(undefined);
    await timeline.readOverview(undefined);
    expect(count).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(10 * 60_000);
    await timeline.readOverview(undefined);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('are not updated for a while after a long count', async () => {
    const { timeline, state, count, change } = setUp([endpointRow('a/b')]);
    state.ms = 1000;
    expect((await timeline.readOverview(undefined)).counting).toBe(false);
    change();
    expect((await timeline.readOverview(undefined)).counting).toBe(true);
    expect(count).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(20_000);
    expect((await timeline.readOverview(undefined)).counting).toBe(false);
    expect(count).toHaveBeenCalledTimes(2);
  });

  it('are not repeated immediately after a failure', async () => {
    const { timeline, state, count, change } = setUp([endpointRow('a/b')]);
    Object.assign(state, { ms: 10_000, fails: true });
    expect((await timeline.readOverview(undefined)).leftOut).toEqual({
      total: 1,
      first: [{ source: 'a/b', name: 'a/b' }],
    });
    change();
    await timeline.readOverview(undefined);
    expect(await timeline.listItems('a/b', '1900-01-01', PAGE, OWNER)).toEqual({ items: [], more: false });
    expect(count).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(200_000);
    state.fails = false;
    expect((await timeline.readOverview(undefined)).leftOut.total).toBe(0);
  });

  it('use the time field that is inferred some seconds after a change', async () => {
    const { timeline, timeOf, count, change } = setUp([endpointRow('a/b')]);
    change();
    await timeline.readOverview(undefined);
    timeOf.mockResolvedValue({ time: undefined, isFeed: false });
    vi.advanceTimersByTime(10_000);
    expect((await timeline.readOverview(undefined)).sources).toMatchObject([{ time: 'stored' }]);
    expect(count).toHaveBeenCalledTimes(2);
    await timeline.readOverview(undefined);
    expect([timeOf.mock.calls.length, count.mock.calls.length]).toEqual([2, 2]);
  });

  it('are omitted beyond the limit on days until other endpoints are deleted', async () => {
    const rows = Array.from({ length: 6 }, (_, n) => endpointRow(`a/${'b'.repeat(n + 1)}`));
    const { timeline, state, count } = setUp(rows);
    state.days = 20_000;
    expect((await timeline.readOverview(undefined)).leftOut.total).toBe(1);
    expect((await timeline.readOverview(undefined)).leftOut.total).toBe(1);
    expect(count).toHaveBeenCalledTimes(6);
    rows.shift();
    expect((await timeline.readOverview(undefined)).leftOut.total).toBe(0);
    expect(count).toHaveBeenCalledTimes(7);
  });
});

describe('requests', () => {
  it('share one count if they arrive before it starts', async () => {
    const { timeline, list } = setUp([endpointRow('a/b')]);
    await Promise.all([
      timeline.readOverview(undefined),
      timeline.listDays('1900-01', undefined),
      timeline.listDays('1900-02', undefined),
    ]);
    expect(list).toHaveBeenCalledTimes(1);
  });

  it('for the items of an endpoint count only this endpoint', async () => {
    const { timeline, list, count } = setUp([endpointRow('a/b'), endpointRow('a/bc'), endpointRow('a/large', 6e6)]);
    expect(await timeline.listItems('a/b', '1900-01-01', PAGE, OWNER)).toEqual({ items: [], more: true });
    expect(await timeline.listItems('a/b', '1900-01-02', PAGE, OWNER)).toEqual({ items: [], more: false });
    expect(await timeline.listItems('a/large', '1900-01-01', PAGE, OWNER)).toEqual({ items: [], more: false });
    expect(list).not.toHaveBeenCalled();
    expect(count).toHaveBeenCalledTimes(1);
  });
});
