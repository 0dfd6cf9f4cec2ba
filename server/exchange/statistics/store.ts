import { sql } from 'kysely';
import type { Db, Tx } from '../storage/index.ts';
import type { Tables } from '../storage/tables.ts';
import type { CountEntry, CountKind, NameEntry } from './rules.ts';

/** Number of shards. They spread concurrent inserts over several parts of an index. */
export const SHARD_COUNT = 16;

const pickShard = (): number => Math.floor(Math.random() * SHARD_COUNT);

/**
 * Counts that are not in the totals yet. `bit` is the PDA's bit in the estimate of reporting PDAs; null if the addition
 * is not a report.
 */
export type Addition = {
  id: string;
  time: number;
  bit: number | null;
  counts: readonly CountEntry[];
  names: readonly NameEntry[];
};

const formatCounts = (counts: readonly CountEntry[]): string =>
  JSON.stringify(counts.map(({ kind, name, day, amount }) => [kind, name, day, amount]));
const formatNames = (names: readonly NameEntry[]): string =>
  JSON.stringify(names.map(({ endpoint, field, amount }) => [endpoint, field, amount]));

export const parseCounts = (text: string): CountEntry[] =>
  (JSON.parse(text) as [CountKind, string, number, number][]).map(([kind, name, day, amount]) => ({
    kind,
    name,
    day,
    amount,
  }));
export const parseNames = (text: string): NameEntry[] =>
  (JSON.parse(text) as [string, string, number][]).map(([endpoint, field, amount]) => ({ endpoint, field, amount }));

export const insertAddition = async (tx: Tx, addition: Addition): Promise<void> => {
  const { id, time, bit, counts, names } = addition;
  const row = { shard: pickShard(), id, time, bit, counts: formatCounts(counts), names: formatNames(names) };
  await tx.insertInto('count_additions').values(row).execute();
};

export type PdaReports = Tables['pda_reports'];

/**
 * Sets `last` in the PDA's row, which is created if necessary, and returns the row; undefined if the PDA was removed.
 * Locks the row, so that the reports of one PDA are processed one at a time. Reports of other PDAs do not wait. The PDA
 * cannot be removed until the transaction ends.
 */
export const lockPdaReports = async (
  tx: Tx,
  pdaId: string,
  now: number,
  day: number,
): Promise<PdaReports | undefined> => {
  const { rows } = await sql<PdaReports>`
    INSERT INTO pda_reports
      (pda_id, events, last, day, events_today, values_in_today, values_out_today, names_today, names_total)
    SELECT id, 0, ${now}::bigint, ${day}::integer, 0, 0, 0, 0, 0 FROM pdas WHERE id = ${pdaId}::uuid FOR KEY SHARE
    ON CONFLICT (pda_id) DO UPDATE SET last = excluded.last
    RETURNING *`.execute(tx);
  return rows[0];
};

export const writePdaReports = async (tx: Tx, { pda_id: pdaId, ...set }: PdaReports): Promise<void> => {
  await tx.updateTable('pda_reports').set(set).where('pda_id', '=', pdaId).execute();
};

/** @returns the ids that are new */
export const insertEvents = async (
  tx: Tx,
  { pdaId, ids, day }: { pdaId: string; ids: readonly string[]; day: number },
): Promise<Set<string>> => {
  const { rows } = await sql<{ event_id: string }>`
    INSERT INTO reported_events (pda_id, event_id, shard, day)
    SELECT ${pdaId}::uuid, id::uuid, ${pickShard()}::smallint, ${day}::integer FROM unnest(${[...ids]}::text[]) AS sent (id)
    ON CONFLICT (pda_id, event_id) DO NOTHING
    RETURNING event_id`.execute(tx);
  return new Set(rows.map((row) => row.event_id));
};

type Name = Pick<NameEntry, 'endpoint' | 'field'>;

export const findKnownNames = async (tx: Tx, names: readonly Name[]): Promise<Name[]> => {
  const { rows } = await sql<Name>`
    SELECT known.endpoint, known.field
    FROM unnest(${names.map((name) => name.endpoint)}::text[], ${names.map((name) => name.field)}::text[]) AS requested (endpoint, field)
    JOIN reported_names AS known ON known.endpoint = requested.endpoint AND known.field = requested.field`.execute(tx);
  return rows;
};

