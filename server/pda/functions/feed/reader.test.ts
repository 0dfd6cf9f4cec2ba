import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { feedItemSchema, type FeedItem } from '../../../wire/feed.ts';

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
  const entry = (unix: number, text: string) => ({
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

  it('contains the entries of all endpoints or of one, newest first', async () => {
    await store('diary/days', entry(1000, 'a'), entry(3000, 'c'));
    await store('fitbit/feed', entry(2000, 'b'));
    await store('diary/plain', { text: 'no entry' });
    expect(titles(await feed('?since=0&until=4000'))).toEqual(['c', 'b', 'a']);
    expect(titles(await feed('/diary/days?since=0&until=4000'))).toEqual(['c', 'a']);
  });

  it('returns each entry on exactly one page and skips other records', async () => {
    const entries = Array.from({ length: 23 }, (_, n) => entry(n < 9 ? 5000 : 5000 - n / 2, String(n)));
    await store('diary/days', { date: { unix: 4999.2 }, text: 'no entry, although it has a time' }, ...entries);
    const pagedTitles: (string | undefined)[] = [];
    // 24 records.
    for (let skip = 0; skip < 24; skip += 4)
      pagedTitles.push(...titles(await feed(`?since=0&until=6000&take=4&skip=${skip}`)));
    expect(pagedTitles).toHaveLength(23);
    expect(new Set(pagedTitles).size).toBe(23);
    expect(pagedTitles.at(-1)).toBe('22');
  });
});
