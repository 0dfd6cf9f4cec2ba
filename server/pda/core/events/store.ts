import type { Database, Transaction } from '../../storage/index.ts';

/** A change of the records of one endpoint, as it is reported and, after merging, stored. */
export type DataEvent = {
  kind: 'created' | 'updated' | 'deleted' | 'restored';
  /** Interned endpoint. */
  endpoint: number;
  /** Interned origin of the change. */
  origin: number;
  count: number;
  firstSeq: number;
  lastSeq: number;
  /** Sequence numbers of the records; null if they are all numbers from first to last. */
  seqs: readonly number[] | null;
  /** Change of the bytes stored at the endpoint. */
  bytes: number;
  /** Unix milliseconds. */
  time: number;
  /** True if the whole endpoint was deleted or restored. Its counts then stay unchanged. */
  whole?: boolean;
  /** Path before the change. Set by deletions, after which the endpoint may have none. */
  path?: string;
  /** Endpoint that was merged into this one. Its events of the same transaction are counted for this endpoint. */
  absorbs?: number;
};

/** A stored event with its number. */
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
  const countRecords = db.prepare(
    `UPDATE endpoints SET records = records + :records, bytes = bytes + :bytes, last_change = :time,
       first_created = CASE WHEN :created IS NULL THEN first_created ELSE coalesce(first_created, :created) END,
       last_created = coalesce(:created, last_created)
     WHERE id = :endpoint`,
  );
  const countDay = db.prepare(
    'INSERT INTO activity (day, kind, count) VALUES (?, ?, ?) ON CONFLICT (day, kind) DO UPDATE SET count = count + excluded.count',
  );
  const newest = db.prepare<[], number | null>('SELECT max(seq) FROM events').pluck();
  const changedEndpoints = db.prepare<[number], { endpoint: number; seq: number }>(
    `SELECT endpoint, max(seq) AS seq FROM events WHERE seq > ? AND kind IN ('created', 'updated', 'restored') GROUP BY endpoint`,
  );
  const after = db.prepare<[number, number], StoredEvent>(
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
    /** Stores the events of one transaction and updates the counts of the endpoints and the activity of the day. */
    append(tx: Transaction, events: readonly DataEvent[]): void {
      void tx;
      const absorbed = new Map(events.map((event) => [event.absorbs, event.endpoint]));
      const perDay = new Map<string, { day: number; kind: string; count: number }>();
      for (const event of events) {
        const { kind, origin, count, firstSeq, lastSeq, seqs, time } = event;
        const endpoint = absorbed.get(event.endpoint) ?? event.endpoint;
        if (event.absorbs !== undefined) {
          absorb.run({ from: event.absorbs, into: event.endpoint });
          redirectAbsorbed.run({ from: event.absorbs, into: event.endpoint });
        }
        insert.run(time, kind, endpoint, origin, count, firstSeq, lastSeq, seqs === null ? null : JSON.stringify(seqs));
        const change = kind === 'deleted' ? -count : kind === 'updated' ? 0 : count;
        if (event.whole !== true)
          countRecords.run({
            records: change,
            bytes: event.bytes,
            time,
            created: kind === 'created' ? time : null,
            endpoint,
          });
        const day = Math.floor(time / DAY_MS);
        const dayCount = perDay.get(`${day} ${kind}`);
        if (dayCount === undefined) perDay.set(`${day} ${kind}`, { day, kind, count });
        else dayCount.count += count;
      }
      for (const { day, kind, count } of perDay.values()) countDay.run(day, kind, count);
    },

    newest: (): number => newest.get() ?? 0,
    /** Returns the endpoints with records created, updated or restored after an event, each with its last event. */
    changedSince: (seq: number): Map<number, number> =>
      new Map(changedEndpoints.all(seq).map((row) => [row.endpoint, row.seq])),

    /** Returns at most `count` events that created, updated or restored records after an event, in order. */
    after: (seq: number, count: number): StoredEvent[] => after.all(seq, count),

    /** Returns counts per day and kind. Days are numbered from the Unix epoch, in UTC. */
    activity: (fromDay: number, toDay: number) => days.all(fromDay, toDay),
  };
};
