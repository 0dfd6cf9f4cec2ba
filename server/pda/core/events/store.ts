import type { Database, Transaction } from '../../storage/index.ts';

/** A change to the records of one endpoint. Times are in Unix milliseconds. */
export type DataEvent = {
  /** A moved record is `deleted` at its previous endpoint and `restored` at the new one. */
  kind: 'created' | 'updated' | 'deleted' | 'restored';
  endpoint: number;
  origin: number;
  count: number;
  firstSeq: number;
  lastSeq: number;
  /**
   * Sequence numbers of the records. Null if they are all records of the endpoint from `firstSeq` to `lastSeq`; empty
   * for a whole endpoint.
   */
  seqs: readonly number[] | null;
  /** Change in the number of bytes stored at the endpoint. */
  bytes: number;
  time: number;
  /** True if the whole endpoint was deleted or restored, which leaves its counts unchanged. */
  whole?: boolean;
  /** For a deletion: path of the endpoint before it, because a deleted endpoint may have none. */
  path?: string;
  /** Endpoint that was merged into this one. Its events in the same transaction count for this endpoint. */
  absorbs?: number;
};

export type StoredEvent = Pick<DataEvent, 'kind' | 'endpoint' | 'origin' | 'count' | 'firstSeq' | 'lastSeq'> & {
  seq: number;
  seqs: string | null;
};

const DAY_MS = 86_400_000;

export type EventStore = ReturnType<typeof createEventStore>;

export const createEventStore = (db: Database) => {
  const insert = db.prepare(
    'INSERT INTO events (time, kind, endpoint, origin, count, first_seq, last_seq, seqs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
  );
  const addToCounters = db.prepare(
    `UPDATE endpoints SET records = records + :records, bytes = bytes + :bytes, last_change = :time,
       first_created = CASE WHEN :created IS NULL THEN first_created ELSE coalesce(first_created, :created) END,
       last_created = coalesce(:created, last_created)
     WHERE id = :endpoint`,
  );
  // Deletions, restorations and moves can affect the first and the last record of an endpoint.
  const refreshDates = db.prepare<[{ endpoint: number }]>(
    `UPDATE endpoints SET
       first_created = (SELECT created FROM records WHERE endpoint = :endpoint ORDER BY seq LIMIT 1),
       last_created = (SELECT created FROM records WHERE endpoint = :endpoint ORDER BY seq DESC LIMIT 1)
     WHERE id = :endpoint`,
  );
  const addToActivity = db.prepare(
    'INSERT INTO activity (day, kind, count) VALUES (?, ?, ?) ON CONFLICT (day, kind) DO UPDATE SET count = count + excluded.count',
  );
  const selectNewestSeq = db.prepare<[], number | null>('SELECT max(seq) FROM events').pluck();
  const changedEndpoints = db.prepare<[number], { endpoint: number; seq: number }>(
    `SELECT endpoint, max(seq) AS seq FROM events WHERE seq > ? AND kind IN ('created', 'updated', 'restored') GROUP BY endpoint`,
  );
  const selectAfter = db.prepare<[number, number], StoredEvent>(
    `SELECT seq, kind, coalesce((SELECT endpoint FROM absorbed_endpoints WHERE id = events.endpoint), endpoint) AS endpoint,
       origin, count, first_seq AS firstSeq, last_seq AS lastSeq, seqs FROM events
     WHERE seq > ? AND kind IN ('created', 'updated', 'restored') ORDER BY seq LIMIT ?`,
  );
  const absorb = db.prepare('INSERT OR REPLACE INTO absorbed_endpoints (id, endpoint) VALUES (:from, :into)');
  const redirectAbsorbed = db.prepare('UPDATE absorbed_endpoints SET endpoint = :into WHERE endpoint = :from');
  const days = db.prepare<[number, number], { day: number; kind: string; count: number }>(
    'SELECT day, kind, count FROM activity WHERE day BETWEEN ? AND ?',
  );

  return {
    append(_tx: Transaction, events: readonly DataEvent[]): void {
      const absorbers = new Map(events.map((event) => [event.absorbs, event.endpoint]));
      const endpointsWithChangedDates = new Set<number>();
      const countsByDay = new Map<string, { day: number; kind: string; count: number }>();
      for (const event of events) {
        const { kind, origin, count, firstSeq, lastSeq, seqs, time } = event;
        const endpoint = absorbers.get(event.endpoint) ?? event.endpoint;
        if (event.absorbs !== undefined) {
          absorb.run({ from: event.absorbs, into: event.endpoint });
          redirectAbsorbed.run({ from: event.absorbs, into: event.endpoint });
        }
        insert.run(time, kind, endpoint, origin, count, firstSeq, lastSeq, seqs === null ? null : JSON.stringify(seqs));
        const change = kind === 'deleted' ? -count : kind === 'updated' ? 0 : count;
        if (event.whole !== true)
          addToCounters.run({
            records: change,
            bytes: event.bytes,
            time,
            created: kind === 'created' ? time : null,
            endpoint,
          });
        if (kind === 'deleted' || kind === 'restored') endpointsWithChangedDates.add(endpoint);
        const day = Math.floor(time / DAY_MS);
        const dayCount = countsByDay.get(`${day} ${kind}`);
        if (dayCount === undefined) countsByDay.set(`${day} ${kind}`, { day, kind, count });
        else dayCount.count += count;
      }
      for (const endpoint of endpointsWithChangedDates) refreshDates.run({ endpoint });
      for (const { day, kind, count } of countsByDay.values()) addToActivity.run(day, kind, count);
    },

    readNewestSeq: (): number => selectNewestSeq.get() ?? 0,
    /** Ignores deletions. */
    findChangedEndpoints: (seq: number): Map<number, number> =>
      new Map(changedEndpoints.all(seq).map((row) => [row.endpoint, row.seq])),

    /** Ignores deletions. */
    readAfter: (seq: number, count: number): StoredEvent[] => selectAfter.all(seq, count),

    /** Returns counts per day and kind. Days are numbered from the Unix epoch, in UTC. */
    listActivity: (fromDay: number, toDay: number) => days.all(fromDay, toDay),
  };
};
