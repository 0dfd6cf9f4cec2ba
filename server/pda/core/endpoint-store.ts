import type { Database, Transaction } from '../storage/index.ts';
import { createUsageStore } from './usage-store.ts';

/**
 * Endpoint paths and origins are interned: a record carries two small numbers. The maps below hold what is committed; inside a
 * transaction a new path is looked up in the database until its commit.
 */

export type OriginKind = 'owner' | 'application' | 'import' | 'function' | 'contract';
export type Origin = { kind: OriginKind; name: string; reference?: string };

export type EndpointRow = {
  id: number;
  path: string;
  records: number;
  bytes: number;
  first_created: number | null;
  last_created: number | null;
  last_change: number | null;
};

const splitPath = (path: string): [namespace: string, rest: string] => {
  const slash = path.indexOf('/');
  return [path.slice(0, slash), path.slice(slash + 1)];
};

/** Summaries kept between two changes. */
const MAX_SUMMARIES = 1000;

export type EndpointStore = ReturnType<typeof createEndpointStore>;

export const createEndpointStore = (db: Database) => {
  const insertPath = db.prepare('INSERT INTO endpoints (path) VALUES (?)');
  const findPath = db.prepare<[string], number>('SELECT id FROM endpoints WHERE path = ?').pluck();
  const pathOfId = db.prepare<[number], string | null>('SELECT path FROM endpoints WHERE id = ?').pluck();
  const listAll = db.prepare<[], EndpointRow>(
    `SELECT id, path, records, bytes, first_created, last_created, last_change FROM endpoints
     WHERE path IS NOT NULL AND records > 0 ORDER BY path`,
  );
  const one = db.prepare<[string], EndpointRow>(
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

  /** Counts of endpoints as of the last change. Asking what changed needs no lock on the database, reading a row does. */
  const changes = db.prepare<[], number>('SELECT total_changes()').pluck();
  const summaries = new Map<string, EndpointRow | undefined>();
  let asOf = -1;

  const summary = (path: string): EndpointRow | undefined => {
    if (db.inTransaction) return one.get(path);
    const now = changes.get() ?? 0;
    if (now !== asOf || summaries.size > MAX_SUMMARIES) summaries.clear();
    asOf = now;
    const known = summaries.get(path);
    if (known !== undefined) return known;
    const row = one.get(path);
    summaries.set(path, row);
    return row;
  };

  const remember = (path: string, id: number): void => {
    ids.set(path, id);
    paths.set(id, path);
  };

  const find = (path: string): number | undefined => {
    const known = ids.get(path);
    if (known !== undefined) return known;
    const id = findPath.get(path);
    // Inside a transaction the row may still be rolled back, so only committed rows are cached.
    if (id !== undefined && !db.inTransaction) remember(path, id);
    return id;
  };

  return {
    find,

    /** The number of a path, made when it is new. */
    intern(tx: Transaction, path: string): number {
      const known = ids.get(path);
      if (known !== undefined) return known;
      const id = findPath.get(path) ?? Number(insertPath.run(path).lastInsertRowid);
      tx.afterCommit(() => remember(path, id));
      return id;
    },

    /** The path of a number, or undefined when it was deleted. */
    pathOf(id: number): string | undefined {
      const known = paths.get(id);
      if (known !== undefined) return known;
      const path = pathOfId.get(id) ?? undefined;
      if (path !== undefined && !db.inTransaction) remember(path, id);
      return path;
    },

    origin(tx: Transaction, origin: Origin): number {
      const reference = origin.reference ?? '';
      const key = `${origin.kind}\n${origin.name}\n${reference}`;
      const known = origins.get(key);
      if (known !== undefined) return known;
      const id =
        findOrigin.get(origin.kind, origin.name, reference) ??
        Number(insertOrigin.run(origin.kind, origin.name, reference).lastInsertRowid);
      // Each function run is a separate origin that stores once, so caching it has no use.
      if (origin.kind !== 'function') tx.afterCommit(() => origins.set(key, id));
      return id;
    },

    findOrigin: (origin: Origin): number | undefined =>
      findOrigin.get(origin.kind, origin.name, origin.reference ?? ''),
    originOf: (id: number): Required<Origin> => originById.get(id) ?? { kind: 'owner', name: 'owner', reference: '' },

    list: (): EndpointRow[] => listAll.all(),
    summary,

    /** namespace -> the rest of each endpoint in it */
    sources(mayKnow: (namespace: string) => boolean): Record<string, string[]> {
      const result: Record<string, string[]> = Object.create(null);
      for (const { path } of listAll.iterate()) {
        const [namespace, rest] = splitPath(path);
        if (!mayKnow(namespace)) continue;
        (result[namespace] ??= []).push(rest);
      }
      return result;
    },

    /** Takes the path away from an endpoint at once, however much it holds; its rows go later. */
    hide(tx: Transaction, id: number, deletion: string): void {
      const path = pathOfId.get(id) ?? undefined;
      hide.run(deletion, id);
      usage.excludeEndpoint(tx, id);
      // Forgotten at once: a wrong miss costs one look-up, a wrong hit would write into what was deleted. And once more after
      // the commit, where a path that was new in this very transaction has just been remembered.
      const forget = (): void => {
        paths.delete(id);
        if (path !== undefined && ids.get(path) === id) ids.delete(path);
      };
      forget();
      tx.afterCommit(forget);
    },

    show(tx: Transaction, id: number, path: string): void {
      show.run(path, id);
      usage.includeEndpoint(tx, id);
      tx.afterCommit(() => remember(path, id));
    },
  };
};
