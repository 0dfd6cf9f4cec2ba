import type { Database, Transaction } from '../../storage/index.ts';

/** What happened to the records of one endpoint: as a room reports it, and (merged) as it is kept. */
export type DataEvent = {
  kind: 'created' | 'updated' | 'deleted' | 'restored';
  /** Interned endpoint. */
  endpoint: number;
  /** Interned origin of the change. */
  origin: number;
  count: number;
  firstSeq: number;
  lastSeq: number;
  /** The records concerned, where first to last is not all of them; null for a run without gaps. */
  seqs: readonly number[] | null;
  /** Change of the bytes stored at the endpoint. */
  bytes: number;
  /** Unix milliseconds. */
  time: number;
  /** The endpoint came or went as a whole and keeps its counts. */
  whole?: boolean;
  /** Its path, where the endpoint no longer has one once the change is done. */
  path?: string;
  /** Another endpoint that became part of this one: what was reported of it in the same transaction counts here. */
  absorbs?: number;
};

/** An event as it is kept, by its number. */
export type KeptEvent = Pick<DataEvent, 'kind' | 'endpoint' | 'origin' | 'count' | 'firstSeq' | 'lastSeq'> & {
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
  const changed = db.prepare<[number], { endpoint: number; seq: number }>(
    `SELECT endpoint, max(seq) AS seq FROM events WHERE seq > ? AND kind IN ('created', 'updated', 'restored') GROUP BY endpoint`,
  );
  const after = db.prepare<[number, number], KeptEvent>(
    `SELECT seq, kind, coalesce((SELECT endpoint FROM absorbed_endpoints WHERE id = events.endpoint), endpoint) AS endpoint,
       origin, count, first_seq AS firstSeq, last_seq AS lastSeq, seqs FROM events
     WHERE seq > ? AND kind IN ('created', 'updated', 'restored') ORDER BY seq LIMIT ?`,
  );
  const absorb = db.prepare('INSERT OR REPLACE INTO absorbed_endpoints (id, endpoint) VALUES (:from, :into)');
  const absorbAgain = db.prepare('UPDATE absorbed_endpoints SET endpoint = :into WHERE endpoint = :from');
  const days = db.prepare<[number, number], { day: number; kind: string; count: number }>(
    'SELECT day, kind, count FROM activity WHERE day BETWEEN ? AND ?',
  );

  return {
    /** Writes the events of one transaction, and what they change in the endpoints' counts and in the activity of the day. */
    append(tx: Transaction, events: readonly DataEvent[]): void {
      void tx;
      const absorbed = new Map(events.map((event) => [event.absorbs, event.endpoint]));
      const perDay = new Map<string, { day: number; kind: string; count: number }>();
      for (const event of events) {
        const { kind, origin, count, firstSeq, lastSeq, seqs, time } = event;
        const endpoint = absorbed.get(event.endpoint) ?? event.endpoint;
        if (event.absorbs !== undefined) {
          absorb.run({ from: event.absorbs, into: event.endpoint });
          absorbAgain.run({ from: event.absorbs, into: event.endpoint });
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
        const known = perDay.get(`${day} ${kind}`);
        if (known === undefined) perDay.set(`${day} ${kind}`, { day, kind, count });
        else known.count += count;
      }
      for (const { day, kind, count } of perDay.values()) countDay.run(day, kind, count);
    },

    newest: (): number => newest.get() ?? 0,
    /** Endpoints whose records came or changed after an event, with the last event of each. */
    changedSince: (seq: number): Map<number, number> => new Map(changed.all(seq).map((row) => [row.endpoint, row.seq])),

    /** What came, changed or came back after an event, in order; some of it. */
    after: (seq: number, count: number): KeptEvent[] => after.all(seq, count),

    /** Counts per day and kind; days are numbered from the Unix epoch, in UTC. */
    activity: (fromDay: number, toDay: number) => days.all(fromDay, toDay),
  };
};
