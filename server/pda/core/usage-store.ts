import type { Database, Transaction } from '../storage/index.ts';
import type { OriginKind } from './endpoint-store.ts';

/** Bytes of records that a creator has stored. `endpoints`: number of endpoints at which the creator has records. */
export type Usage = { kind: OriginKind; name: string; bytes: number; endpoints: number };

/** `isNewEndpoint`: true if the creator had no records at the endpoint before the change. */
export type ChangedUsage = Usage & { isNewEndpoint: boolean };

export type UsageChange = { endpoint: number; origin: number; bytes: number };

export type UsageStore = ReturnType<typeof createUsageStore>;

/**
 * Counters of stored bytes and of endpoints with records per creator, updated in the transaction that changes the
 * records. Deleting or restoring an endpoint subtracts or adds its counters as a whole, without reading its rows.
 */
export const createUsageStore = (db: Database) => {
  const addEndpointBytes = db
    .prepare<[UsageChange], number>(
      `INSERT INTO endpoint_usage (endpoint, kind, name, bytes)
       SELECT :endpoint, kind, name, :bytes FROM origins WHERE id = :origin
       ON CONFLICT (endpoint, kind, name) DO UPDATE SET bytes = bytes + excluded.bytes RETURNING bytes`,
    )
    .pluck();
  const addToSum = db.prepare<[{ origin: number; bytes: number; endpoints: number }], Usage>(
    `INSERT INTO record_usage (kind, name, bytes, endpoints)
     SELECT kind, name, :bytes, :endpoints FROM origins WHERE id = :origin
     ON CONFLICT (kind, name) DO UPDATE SET bytes = bytes + excluded.bytes, endpoints = endpoints + excluded.endpoints
     RETURNING kind, name, bytes, endpoints`,
  );
  // Deletes empty counters, so that the name of an application is not retained without records of that application.
  const dropEmptyOfEndpoint = db.prepare('DELETE FROM endpoint_usage WHERE endpoint = ? AND bytes <= 0');
  const dropEmptySums = db.prepare('DELETE FROM record_usage WHERE bytes <= 0');
  const exclude = db.prepare<[number]>(
    `UPDATE record_usage SET bytes = record_usage.bytes - part.bytes, endpoints = record_usage.endpoints - 1
     FROM endpoint_usage AS part WHERE part.endpoint = ? AND part.kind = record_usage.kind AND part.name = record_usage.name`,
  );
  const include = db.prepare<[number]>(
    `INSERT INTO record_usage (kind, name, bytes, endpoints) SELECT kind, name, bytes, 1 FROM endpoint_usage WHERE endpoint = ?
     ON CONFLICT (kind, name) DO UPDATE SET bytes = bytes + excluded.bytes, endpoints = endpoints + 1`,
  );
  const merge = db.prepare<[{ into: number; from: number }]>(
    `INSERT INTO endpoint_usage (endpoint, kind, name, bytes)
     SELECT :into, kind, name, bytes FROM endpoint_usage WHERE endpoint = :from
     ON CONFLICT (endpoint, kind, name) DO UPDATE SET bytes = bytes + excluded.bytes`,
  );
  const dropEndpoint = db.prepare('DELETE FROM endpoint_usage WHERE endpoint = ?');
  const sumBytes = db.prepare<[], number>('SELECT coalesce(sum(bytes), 0) FROM record_usage').pluck();
  const listLargest = db.prepare<[number], Usage>(
    `SELECT kind, name, bytes, endpoints FROM record_usage WHERE kind IN ('application', 'contract', 'function')
     ORDER BY bytes DESC, kind, name LIMIT ?`,
  );

  /** Adds a change to the counter of an endpoint. Returns the new bytes of the creator at the endpoint. */
  const addToEndpoint = (change: UsageChange): number => {
    const bytes = addEndpointBytes.get(change) ?? 0;
    if (bytes <= 0) dropEmptyOfEndpoint.run(change.endpoint);
    return bytes;
  };

  return {
    /** Adds bytes, which can be negative. Returns the new sums of the creator; undefined for an unknown origin. */
    add(_tx: Transaction, change: UsageChange): ChangedUsage | undefined {
      const { origin, bytes } = change;
      // JSON data has at least one byte, so a creator without bytes at an endpoint has no records there.
      const bytesAfter = addToEndpoint(change);
      const bytesBefore = bytesAfter - bytes;
      const isNewEndpoint = bytesBefore <= 0 && bytesAfter > 0;
      const hasLeftEndpoint = bytesBefore > 0 && bytesAfter <= 0;
      const usage = addToSum.get({ origin, bytes, endpoints: Number(isNewEndpoint) - Number(hasLeftEndpoint) });
      if (usage === undefined) return undefined;
      if (usage.bytes <= 0) dropEmptySums.run();
      return { ...usage, isNewEndpoint };
    },
    /** Adds a change at a deleted endpoint, which the sums exclude. */
    addToDeleted: (_tx: Transaction, change: UsageChange) => void addToEndpoint(change),
    /** Subtracts the counters of a deleted endpoint from the sums. */
    excludeEndpoint(_tx: Transaction, endpoint: number): void {
      exclude.run(endpoint);
      dropEmptySums.run();
    },
    /** Adds the counters of a restored endpoint to the sums. */
    includeEndpoint: (_tx: Transaction, endpoint: number) => void include.run(endpoint),
    /** Moves the counters of one deleted endpoint to another. */
    mergeDeleted(_tx: Transaction, endpoints: { into: number; from: number }): void {
      merge.run(endpoints);
      dropEndpoint.run(endpoints.from);
    },
    dropEndpoint: (_tx: Transaction, endpoint: number) => void dropEndpoint.run(endpoint),
    sumBytes: (): number => sumBytes.get() ?? 0,
    listLargest: (count: number): Usage[] => listLargest.all(count),
  };
};

/** Recounts the usage of all creators in a database whose rows were inserted without `createUsageStore`. */
export const countUsage = (db: Database): void => {
  db.exec(`
    DELETE FROM endpoint_usage;
    DELETE FROM record_usage;
    WITH sizes AS MATERIALIZED (SELECT endpoint, origin, octet_length(data) AS bytes FROM records)
    INSERT INTO endpoint_usage (endpoint, kind, name, bytes)
      SELECT endpoint, kind, name, sum(bytes) FROM sizes JOIN origins ON origins.id = sizes.origin GROUP BY endpoint, kind, name;
    INSERT INTO record_usage (kind, name, bytes, endpoints)
      SELECT kind, name, sum(endpoint_usage.bytes), count(*) FROM endpoint_usage JOIN endpoints ON endpoints.id = endpoint
      WHERE path IS NOT NULL GROUP BY kind, name;
  `);
};
