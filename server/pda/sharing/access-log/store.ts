import type { Database, Transaction } from '../../storage/index.ts';
import { splitIntoBlocks } from './rules.ts';

/** Attributes by which rows are searched. `refused`, `reads` and `has_records` are 0 or 1. */
export type SearchGroup = {
  who_kind: string;
  who_name: string;
  /** Empty if there is no consent. */
  consent_kind: string;
  consent_name: string;
  refused: number;
  reads: number;
  has_records: number;
};
export type GroupRow = SearchGroup & { id: number; calls: number; records: number };

export type AccessLogRow = {
  id: number;
  grp: number;
  /** Id of the shape: the attributes that the rows of repeated requests share, stored once as JSON (`Shape`). */
  shape: number;
  /** Milliseconds from the first request to the time in the id (rules.ts). */
  lagMs: number;
  count: number;
  /** Time of the last request in Unix milliseconds, if the row counts several requests. */
  last: number | null;
  records: number;
  bytes: number | null;
};

/** The packed union of the record numbers of a group's consecutive rows, from row id `first` to `last`. */
export type RecordUnion = { first: number; last: number; recordNumbers: Uint8Array };

/**
 * The part of a union that is in one block. `offsets` are packed record numbers, relative to the start of the block.
 */
type BlockUnion = { first: number; last: number; offsets: Uint8Array };

/** Totals per group and day. `day` is the number of days since 1970 (UTC). */
export type DayRow = { day: number; grp: number; calls: number; records: number };
type PrincipalDay = Pick<SearchGroup, 'who_kind' | 'who_name'> & {
  day: number;
  calls: number;
  refused: number;
  /** Number of records in responses to allowed reads. */
  records: number;
};

/** Range of a group's row ids; both ends are exclusive. */
type GroupRange = { grp: number; after: number; below: number };

/** A search word. A shape contains the word if it fulfils one of these conditions. */
export type WordCondition = {
  /** LIKE pattern for ids, names, consent details, endpoints, fields and addresses. */
  like: string;
  /** Principals and consents whose names contain the word, as `<kind> <id>`. */
  parties: readonly string[];
  /** Endpoints whose names contain the word. */
  endpoints: readonly string[];
};
/** Conditions on shapes, all of which must match. `endpoint` is null for any endpoint. */
export type ShapeConditions = { endpoint: string | null; words: readonly WordCondition[] };
type MatchingShape = { id: number; who_kind: string; action: string };

export type AccessLogStore = ReturnType<typeof createAccessLogStore>;

/** Number of ids reserved for each group's sets in `ledger_met`. The indexes 0 to 2 are in use. */
const SETS_PER_GROUP = 4;

const GROUP_COLUMNS = 'who_kind, who_name, consent_kind, consent_name, refused, reads, has_records';