export const insertNames = async (tx: Tx, names: readonly Name[], now: number): Promise<void> => {
  await sql`
    INSERT INTO reported_names (endpoint, field, amount, seen, pdas, changed)
    SELECT endpoint, field, 0, 0, 0, ${now}::bigint
    FROM unnest(${names.map((name) => name.endpoint)}::text[], ${names.map((name) => name.field)}::text[]) AS added (endpoint, field)
    ON CONFLICT (endpoint, field) DO NOTHING`.execute(tx);
};

export const findPdaReports = (db: Db, pdaId: string): Promise<{ events: number; last: number } | undefined> =>
  db.selectFrom('pda_reports').select(['events', 'last']).where('pda_id', '=', pdaId).executeTakeFirst();

export const deletePdaReports = async (tx: Tx, pdaId: string): Promise<void> => {
  await tx.deleteFrom('reported_events').where('pda_id', '=', pdaId).execute();
  await tx.deleteFrom('pda_reports').where('pda_id', '=', pdaId).execute();
};

/** Maximum number of additions that a read includes. More exist only if compaction lags behind. */
const MAX_READ_ADDITIONS = 2000;

/** Reads totals and additions in one statement, so that a concurrent compaction has no effect on the result. */
export const readTotals = async (db: Db): Promise<{ kind: CountKind; amount: number; updated: number }[]> => {
  const { rows } = await sql<{ kind: CountKind | null; amount: number; updated: number; counts: string | null }>`
    SELECT kind, sum(amount)::bigint AS amount, max(updated)::bigint AS updated, NULL::text AS counts
    FROM count_totals WHERE kind <> 'application' GROUP BY kind
    UNION ALL
    SELECT * FROM (SELECT NULL::text, 0::bigint, time, counts FROM count_additions LIMIT ${MAX_READ_ADDITIONS}) AS added`.execute(
    db,
  );
  return rows.flatMap(({ kind, amount, updated, counts }) =>
    kind !== null ? [{ kind, amount, updated }] : parseCounts(counts ?? '[]').map((entry) => ({ ...entry, updated })),
  );
};

/** @param firstDay days since 1970 (UTC) */
export const readDailyCounts = async (db: Db, firstDay: number): Promise<CountEntry[]> => {
  const { rows } = await sql<CountEntry & { counts: string | null }>`
    SELECT kind, name, day, amount, NULL::text AS counts FROM count_totals WHERE day >= ${firstDay}
    UNION ALL
    SELECT * FROM (
      SELECT ''::text, ''::text, 0::integer, 0::bigint, counts FROM count_additions LIMIT ${MAX_READ_ADDITIONS}
    ) AS added`.execute(db);
  return rows.flatMap(({ counts, ...entry }) =>
    counts === null ? [entry] : parseCounts(counts).filter((entry) => entry.day >= firstDay),
  );
};

export type KnownName = NameEntry & { pdas: number };

export const readKnownNames = (db: Db, minReportingPdas: number, maxNames: number): Promise<KnownName[]> =>
  db
    .selectFrom('reported_names')
    .select(['endpoint', 'field', 'amount', 'pdas'])
    .where('pdas', '>=', minReportingPdas)
    .orderBy('pdas', 'desc')
    .orderBy('amount', 'desc')
    .orderBy('endpoint')
    .orderBy('field')
    .limit(maxNames)
    .execute();

export type Description = { namespace: string; endpoint: string; field: string; description: string };

export const readDescriptions = (db: Db): Promise<Description[]> =>
  db.selectFrom('data_descriptions').selectAll().execute();

/** An empty description deletes the stored description. */
export const writeDescription = async (tx: Tx, row: Description): Promise<void> => {
  const { description, ...key } = row;
  if (description === '') {
    await tx
      .deleteFrom('data_descriptions')
      .where('namespace', '=', key.namespace)
      .where('endpoint', '=', key.endpoint)
      .where('field', '=', key.field)
      .execute();
    return;
  }
  await tx
    .insertInto('data_descriptions')
    .values(row)
    .onConflict((conflict) => conflict.columns(['namespace', 'endpoint', 'field']).doUpdateSet({ description }))
    .execute();
};
