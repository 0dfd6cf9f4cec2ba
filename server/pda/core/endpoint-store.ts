import { setBounded } from '../../platform/limits/bounded-map.ts';
import { splitEndpoint } from '../../wire/display-name.ts';
import type { Database, Transaction } from '../storage/index.ts';
import { createUsageStore } from './usage-store.ts';

// Stores endpoints and origins. Their names are interned: a record contains only their ids. The caches are bounded and
// contain only committed rows.

export type OriginKind = 'owner' | 'application' | 'import' | 'function' | 'contract';
/** The origin of a record. `reference`: id of the function run or import that stored it. */
export type Origin = { kind: OriginKind; name: string; reference?: string };

/** Times are in Unix milliseconds. */
export type EndpointRow = {
  id: number;
  path: string;
  records: number;
  bytes: number;
  first_created: number | null;
  last_created: number | null;
  last_change: number | null;
};

/** Value of the column `deletion` of an endpoint that cannot be restored. Its rows are purged as soon as possible. */
export const PERMANENT_DELETION = 'for good';

const CACHED_ENDPOINTS_MAX = 10_000;
const CACHED_ORIGINS_MAX = 1000;
const CACHED_SUMMARIES_MAX = 1000;

export type EndpointStore = ReturnType<typeof createEndpointStore>;

