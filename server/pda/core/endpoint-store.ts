import type { Database, Transaction } from '../storage/index.ts';
import { createUsageStore } from './usage-store.ts';

/**
 * Stores endpoints and origins. Their names are interned: a record contains only their ids. The maps cache committed
 * rows only; a new path is looked up in the database until its transaction is committed.
 */

export type OriginKind = 'owner' | 'application' | 'import' | 'function' | 'contract';
/** The origin of a record. `reference`: id of the function run or import that stored it. */
export type Origin = { kind: OriginKind; name: string; reference?: string };

/** An endpoint with the number and the bytes of its records. Times are in Unix milliseconds. */
export type EndpointRow = {
  id: number;
  path: string;
  records: number;
  bytes: number;
  first_created: number | null;
  last_created: number | null;
  last_change: number | null;
};

const splitPath = (path: string): [namespace: string, name: string] => {
  const slash = path.indexOf('/');
  return [path.slice(0, slash), path.slice(slash + 1)];
};

/** Summaries that are cached between two changes of the database. */
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
  const summaryOfPath = db.prepare<[string], EndpointRow>(
    'SELECT id, path, records, bytes, first_created, last_created, last_change FROM endpoints WHERE path = ?',
  );
  const hide = db.prepare('UPDATE endpoints SET path = NULL, deletion = ? WHERE id = ?');
  const show = db.prepare('UPDATE endpoints SET path = ?, deletion = NULL WHERE id = ?');
  const usage = createUsageStore(db);
  const insertOrigin = db.prepare('INSERT INTO origins (kind, name, reference) VALUES (?, ?, ?)');
  const findOrigin = db
    .prepare<[string, string, string], number>('SELECT id FROM origins WHERE kind = ? AND name = ? AND reference = ?')
    .pluck();
  const originById = db.prepare<[number], Required<Origin>>('SELECT kind, name, reference FROM origins WHERE id = ?');

  const ids = new Map<string, number>();
  const paths = new Map<number, string>();
  const origins = new Map<string, number>();

  /**
   * Total of changed rows; invalidates the cached summaries. Unlike reading a row, reading it needs no database lock.
   */
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
    ids.set(path, id);
    paths.set(id, path);
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

    /** Returns the path with this id; undefined if the endpoint was deleted. */
    pathOf(id: number): string | undefined {
      const cached = paths.get(id);
      if (cached !== undefined) return cached;
      const path = pathOfId.get(id) ?? undefined;
      if (path !== undefined && !db.inTransaction) cache(path, id);
      return path;
    },

    /** Returns the id of an origin and assigns one to a new origin. */
    origin(tx: Transaction, origin: Origin): number {
      const reference = origin.reference ?? '';
      const key = `${origin.kind}\n${origin.name}\n${reference}`;
      const cached = origins.get(key);
      if (cached !== undefined) return cached;
      const id =
        findOrigin.get(origin.kind, origin.name, reference) ??
        Number(insertOrigin.run(origin.kind, origin.name, reference).lastInsertRowid);
      // Each function run is a separate origin that stores once, so caching it would be useless.
      if (origin.kind !== 'function') tx.afterCommit(() => origins.set(key, id));
      return id;
    },

    findOrigin: (origin: Origin): number | undefined =>
      findOrigin.get(origin.kind, origin.name, origin.reference ?? ''),
    originOf: (id: number): Required<Origin> => originById.get(id) ?? { kind: 'owner', name: 'owner', reference: '' },

    list: (): EndpointRow[] => listAll.all(),
    summary,

    /** Returns the endpoints of each permitted namespace, without the namespace. */
    sources(isPermitted: (namespace: string) => boolean): Record<string, string[]> {
      const namesByNamespace: Record<string, string[]> = Object.create(null);
      for (const { path } of listAll.iterate()) {
        const [namespace, name] = splitPath(path);
        if (!isPermitted(namespace)) continue;
        (namesByNamespace[namespace] ??= []).push(name);
      }
      return namesByNamespace;
    },

    /** Removes the path of an endpoint, so that its records are no longer accessible. The rows are deleted later. */
    hide(tx: Transaction, id: number, deletion: string): void {
      const path = pathOfId.get(id) ?? undefined;
      hide.run(deletion, id);
      usage.excludeEndpoint(tx, id);
      // Evicted immediately: a false miss costs one query, a false hit would write into a deleted endpoint. Evicted
      // again after the commit, which caches a path that is new in this transaction.
      const evict = (): void => {
        paths.delete(id);
        if (path !== undefined && ids.get(path) === id) ids.delete(path);
      };
      evict();
      tx.afterCommit(evict);
    },

    /** Restores the path of a hidden endpoint. */
    show(tx: Transaction, id: number, path: string): void {
      show.run(path, id);
      usage.includeEndpoint(tx, id);
      tx.afterCommit(() => cache(path, id));
    },
  };
};
