import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { feedItemSchema, type FeedItem } from '../../../wire/feed.ts';
import { CHECKED_ENDPOINTS_PER_TURN, createFeed } from './reader.ts';

describe('the endpoints of the feed', () => {
  it('are checked in batches, only once while they are unchanged, and are left out after their deletion', async () => {
    const item = JSON.stringify({ source: 'x', date: { iso: '2026-01-01T00:00:00Z', unix: 1 }, types: ['note'] });
    const rowOf = (path: string) => ({
      id: 1,
      path,
      records: 1,
      bytes: item.length,
      first_created: 1,
      last_created: 1,
      last_change: 1,
    });
    let rows = Array.from({ length: 3 * CHECKED_ENDPOINTS_PER_TURN }, (_, n) => rowOf(`many/${n}`));
    const checkedPaths: string[] = [];
    const feed = createFeed({
      queries: { read: () => Promise.resolve('[]') },
      endpoints: { list: () => rows },
      newestRecordOf: (path) => {
        checkedPaths.push(path);
        return path === 'many/7' ? item : '1';
      },
      reconcileIndexes: () => undefined,
    });
    const readItems = (): Promise<FeedItem[]> =>
      feed.items(undefined, { since: 0, until: 1, skip: 0, take: 0 }, undefined);
    const items = readItems();
    expect(checkedPaths).toHaveLength(CHECKED_ENDPOINTS_PER_TURN);
    await items;
    expect(checkedPaths).toHaveLength(rows.length);
    await readItems();
    expect(checkedPaths).toHaveLength(rows.length);
    expect(feed.bundles()[0]?.bundle['feed']?.endpoints.map(({ endpoint }) => endpoint)).toEqual(['many/7']);

    rows = [rowOf('many/other')];
    await readItems();
    expect(checkedPaths.at(-1)).toBe('many/other');
    expect(feed.bundles()).toEqual([]);
  });
});

describe('the feed', () => {
  let pda: TestPda;
  beforeEach(async () => {
    pda = await startTestPda();
  });
  afterEach(() => pda.close());

  const store = async (endpoint: string, ...records: unknown[]): Promise<void> => {
    const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: records });
    expect(reply.status).toBe(201);
  };
  const itemAt = (unix: number, text: string) => ({
    source: 'test',
    date: { iso: new Date(unix * 1000).toISOString(), unix },
    types: ['note'],
    title: { text },
  });
  const feed = async (path: string): Promise<FeedItem[]> => {
    const reply = await pda.call('GET', `/api/v2.6/she/feed${path}`);
    expect(reply.status).toBe(200);
    return z.array(feedItemSchema).parse(reply.json);
  };
  const titles = (items: readonly FeedItem[]) => items.map(({ title }) => title?.text);

  it('contains the items of all endpoints or of one, newest first', async () => {
    await store('diary/days', itemAt(1000, 'a'), itemAt(3000, 'c'));
    await store('fitbit/feed', itemAt(2000, 'b'));
    await store('diary/plain', { text: 'no item' });
    expect(titles(await feed('?since=0&until=4000'))).toEqual(['c', 'b', 'a']);
    expect(titles(await feed('/diary/days?since=0&until=4000'))).toEqual(['c', 'a']);
  });

  it('returns each item on exactly one page and skips other records', async () => {
    const items = Array.from({ length: 23 }, (_, n) => itemAt(n < 9 ? 5000 : 5000 - n / 2, String(n)));
    await store('diary/days', { date: { unix: 4999.2 }, text: 'no item, although it has a time' }, ...items);
    const pagedTitles: (string | undefined)[] = [];
    // The endpoint has 23 items and one other record.
    for (let skip = 0; skip < 24; skip += 4)
      pagedTitles.push(...titles(await feed(`?since=0&until=6000&take=4&skip=${skip}`)));
    expect(pagedTitles).toHaveLength(23);
    expect(new Set(pagedTitles).size).toBe(23);
    expect(pagedTitles.at(-1)).toBe('22');
  });
});
