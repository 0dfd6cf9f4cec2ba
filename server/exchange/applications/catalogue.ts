import { etagOf, withEtag, type TextWithEtag } from '../../platform/http/response/etag.ts';
import type { Clock } from '../../platform/clock.ts';
import { applicationSchema } from '../../wire/applications.ts';
import { applicationPropertiesSchema } from '../../wire/exchange.ts';
import type { Database } from '../storage/index.ts';
import { compareScopes, idKeyOf, matchesScope, withProperties } from './rules.ts';
import { listProperties, listPublicApplications, readCatalogueVersion, type PropertiesRow } from './store.ts';

const VERSION_CHECK_INTERVAL_MS = 1000;
const PAGE_ROWS = 500;
const CACHED_RESPONSES_MAX = 100;
const CACHED_RESPONSES_MAX_BYTES = 200_000_000;

export type CatalogueQuery = { kind?: string | undefined; startId?: string | undefined; limit?: number | undefined };

/** `text` is the application as JSON; queries compare the other fields. */
type CatalogueEntry = { kind: string; name: string; text: string };
type PropertyChange = Omit<PropertiesRow, 'properties'> & { text: string };
type Catalogue = {
  version: string;
  /** By id key, sorted. */
  entries: ReadonlyMap<string, CatalogueEntry>;
  idKeys: ReadonlySet<string>;
  changes: readonly PropertyChange[];
  responses: Map<string, TextWithEtag>;
  bytes: number;
};

const toEntry = (text: string): CatalogueEntry => {
  const { kind, info } = applicationSchema.parse(JSON.parse(text));
  return { kind: kind.kind, name: info.name.toLowerCase(), text };
};

/**
 * Creates a cache of the published applications as JSON. A new version in the database invalidates the caches of all
 * processes.
 */
export const createCatalogue = (parts: { database: Database; clock: Clock }) => {
  const { database, clock } = parts;
  let cachedCatalogue: Catalogue | undefined;
  let pendingRefresh: Promise<Catalogue> | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;

  const load = async (version: string): Promise<Catalogue> => {
    const loadedEntries: [string, CatalogueEntry][] = [];
    for (let after = ''; ;) {
      const rows = await database.run((db) => listPublicApplications(db, after, PAGE_ROWS));
      for (const { id_key: key, body } of rows) {
        // Reuse unchanged entries, because parsing is the most expensive step.
        const previous = cachedCatalogue?.entries.get(key);
        loadedEntries.push([key, previous?.text === body ? previous : toEntry(body)]);
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) break;
      after = last.id_key;
    }
    // Sorted by code unit, because the comparison with `startId` uses code units. The database's collation may differ.
    const entries = new Map(loadedEntries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const properties = await database.run(listProperties);
    const changes = properties.toSorted(compareScopes).map(({ properties: text, ...change }) => ({ ...change, text }));
    return { version, entries, idKeys: new Set(entries.keys()), changes, responses: new Map(), bytes: 0 };
  };

  const refresh = async (): Promise<Catalogue> => {
    // The version is read before the content, so that the next check detects a change between the two reads.
    const version = await database.run(readCatalogueVersion);
    return cachedCatalogue?.version === version ? cachedCatalogue : load(version);
  };

  const getCatalogue = (): Promise<Catalogue> => {
    const now = clock.now();
    if (cachedCatalogue !== undefined && Math.abs(now - checkedAt) < VERSION_CHECK_INTERVAL_MS)
      return Promise.resolve(cachedCatalogue);
    if (pendingRefresh !== undefined) return pendingRefresh;
    const newRefresh: Promise<Catalogue> = refresh()
      .then((catalogue) => {
        if (pendingRefresh === newRefresh) {
          cachedCatalogue = catalogue;
          checkedAt = now;
        }
        return catalogue;
      })
      .finally(() => {
        if (pendingRefresh === newRefresh) pendingRefresh = undefined;
      });
    pendingRefresh = newRefresh;
    return newRefresh;
  };

  const changesFor = (catalogue: Catalogue, address: string | null): PropertyChange[] =>
    catalogue.changes.filter((change) => matchesScope(change, address));

  const textFor = (entry: CatalogueEntry, key: string, changes: readonly PropertyChange[]): string => {
    const ownChanges = changes.filter((change) => change.id_key === key);
    if (ownChanges.length === 0) return entry.text;
    let application = applicationSchema.parse(JSON.parse(entry.text));
    for (const { text } of ownChanges) {
      application = withProperties(application, applicationPropertiesSchema.parse(JSON.parse(text)));
    }
    return JSON.stringify(application);
  };

  const cacheResponse = (catalogue: Catalogue, key: string, response: TextWithEtag): TextWithEtag => {
    const { responses } = catalogue;
    catalogue.bytes += response.text.length;
    for (const [oldestKey, { text }] of responses) {
      if (responses.size < CACHED_RESPONSES_MAX && catalogue.bytes <= CACHED_RESPONSES_MAX_BYTES) break;
      responses.delete(oldestKey);
      catalogue.bytes -= text.length;
    }
    responses.set(key, response);
    return response;
  };

  return {
    /** @param address the reading PDA's host[:port]; null for other readers */
    async list({ kind, startId, limit }: CatalogueQuery, address: string | null): Promise<TextWithEtag> {
      const catalogue = await getCatalogue();
      const changes = changesFor(catalogue, address);
      const startKey = startId === undefined ? '' : idKeyOf(startId);
      const cacheKey = JSON.stringify([
        kind ?? '',
        startKey,
        limit ?? null,
        changes.map(({ id_key: id, cluster, pda }) => [id, cluster, pda]),
      ]);
      const cachedResponse = catalogue.responses.get(cacheKey);
      if (cachedResponse !== undefined) return cachedResponse;
      const texts: string[] = [];
      for (const [key, entry] of catalogue.entries) {
        if (limit !== undefined && texts.length >= limit) break;
        if (key >= startKey && (kind === undefined || entry.kind === kind)) texts.push(textFor(entry, key, changes));
      }
      // Version and query determine the response in every process, so there is no need to hash megabytes of JSON.
      const etag = etagOf(`${catalogue.version} ${cacheKey}`);
      // A Buffer, so that the response is encoded once.
      return cacheResponse(catalogue, cacheKey, { text: Buffer.from(`[${texts.join(',')}]`), etag });
    },

    async get(id: string, address: string | null): Promise<TextWithEtag | undefined> {
      const catalogue = await getCatalogue();
      const key = idKeyOf(id);
      const entry = catalogue.entries.get(key);
      if (entry === undefined) return undefined;
      return withEtag(textFor(entry, key, changesFor(catalogue, address)));
    },

    listIdKeys: async (): Promise<ReadonlySet<string>> => (await getCatalogue()).idKeys,

    /**
     * Returns the id key of the application with this id or, if there is none, the id keys of all applications with
     * this name. Ignores case.
     */
    async findIdKeys(idOrName: string): Promise<string[]> {
      const { entries } = await getCatalogue();
      const key = idOrName.toLowerCase();
      if (entries.has(key)) return [key];
      return [...entries].filter(([, entry]) => entry.name === key).map(([idKey]) => idKey);
    },

    /** Must be called after the commit of a change by this process. */
    invalidate(): void {
      checkedAt = Number.NEGATIVE_INFINITY;
      // A refresh in progress may have read the state before the change.
      pendingRefresh = undefined;
    },
  };
};