export const createEndpointStore = (db: Database) => {
  const insertPath = db.prepare('INSERT INTO endpoints (path) VALUES (?)');
  const idOfPath = db.prepare<[string], number>('SELECT id FROM endpoints WHERE path = ?').pluck();
  const pathOfId = db.prepare<[number], string | null>('SELECT path FROM endpoints WHERE id = ?').pluck();
  const listAll = db.prepare<[], EndpointRow>(
    `SELECT id, path, records, bytes, first_created, last_created, last_change FROM endpoints
     WHERE path IS NOT NULL AND records > 0 ORDER BY path`,
  );
  const listPaths = db
    .prepare<[], string>('SELECT path FROM endpoints WHERE path IS NOT NULL AND records > 0 ORDER BY path')
    .pluck();
  const summaryOfPath = db.prepare<[string], EndpointRow>(
    'SELECT id, path, records, bytes, first_created, last_created, last_change FROM endpoints WHERE path = ?',
  );
  const hide = db.prepare('UPDATE endpoints SET path = NULL, deletion = ? WHERE id = ?');
  const show = db.prepare('UPDATE endpoints SET path = ?, deletion = NULL WHERE id = ?');
  // Reads the rows, because the column `records` is updated only at the end of a transaction.
  const dropEmpty = db
    .prepare<[{ id: number }], string>(
      `DELETE FROM endpoints WHERE id = :id AND path IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM records WHERE endpoint = :id)
         AND NOT EXISTS (SELECT 1 FROM import_keys WHERE endpoint = :id)
         AND NOT EXISTS (SELECT 1 FROM view_grants WHERE endpoint = :id)
         AND NOT EXISTS (SELECT 1 FROM query_indexes WHERE endpoint = :id)
       RETURNING path`,
    )
    .pluck();
  const usage = createUsageStore(db);
  const insertOrigin = db.prepare('INSERT INTO origins (kind, name, reference) VALUES (?, ?, ?)');
  const findOrigin = db
    .prepare<[string, string, string], number>('SELECT id FROM origins WHERE kind = ? AND name = ? AND reference = ?')
    .pluck();
  const originById = db.prepare<[number], Required<Origin>>('SELECT kind, name, reference FROM origins WHERE id = ?');

  const ids = new Map<string, number>();
  const paths = new Map<number, string>();
  const origins = new Map<string, number>();

  /** Version of the cached summaries. Unlike a query of a table, `total_changes()` needs no database lock. */
  const totalChanges = db.prepare<[], number>('SELECT total_changes()').pluck();
  const summaries = new Map<string, EndpointRow | undefined>();
  let summariesVersion = -1;

  const summary = (path: string): EndpointRow | undefined => {
    if (db.inTransaction) return summaryOfPath.get(path);
    const version = totalChanges.get() ?? 0;
    if (version !== summariesVersion || summaries.size > CACHED_SUMMARIES_MAX) summaries.clear();
    summariesVersion = version;
    const cached = summaries.get(path);
    if (cached !== undefined) return cached;
    const row = summaryOfPath.get(path);
    summaries.set(path, row);
    return row;
  };

  const cache = (path: string, id: number): void => {
    setBounded(ids, path, id, CACHED_ENDPOINTS_MAX);
    setBounded(paths, id, path, CACHED_ENDPOINTS_MAX);
  };

  /**
   * Evicts an endpoint that loses its path: immediately, because a stale hit would write into a deleted endpoint, and
   * again after the commit, when paths that are new in this transaction are cached.
   */
  const evict = (tx: Transaction, id: number, path: string | undefined): void => {
    const evictNow = (): void => {
      paths.delete(id);
      if (path !== undefined && ids.get(path) === id) ids.delete(path);
    };
    evictNow();
    tx.afterCommit(evictNow);
  };

  const find = (path: string): number | undefined => {
    const cached = ids.get(path);
    if (cached !== undefined) return cached;
    const id = idOfPath.get(path);
    // Inside a transaction the row may still be rolled back, so only committed rows are cached.
    if (id !== undefined && !db.inTransaction) cache(path, id);
    return id;
  };

  return {
    find,

    /** Returns the id of a path and assigns one to a new path. */
    intern(tx: Transaction, path: string): number {
      const cached = ids.get(path);
      if (cached !== undefined) return cached;
      const id = idOfPath.get(path) ?? Number(insertPath.run(path).lastInsertRowid);
      tx.afterCommit(() => cache(path, id));
      return id;
    },

    /** Returns the path of an endpoint; undefined if the endpoint was deleted. */
    pathOf(id: number): string | undefined {
      const cached = paths.get(id);
      if (cached !== undefined) return cached;
      const path = pathOfId.get(id) ?? undefined;
      if (path !== undefined && !db.inTransaction) cache(path, id);
      return path;
    },

    /** Returns the id of an origin and assigns one to a new origin. */
    internOrigin(tx: Transaction, origin: Origin): number {
      const reference = origin.reference ?? '';
      const key = `${origin.kind}\n${origin.name}\n${reference}`;
      const cached = origins.get(key);
      if (cached !== undefined) return cached;
      const id =
        findOrigin.get(origin.kind, origin.name, reference) ??
        Number(insertOrigin.run(origin.kind, origin.name, reference).lastInsertRowid);
      // Each function run is a separate origin that stores once, so its id would never be read from the cache.
      if (origin.kind !== 'function') tx.afterCommit(() => setBounded(origins, key, id, CACHED_ORIGINS_MAX));
      return id;
    },

    findOrigin: (origin: Origin): number | undefined =>
      findOrigin.get(origin.kind, origin.name, origin.reference ?? ''),
    /** Returns the origin with an id; the owner if the id is unknown. */
    originOf: (id: number): Required<Origin> => originById.get(id) ?? { kind: 'owner', name: 'owner', reference: '' },

    /** Returns the endpoints with records, in the order of their paths. */
    list: (): EndpointRow[] => listAll.all(),
    summary,

    /** Returns the names, without their namespace, of the endpoints with records, grouped by permitted namespace. */
    sources(isPermitted: (namespace: string) => boolean): Record<string, string[]> {
      const namesByNamespace: Record<string, string[]> = Object.create(null);
      const permissions = new Map<string, boolean>();
      for (const path of listPaths.all()) {
        const [namespace, name] = splitEndpoint(path);
        const hasPermission = permissions.get(namespace) ?? isPermitted(namespace);
        permissions.set(namespace, hasPermission);
        if (hasPermission) (namesByNamespace[namespace] ??= []).push(name);
      }
      return namesByNamespace;
    },

    /** Removes the path of an endpoint, so that its records are no longer accessible. `show` reverts this. */
    hide(tx: Transaction, id: number, deletion: string): void {
      const path = pathOfId.get(id) ?? undefined;
      hide.run(deletion, id);
      usage.excludeEndpoint(tx, id);
      evict(tx, id, path);
    },

    /**
     * Removes an endpoint without records. Keeps an endpoint to which import keys, shared views or query indexes refer,
     * and a hidden endpoint.
     */
    dropIfEmpty(tx: Transaction, id: number): void {
      const path = dropEmpty.get({ id });
      if (path !== undefined) evict(tx, id, path);
    },

    /** Gives a hidden endpoint a path again. */
    show(tx: Transaction, id: number, path: string): void {
      show.run(path, id);
      usage.includeEndpoint(tx, id);
      tx.afterCommit(() => cache(path, id));
    },
  };
};
