import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import { feedItemSchema, type FeedItem, type FeedPage } from '../../../wire/feed.ts';
import { MAX_COMBINATOR_ENTRIES, type CombinatorEntry, type NamedBundle } from '../../../wire/query.ts';
import { z } from 'zod';
import type { QueryService } from '../../data/queries/service.ts';
import type { Endpoints } from '../../data/records/service.ts';

/**
 * The feed: records that have the shape of feed items, whatever stored them. An endpoint belongs to the feed when its newest
 * record has that shape; other records of the endpoint are left out.
 */
export type Feed = {
  /** Newest first. @param endpoint undefined: of all endpoints that belong to it */
  items(endpoint: string | undefined, window: FeedWindow, guest: NonOwnerReader | undefined): Promise<FeedItem[]>;
  /** Items with their record ids, and where the next page begins. */
  page(endpoint: string | undefined, window: FeedWindow, guest: NonOwnerReader | undefined): Promise<FeedPage>;
  /** What it reads, for the indexes that it takes. */
  bundles(): NamedBundle[];
};

/** Unix seconds, both ends included. */
export type FeedWindow = { since: number; until: number; skip: number; take: number };

const DATE = 'date.unix';
/** Bytes of a record that can be an item of the feed. */
export const MAX_FEED_ITEM_BYTES = 64_000;
/** Characters of the records of one answer: they are parsed on the main thread. */
const MAX_FEED_CHARS = 1_000_000;
/** Oversized records between feed items that one response skips at most. */
const MAX_PASSED_OVER = 50;
/** Both ends of the operator are exclusive; times are never that close. */
const JUST = 0.000_001;

/** Whatever else is in it, it has the time by which it was found. */
const recordsSchema = z.array(
  z.object({
    endpoint: z.string(),
    recordId: z.string(),
    data: z.looseObject({ date: z.looseObject({ unix: z.number() }) }),
  }),
);

const entryFor = (endpoint: string, since: number, until: number): CombinatorEntry => ({
  endpoint,
  filters: [{ field: DATE, operator: { operator: 'between', lower: since - JUST, upper: until + JUST } }],
});

/** Where the records after these begin, newest first. Windows are whole seconds: several can be of one, or between two. */
export const placeAfter = (times: readonly number[], before: Pick<FeedWindow, 'until' | 'skip'>): FeedPage['next'] => {
  const last = times.at(-1);
  if (last === undefined) return null;
  const until = Math.ceil(last);
  const skip = times.filter((time) => time <= until).length;
  return until === before.until ? { until, skip: before.skip + skip } : { until, skip };
};

const isItem = (text: string | undefined): boolean =>
  text !== undefined && feedItemSchema.safeParse(JSON.parse(text)).success;

export const createFeed = (parts: {
  queries: QueryService;
  endpoints: Pick<Endpoints, 'list'>;
  /** The newest record of an endpoint as it is stored. */
  newestAt: (endpoint: string) => string | undefined;
  settleIndexes: () => void;
}): Feed => {
  const { queries, endpoints, newestAt } = parts;
  /** What an endpoint was found to be, and what it held then. */
  const known = new Map<string, { held: string; belongs: boolean }>();

  const belonging = (): string[] => {
    const found: string[] = [];
    let changed = false;
    for (const { path, records, last_change: lastChange } of endpoints.list()) {
      const held = `${records} ${lastChange}`;
      let one = known.get(path);
      if (one?.held !== held) {
        const belongs = isItem(newestAt(path));
        changed ||= belongs !== (one?.belongs ?? false);
        known.set(path, (one = { held, belongs }));
      }
      if (one.belongs) found.push(path);
    }
    if (changed) parts.settleIndexes();
    return found.slice(0, MAX_COMBINATOR_ENTRIES);
  };

  /** Of the endpoints: what lies in the window, of any shape. */
  const read = async (paths: readonly string[], window: FeedWindow, guest: NonOwnerReader | undefined) => {
    const { since, until, skip, take } = window;
    if (paths.length === 0 || take === 0 || since > until) return { records: [], taken: take, skipped: 0 };
    const asked = paths.map((path) => entryFor(path, since, until));
    for (let skipped = 0; skipped < MAX_PASSED_OVER; skipped += 1) {
      const found = await gather(asked, { since, until, skip: skip + skipped, take }, guest);
      if (found !== undefined)
        return { records: recordsSchema.parse(JSON.parse(found.text)), taken: found.taken, skipped };
    }
    return { records: [], taken: take, skipped: MAX_PASSED_OVER };
  };

  /**
   * As many as are asked for, or half of them, or half of those: what one answer can hold.
   * @returns undefined when the first record alone is more than that
   */
  const gather = async (
    asked: readonly CombinatorEntry[],
    { skip, take }: FeedWindow,
    guest: NonOwnerReader | undefined,
  ): Promise<{ text: string; taken: number } | undefined> => {
    for (let taken = take; ; taken = Math.max(1, Math.floor(taken / 2))) {
      // Records that were read but not returned are not logged.
      const read: [string, readonly number[]][] = [];
      const reader: NonOwnerReader | undefined = guest && {
        recordReads: (endpoint, places) => void read.push([endpoint, [...places]]),
        longRead: guest.longRead,
      };
      const options = { orderBy: DATE, ordering: 'descending', skip, take: taken, nonOwner: reader } as const;
      const text = await queries.read(asked, options);
      const pieces: string[] = [];
      let length = 0;
      for await (const piece of typeof text === 'string' ? [text] : text) {
        length += piece.length;
        if (length > MAX_FEED_CHARS) break;
        pieces.push(piece);
      }
      if (length > MAX_FEED_CHARS && taken === 1) return undefined;
      if (length > MAX_FEED_CHARS) continue;
      for (const [endpoint, places] of read) guest?.recordReads(endpoint, places);
      return { text: pieces.join(''), taken };
    }
  };

  const page: Feed['page'] = async (endpoint, window, guest) => {
    const endpointsOfFeed = belonging();
    const { records, taken, skipped } = await read(
      endpoint === undefined ? endpointsOfFeed : [endpoint],
      window,
      guest,
    );
    return {
      endpoints: endpointsOfFeed,
      entries: records.flatMap(({ data, ...record }) => {
        const item = feedItemSchema.safeParse(data);
        return item.success ? [{ ...record, item: item.data }] : [];
      }),
      next:
        records.length < taken || taken === 0
          ? null
          : placeAfter(
              records.map(({ data }) => data.date.unix),
              { ...window, skip: window.skip + skipped },
            ),
    };
  };

  return {
    page,
    items: async (endpoint, window, guest) => (await page(endpoint, window, guest)).entries.map(({ item }) => item),

    bundles() {
      // An endpoint that is gone must not get a number again for the sake of an index: its name was taken away with it.
      const here = new Set(endpoints.list().map(({ path }) => path));
      for (const path of known.keys()) if (!here.has(path)) known.delete(path);
      const paths = [...known].flatMap(([path, { belongs }]) => (belongs ? [path] : []));
      if (paths.length === 0) return [];
      const entries = paths.slice(0, MAX_COMBINATOR_ENTRIES).map((path) => entryFor(path, 0, 1));
      return [{ name: 'feed', bundle: { feed: { endpoints: entries, orderBy: DATE } } }];
    },
  };
};
