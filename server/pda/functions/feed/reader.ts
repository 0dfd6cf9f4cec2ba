import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import { feedItemSchema, type FeedItem } from '../../../wire/feed.ts';
import { MAX_COMBINATOR_ENTRIES, type CombinatorEntry, type NamedBundle } from '../../../wire/query.ts';
import { z } from 'zod';
import type { QueryService } from '../../data/queries/service.ts';
import type { Endpoints } from '../../data/records/service.ts';

/**
 * The feed contains the records of up to `MAX_COMBINATOR_ENTRIES` endpoints whose newest record has the shape of a feed
 * item. Records with a different shape are skipped.
 */
export type Feed = {
  /** Returns the items of a page, newest first. @param endpoint undefined for all endpoints of the feed */
  items(endpoint: string | undefined, window: FeedWindow, reader: NonOwnerReader | undefined): Promise<FeedItem[]>;
  /** Returns the bundle that the feed reads, if any, so that the index manager builds its indexes. */
  bundles(): NamedBundle[];
};

/** Time span of the feed in Unix seconds, both ends inclusive, and the page within it. */
export type FeedWindow = { since: number; until: number; skip: number; take: number };

const DATE_FIELD = 'date.unix';
export const MAX_FEED_ITEM_BYTES = 64_000;
/** Maximum number of characters of the records in one response, because they are parsed on the main thread. */
const MAX_FEED_CHARS = 1_000_000;
const MAX_SKIPPED_RECORDS = 50;
export const CHECKED_ENDPOINTS_PER_TURN = 10;
/** Widens the window by a microsecond at both ends, because the bounds of `between` are exclusive. */
const EPSILON_S = 0.000_001;

/** Within `data`, validates only the time by which the records were selected. */
const recordsSchema = z.array(
  z.object({
    endpoint: z.string(),
    recordId: z.string(),
    data: z.looseObject({ date: z.looseObject({ unix: z.number() }) }),
  }),
);

const entryFor = (endpoint: string, since: number, until: number): CombinatorEntry => ({
  endpoint,
  filters: [
    { field: DATE_FIELD, operator: { operator: 'between', lower: since - EPSILON_S, upper: until + EPSILON_S } },
  ],
});

const isFeedItem = (text: string | undefined): boolean =>
  text !== undefined && feedItemSchema.safeParse(JSON.parse(text)).success;

export const createFeed = (parts: {
  queries: Pick<QueryService, 'read'>;
  endpoints: Pick<Endpoints, 'list'>;
  newestRecordOf: (endpoint: string) => string | undefined;
  reconcileIndexes: () => void;
}): Feed => {
  const { queries, endpoints, newestRecordOf } = parts;
  const classifications = new Map<string, { state: string; isFeed: boolean }>();

  const dropMissing = (rows: readonly { path: string }[]): void => {
    const existing = new Set(rows.map(({ path }) => path));
    for (const path of classifications.keys()) if (!existing.has(path)) classifications.delete(path);
  };

  const findFeedEndpoints = async (): Promise<string[]> => {
    const rows = endpoints.list();
    const paths: string[] = [];
    let hasChanged = false;
    let checkedCount = 0;
    for (const { path, records, last_change: lastChange } of rows) {
      const state = `${records} ${lastChange}`;
      let entry = classifications.get(path);
      if (entry?.state !== state) {
        if (checkedCount > 0 && checkedCount % CHECKED_ENDPOINTS_PER_TURN === 0) await nextTurn();
        checkedCount += 1;
        const isFeed = isFeedItem(newestRecordOf(path));
        hasChanged ||= isFeed !== (entry?.isFeed ?? false);
        classifications.set(path, (entry = { state, isFeed }));
      }
      if (entry.isFeed) paths.push(path);
    }
    if (classifications.size > rows.length) dropMissing(rows);
    if (hasChanged) parts.reconcileIndexes();
    return paths.slice(0, MAX_COMBINATOR_ENTRIES);
  };

  /**
   * Reads a page, including records that are not feed items. Skips up to `MAX_SKIPPED_RECORDS` records at its start
   * that are too large for a response.
   */
  const readWindow = async (paths: readonly string[], window: FeedWindow, reader: NonOwnerReader | undefined) => {
    const { since, until, skip, take } = window;
    if (paths.length === 0 || take === 0 || since > until) return [];
    const entries = paths.map((path) => entryFor(path, since, until));
    for (let skipped = 0; skipped < MAX_SKIPPED_RECORDS; skipped += 1) {
      const pageJson = await readFitting(entries, { skip: skip + skipped, take }, reader);
      if (pageJson !== undefined) return recordsSchema.parse(JSON.parse(pageJson));
    }
    return [];
  };

  /** Reads records, fewer if they do not fit into one response. Returns undefined if the first one is too large. */
  const readFitting = async (
    entries: readonly CombinatorEntry[],
    { skip, take }: Pick<FeedWindow, 'skip' | 'take'>,
    reader: NonOwnerReader | undefined,
  ): Promise<string | undefined> => {
    for (let requestedCount = take; ; requestedCount = Math.max(1, Math.floor(requestedCount / 2))) {
      // Reads whose result is discarded must not be logged.
      const reads: [string, readonly number[]][] = [];
      const deferredReader: NonOwnerReader | undefined = reader && {
        recordReads: (endpoint, seqs) => void reads.push([endpoint, [...seqs]]),
        admitLongRead: reader.admitLongRead,
      };
      const options = {
        orderBy: DATE_FIELD,
        ordering: 'descending',
        skip,
        take: requestedCount,
        nonOwner: deferredReader,
      } as const;
      const text = await queries.read(entries, options);
      const chunks: string[] = [];
      let length = 0;
      for await (const chunk of typeof text === 'string' ? [text] : text) {
        length += chunk.length;
        if (length > MAX_FEED_CHARS) break;
        chunks.push(chunk);
      }
      if (length > MAX_FEED_CHARS && requestedCount === 1) return undefined;
      if (length > MAX_FEED_CHARS) continue;
      for (const [endpoint, seqs] of reads) reader?.recordReads(endpoint, seqs);
      return chunks.join('');
    }
  };

  return {
    async items(endpoint, window, reader) {
      const paths = await findFeedEndpoints();
      const records = await readWindow(endpoint === undefined ? paths : [endpoint], window, reader);
      return records.flatMap(({ data }) => {
        const item = feedItemSchema.safeParse(data);
        return item.success ? [item.data] : [];
      });
    },

    bundles() {
      // Building an index of a deleted endpoint would intern its name again.
      dropMissing(endpoints.list());
      const paths = [...classifications].flatMap(([path, { isFeed }]) => (isFeed ? [path] : []));
      if (paths.length === 0) return [];
      const entries = paths.slice(0, MAX_COMBINATOR_ENTRIES).map((path) => entryFor(path, 0, 1));
      return [{ name: 'feed', bundle: { feed: { endpoints: entries, orderBy: DATE_FIELD } } }];
    },
  };
};
