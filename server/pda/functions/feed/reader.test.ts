import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { feedPageSchema, type FeedPage } from '../../../wire/feed.ts';
import { nextPageAfter } from './reader.ts';

describe('nextPageAfter', () => {
  it('starts in the second of the last item and skips the items already returned', () => {
    expect(nextPageAfter([30, 20, 10], { until: 100, skip: 0 })).toEqual({ until: 10, skip: 1 });
    expect(nextPageAfter([30, 10, 10], { until: 100, skip: 0 })).toEqual({ until: 10, skip: 2 });
  });

  it('continues within one second', () => {
    expect(nextPageAfter([10, 10, 10], { until: 10, skip: 2 })).toEqual({ until: 10, skip: 5 });
  });

  it('counts items with fractional seconds', () => {
    expect(nextPageAfter([11, 10.9, 10.2], { until: 100, skip: 0 })).toEqual({ until: 11, skip: 3 });
  });

  it('returns null for an empty page', () => {
    expect(nextPageAfter([], { until: 10, skip: 0 })).toBeNull();
  });
});

describe("the owner's feed", () => {
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
  const page = async (query: string): Promise<FeedPage> => {
    const reply = await pda.call('GET', `/api/v2.6/owner/feed?since=-99999999999&${query}`);
    expect(reply.status).toBe(200);
    return feedPageSchema.parse(reply.json);
  };
  const titles = ({ entries }: FeedPage) => entries.map(({ item }) => item.title?.text);

  it('returns the record of each entry and the endpoints of the feed', async () => {
    await store('diary/days', entry(1000, 'a'), entry(3000, 'c'));
    await store('fitbit/feed', entry(2000, 'b'));
    await store('diary/plain', { text: 'no entry' });
    const fullPage = await page('until=4000');
    expect(titles(fullPage)).toEqual(['c', 'b', 'a']);
    expect(fullPage.endpoints.toSorted()).toEqual(['diary/days', 'fitbit/feed']);
    expect(fullPage.next).toBeNull();
    const record = await pda.call('GET', `/api/v2.6/owner/records/${fullPage.entries[1]?.recordId}`);
    expect(record.json).toMatchObject({ endpoint: 'fitbit/feed', data: { title: { text: 'b' } } });

    const diaryPage = await page('until=4000&endpoint=diary/days');
    expect(titles(diaryPage)).toEqual(['c', 'a']);
    // The list of endpoints is complete, even with a filter.
    expect(diaryPage.endpoints).toHaveLength(2);
  });

  it('returns each entry on exactly one page and skips other records', async () => {
    const entries = Array.from({ length: 23 }, (_, n) => entry(n < 9 ? 5000 : 5000 - n / 2, String(n)));
    await store('diary/days', { date: { unix: 4999.2 }, text: 'no entry, although it has a time' }, ...entries);
    const pagedTitles: (string | undefined)[] = [];
    let query = 'until=6000';
    for (let pages = 0; pages < 20; pages += 1) {
      const nextPage = await page(`${query}&take=4`);
      pagedTitles.push(...titles(nextPage));
      if (nextPage.next === null) break;
      query = `until=${nextPage.next.until}&skip=${nextPage.next.skip}`;
    }
    expect(pagedTitles).toHaveLength(23);
    expect(new Set(pagedTitles).size).toBe(23);
    expect(pagedTitles.at(-1)).toBe('22');
  });

  it('is available only to the owner', async () => {
    const reply = await pda.call('GET', '/api/v2.6/owner/feed', { token: '' });
    expect(reply.status).toBe(401);
  });
});