export const createAccessLogStore = (db: Database) => {
  const findGroup = db
    .prepare<[SearchGroup], number>(
      `SELECT id FROM ledger_groups WHERE who_kind = :who_kind AND who_name = :who_name AND consent_kind = :consent_kind
         AND consent_name = :consent_name AND refused = :refused AND reads = :reads AND has_records = :has_records`,
    )
    .pluck();
  const insertGroup = db.prepare<[SearchGroup]>(
    `INSERT INTO ledger_groups (${GROUP_COLUMNS})
     VALUES (:who_kind, :who_name, :consent_kind, :consent_name, :refused, :reads, :has_records)`,
  );
  const groups = db.prepare<[], GroupRow>(`SELECT id, ${GROUP_COLUMNS}, calls, records FROM ledger_groups`);
  const findShape = db.prepare<[string], number>('SELECT id FROM ledger_shapes WHERE shape = ?').pluck();
  const insertShape = db.prepare('INSERT INTO ledger_shapes (shape) VALUES (?)');
  const shape = db.prepare<[number], string>('SELECT shape FROM ledger_shapes WHERE id = ?').pluck();

  const readNewestShapeId = db.prepare<[], number | null>('SELECT max(id) FROM ledger_shapes').pluck();
  const matchingShapes = db.prepare<
    [{ after: number; upTo: number; endpoint: string | null; words: string }],
    MatchingShape
  >(
    `SELECT id, json_extract(shape, '$[0]') AS who_kind, json_extract(shape, '$[2]') AS action FROM ledger_shapes
     WHERE id > :after AND id <= :upTo
       AND (:endpoint IS NULL OR EXISTS (SELECT 1 FROM json_each(shape, '$[6]') e WHERE e.value = :endpoint))
       AND NOT EXISTS (SELECT 1 FROM json_each(:words) word WHERE NOT (
         json_extract(shape, '$[1]', '$[5][1]', '$[5][2]', '$[6]', '$[7]', '$[8]', '$[9]') LIKE word.value ->> '$.like' ESCAPE '\\'
         OR json_extract(shape, '$[0]') || ' ' || json_extract(shape, '$[1]')
           IN (SELECT value FROM json_each(word.value, '$.parties'))
         OR coalesce(json_extract(shape, '$[5][0]') || ' ' || json_extract(shape, '$[5][1]'), '')
           IN (SELECT value FROM json_each(word.value, '$.parties'))
         OR EXISTS (SELECT 1 FROM json_each(shape, '$[6]') e
                    WHERE e.value IN (SELECT value FROM json_each(word.value, '$.endpoints')))))`,
  );

  const insert = db.prepare<[AccessLogRow & { recordNumbers: Uint8Array | null }]>(
    `INSERT INTO ledger (id, grp, shape, behind, count, last, records, bytes, places)
     VALUES (:id, :grp, :shape, :lagMs, :count, :last, :records, :bytes, :recordNumbers)`,
  );
  const row = db.prepare<[number], AccessLogRow>(
    'SELECT id, grp, shape, behind AS lagMs, count, last, records, bytes FROM ledger WHERE id = ?',
  );
  const rowsAfter = db.prepare<[number, number], Pick<AccessLogRow, 'id' | 'grp' | 'shape' | 'records'>>(
    'SELECT id, grp, shape, records FROM ledger WHERE id > ? ORDER BY id LIMIT ?',
  );
  const recordNumbersOf = db.prepare<[number], Uint8Array | null>('SELECT places FROM ledger WHERE id = ?').pluck();
  const selectNewestId = db.prepare<[], number | null>('SELECT max(id) FROM ledger').pluck();
  const maxLagMs = db.prepare<[], number | null>('SELECT max(behind) FROM ledger WHERE behind > 0').pluck();
  const setBytes = db.prepare('UPDATE ledger SET bytes = ? WHERE id = ?');
  const addCount = db.prepare('UPDATE ledger SET count = count + ?, last = ? WHERE id = ?');

  const lastRequestAfter = db
    .prepare<[number, number], number | null>('SELECT max(last) FROM ledger WHERE grp = ? AND id > ?')
    .pluck();
  const ids = db
    .prepare<[GroupRange & { take: number }], number>(
      'SELECT id FROM ledger WHERE grp = :grp AND id > :after AND id < :below ORDER BY id DESC LIMIT :take',
    )
    .pluck();
  const idsOfShape = db
    .prepare<[Omit<GroupRange, 'grp'> & { shape: number; take: number }], number>(
      'SELECT id FROM ledger WHERE shape = :shape AND id > :after AND id < :below ORDER BY id DESC LIMIT :take',
    )
    .pluck();
  const scan = db
    .prepare<[Omit<GroupRange, 'grp'> & { take: number }], [id: number, grp: number, shape: number]>(
      'SELECT id, grp, shape FROM ledger WHERE id > :after AND id < :below ORDER BY id DESC LIMIT :take',
    )
    .raw();
  const scanTotals = db.prepare<
    [number, number, number],
    Pick<AccessLogRow, 'id' | 'shape' | 'lagMs' | 'count' | 'records'>
  >('SELECT id, shape, behind AS lagMs, count, records FROM ledger WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?');
  const sets = db.prepare<[GroupRange], { id: number; recordNumbers: Uint8Array }>(
    'SELECT id, places AS recordNumbers FROM ledger WHERE grp = :grp AND id > :after AND id < :below ORDER BY id DESC',
  );
  const firstSets = db.prepare<[number, number, number], RecordUnion>(
    'SELECT id AS first, id AS last, places AS recordNumbers FROM ledger WHERE grp = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const unions = db.prepare<[number, number, number, number, number], BlockUnion>(
    `SELECT first, last, places AS offsets FROM ledger_unions
     WHERE grp = ? AND level = ? AND block = ? AND last > ? AND last <= ? ORDER BY last DESC`,
  );
  const insertUnion = db.prepare(
    'INSERT INTO ledger_unions (grp, level, block, last, first, places) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const pendingUnions = db.prepare<[number, number], RecordUnion>(
    'SELECT first, last, places AS recordNumbers FROM ledger_waiting WHERE grp = ? AND level = ? ORDER BY last',
  );
  const lastPending = db
    .prepare<[number], [level: number, last: number]>(
      'SELECT level, max(last) FROM ledger_waiting WHERE grp = ? GROUP BY level',
    )
    .raw();
  const insertPending = db.prepare(
    'INSERT INTO ledger_waiting (grp, level, last, first, places) VALUES (?, ?, ?, ?, ?)',
  );
  const deletePending = db.prepare('DELETE FROM ledger_waiting WHERE grp = ? AND level = ? AND last <= ?');
  const groupSets = db.prepare<[number, number], { id: number; recordNumbers: Uint8Array }>(
    'SELECT id, places AS recordNumbers FROM ledger_met WHERE id >= ? AND id < ?',
  );
  const putGroupSet = db.prepare(
    'INSERT INTO ledger_met (id, places) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET places = excluded.places',
  );
  const findRecordNumber = db.prepare<[number], number>('SELECT place FROM ledger_places WHERE seq = ?').pluck();
  const insertRecordNumber = db.prepare('INSERT INTO ledger_places (seq, tail) VALUES (?, ?)');
  const recordNumbersFrom = db
    .prepare<[number, number], [seq: number, recordNumber: number]>(
      'SELECT seq, place FROM ledger_places WHERE seq >= ? ORDER BY seq LIMIT ?',
    )
    .raw();
  const findBySeq = db.prepare<[number], { recordNumber: number; tail: Uint8Array | null }>(
    'SELECT place AS recordNumber, tail FROM ledger_places WHERE seq = ?',
  );
  const findByRecordNumber = db.prepare<[number], { seq: number; tail: Uint8Array | null }>(
    'SELECT seq, tail FROM ledger_places WHERE place = ?',
  );
  const selectNewestSeq = db.prepare<[], number | null>('SELECT max(seq) FROM ledger_places').pluck();

  const addToGroup = db.prepare('UPDATE ledger_groups SET calls = calls + ?, records = records + ? WHERE id = ?');
  const addToDay = db.prepare(
    `INSERT INTO ledger_days (day, grp, calls, records) VALUES (:day, :grp, :calls, :records)
     ON CONFLICT (day, grp) DO UPDATE SET calls = calls + excluded.calls, records = records + excluded.records`,
  );
  const days = db.prepare<[number], PrincipalDay>(
    `SELECT d.day, g.who_kind, g.who_name, sum(d.calls) AS calls, sum(d.calls * g.refused) AS refused,
       sum(d.records * g.reads * (1 - g.refused)) AS records
     FROM ledger_days d CROSS JOIN ledger_groups g ON g.id = d.grp
     WHERE d.day >= ? GROUP BY d.day, g.who_kind, g.who_name ORDER BY d.day`,
  );

  return {
    findOrInsertGroup: (_tx: Transaction, group: SearchGroup): number =>
      findGroup.get(group) ?? Number(insertGroup.run(group).lastInsertRowid),
    groups: (): GroupRow[] => groups.all(),
    /** @param text a `Shape` as JSON */
    findOrInsertShape: (_tx: Transaction, text: string): number =>
      findShape.get(text) ?? Number(insertShape.run(text).lastInsertRowid),
    shapeOf: (id: number): string | undefined => shape.get(id),
    readNewestShapeId: (): number => readNewestShapeId.get() ?? 0,
    /** Returns the matches among the shapes with ids in (after, upTo]. */
    matchingShapes: (after: number, upTo: number, { endpoint, words }: ShapeConditions): MatchingShape[] =>
      matchingShapes.all({ after, upTo, endpoint, words: JSON.stringify(words) }),

    insert: (_tx: Transaction, values: AccessLogRow, recordNumbers: Uint8Array | null) =>
      void insert.run({ ...values, recordNumbers }),
    row: (id: number): AccessLogRow | undefined => row.get(id),
    rowsAfter: (id: number, count: number): Pick<AccessLogRow, 'id' | 'grp' | 'shape' | 'records'>[] =>
      rowsAfter.all(id, count),
    recordNumbersOf: (id: number): Uint8Array | null => recordNumbersOf.get(id) ?? null,
    readNewestId: (): number => selectNewestId.get() ?? 0,
    maxLagMs: (): number => maxLagMs.get() ?? 0,
    setBytes: (_tx: Transaction, id: number, bytes: number) => void setBytes.run(bytes, id),
    addCount: (_tx: Transaction, id: number, count: number, last: number) => void addCount.run(count, last, id),

    /** Returns the time of the last request in the rows of a group after `after` that count several requests. */
    lastRequestAfter: (grp: number, after: number): number | null => lastRequestAfter.get(grp, after) ?? null,
    /** Returns row ids, newest first. */
    ids: (range: GroupRange, take: number): number[] => ids.all({ ...range, take }),
    /** Returns row ids, newest first. */
    idsOfShape: (shapeId: number, range: Omit<GroupRange, 'grp'>, take: number): number[] =>
      idsOfShape.all({ ...range, shape: shapeId, take }),
    /** Returns rows of all groups, newest first. */
    scan: (range: Omit<GroupRange, 'grp'>, take: number) => scan.all({ ...range, take }),
    /** Returns rows of all groups, newest first. */
    scanTotals: (after: number, below: number, take: number) => scanTotals.all(after, below, take),
    /** Returns the newest rows first. */
    sets: (range: GroupRange): { id: number; recordNumbers: Uint8Array }[] => sets.all(range),
    /** Returns a group's first `take` rows after `after`, each as a union with a single member. */
    firstSets: (grp: number, after: number, take: number): RecordUnion[] => firstSets.all(grp, after, take),
    /** Returns the parts in one block of unions that end within (after, upTo], newest first. */
    unions: (grp: number, level: number, block: number, after: number, upTo: number): BlockUnion[] =>
      unions.all(grp, level, block, after, upTo),
    /** Stores a union. It stays pending until it becomes part of a union of the next level. */
    insertUnion(_tx: Transaction, grp: number, level: number, { first, last, recordNumbers }: RecordUnion): void {
      insertPending.run(grp, level, last, first, recordNumbers);
      for (const { block, offsets } of splitIntoBlocks(recordNumbers))
        insertUnion.run(grp, level, block, last, first, offsets);
    },
    pendingUnions: (grp: number, level: number): RecordUnion[] => pendingUnions.all(grp, level),
    deletePending: (_tx: Transaction, grp: number, level: number, upTo: number) =>
      void deletePending.run(grp, level, upTo),
    /** Returns, by level, the last row in a union of a higher level. Levels without such a row have no entry. */
    lastRowInUnions(grp: number): number[] {
      const lastRows: number[] = [];
      for (const [level, last] of lastPending.all(grp)) {
        for (let below = 0; below < level; below += 1) lastRows[below] = Math.max(lastRows[below] ?? 0, last);
      }
      return lastRows;
    },
    /**
     * Returns a group's sets of record numbers by index. 0: rows outside unions; 1: pending unions of level 1;
     * 2: unions of higher levels.
     */
    groupSets(grp: number): (Uint8Array | undefined)[] {
      const sets: (Uint8Array | undefined)[] = [];
      for (const { id, recordNumbers } of groupSets.all(SETS_PER_GROUP * grp, SETS_PER_GROUP * (grp + 1)))
        sets[id % SETS_PER_GROUP] = recordNumbers;
      return sets;
    },
    /** @param index as in `groupSets` */
    putGroupSet: (_tx: Transaction, grp: number, index: number, recordNumbers: Uint8Array) =>
      void putGroupSet.run(SETS_PER_GROUP * grp + index, recordNumbers),

    recordNumbersFrom: (seq: number, take: number) => recordNumbersFrom.all(seq, take),
    findRecordNumber: (seq: number): number | undefined => findRecordNumber.get(seq),
    /** @param tail the random part of the record id, if known */
    insertRecordNumber: (_tx: Transaction, seq: number, tail: Uint8Array | null): number =>
      Number(insertRecordNumber.run(seq, tail).lastInsertRowid),
    findBySeq: (seq: number): { recordNumber: number; tail: Uint8Array | null } | undefined => findBySeq.get(seq),
    findByRecordNumber: (recordNumber: number) => findByRecordNumber.get(recordNumber),
    readNewestSeq: (): number => selectNewestSeq.get() ?? 0,

    addTotals(_tx: Transaction, { day, grp, calls, records }: DayRow): void {
      addToGroup.run(calls, records, grp);
      addToDay.run({ day, grp, calls, records });
    },
    /** Returns the oldest days first. @param from first day, as in `DayRow` */
    days: (from: number): PrincipalDay[] => days.all(from),
  };
};
