import { sql } from 'kysely';
import type { Db, Tx } from '../../storage/index.ts';
import type { Tables } from '../../storage/tables.ts';
import type { CountEntry } from '../rules.ts';
import { parseCounts, parseNames, type Addition, type KnownName } from '../store.ts';

export const listShardsToCompact = async (db: Db): Promise<number[]> => {
  const rows = await db.selectFrom('count_additions').select('shard').distinct().execute();
  return rows.map((row) => row.shard);
};

/**
 * Removes and returns additions, the oldest first: up to `maxRows`, and with up to `maxNameChars` characters of names,
 * but at least one. Skips rows that another process has locked.
 */
export const takeAdditions = async (
  tx: Tx,
  shard: number,
  { maxRows, maxNameChars }: { maxRows: number; maxNameChars: number },
): Promise<{ additions: Addition[]; hasMore: boolean }> => {
  const candidates = await tx
    .selectFrom('count_additions')
    .select(['id', sql<number>`length(names)`.as('nameChars')])
    .where('shard', '=', shard)
    .orderBy('id')
    .limit(maxRows)
    .forUpdate()
    .skipLocked()
    .execute();
  let chars = 0;
  const ids = candidates.flatMap(({ id, nameChars }, index) => {
    chars += nameChars;
    return index === 0 || chars <= maxNameChars ? [id] : [];
  });
  if (ids.length === 0) return { additions: [], hasMore: false };
  const { rows } = await sql<Pick<Tables['count_additions'], 'id' | 'time' | 'bit' | 'counts' | 'names'>>`
    DELETE FROM count_additions
    WHERE shard = ${shard}::smallint AND id IN (SELECT id::uuid FROM unnest(${ids}::text[]) AS taken (id))
    RETURNING id, time, bit, counts, names`.execute(tx);
  return {
    additions: rows.map((row) => ({ ...row, counts: parseCounts(row.counts), names: parseNames(row.names) })),
    hasMore: candidates.length === maxRows || ids.length < candidates.length,
  };
};

/**
 * Adds to the totals. `entries` must be sorted, so that concurrent processes cannot deadlock. `updated`: time of the
 * last addition of an entry
 */
export const addTotals = async (tx: Tx, entries: readonly (CountEntry & { updated: number })[]): Promise<void> => {
  await sql`
    INSERT INTO count_totals (kind, name, day, amount, updated)
    SELECT kind, name, day, amount, updated
    FROM unnest(
      ${entries.map((entry) => entry.kind)}::text[],
      ${entries.map((entry) => entry.name)}::text[],
      ${entries.map((entry) => entry.day)}::integer[],
      ${entries.map((entry) => entry.amount)}::bigint[],
      ${entries.map((entry) => entry.updated)}::bigint[]
    ) AS added (kind, name, day, amount, updated)
    ON CONFLICT (kind, name, day) DO UPDATE
    SET amount = count_totals.amount + excluded.amount, updated = greatest(count_totals.updated, excluded.updated)`.execute(
    tx,
  );
};

/** `seen` contains the bits of the PDAs that reported the name (`bitOf`); `pdas` is the number of these bits. */
type NameRow = KnownName & { seen: number };

export const lockNames = async (
  tx: Tx,
  names: readonly { endpoint: string; field: string }[],
): Promise<Omit<NameRow, 'pdas'>[]> => {
  const { rows } = await sql<Omit<NameRow, 'pdas'>>`
    SELECT known.endpoint, known.field, known.amount, known.seen
    FROM reported_names AS known
    WHERE (known.endpoint, known.field) IN (
      SELECT endpoint, field
      FROM unnest(${names.map((name) => name.endpoint)}::text[], ${names.map((name) => name.field)}::text[]) AS requested (endpoint, field)
    )
    ORDER BY known.endpoint, known.field
    FOR UPDATE`.execute(tx);
  return rows;
};

export const writeNames = async (tx: Tx, names: readonly NameRow[], changed: number): Promise<void> => {
  await sql`
    INSERT INTO reported_names (endpoint, field, amount, seen, pdas, changed)
    SELECT endpoint, field, amount, seen, pdas, ${changed}::bigint
    FROM unnest(
      ${names.map((name) => name.endpoint)}::text[],
      ${names.map((name) => name.field)}::text[],
      ${names.map((name) => name.amount)}::bigint[],
      ${names.map((name) => name.seen)}::bigint[],
      ${names.map((name) => name.pdas)}::smallint[]
    ) AS summed (endpoint, field, amount, seen, pdas)
    ON CONFLICT (endpoint, field) DO UPDATE
    SET amount = excluded.amount, seen = excluded.seen, pdas = excluded.pdas, changed = excluded.changed`.execute(tx);
};

/** Deletes up to `maxRows` ids of events that were received before `firstDay`. @returns the number of deleted rows */
export const deleteEvents = async (db: Db, shard: number, firstDay: number, maxRows: number): Promise<number> => {
  const result = await sql`
    DELETE FROM reported_events WHERE (pda_id, event_id) IN (
      SELECT pda_id, event_id FROM reported_events WHERE shard = ${shard}::smallint AND day < ${firstDay}::integer LIMIT ${maxRows}
    )`.execute(db);
  return Number(result.numAffectedRows ?? 0);
};

/**
 * Checks up to `maxRows` names after a cursor. Deletes those that fewer than `minPdas` PDAs reported and whose last
 * change was before `changedBefore`.
 * @returns the new cursor; undefined at the end of the table
 */
export const deleteNames = async (
  tx: Tx,
  rule: {
    after: { endpoint: string; field: string } | undefined;
    maxRows: number;
    minPdas: number;
    changedBefore: number;
  },
): Promise<{ endpoint: string; field: string } | undefined> => {
  const { after = { endpoint: '', field: '' }, maxRows, minPdas, changedBefore } = rule;
  const { rows } = await sql<{ endpoint: string; field: string; pdas: number; changed: number }>`
    SELECT endpoint, field, pdas, changed FROM reported_names
    WHERE (endpoint, field) > (${after.endpoint}::text, ${after.field}::text)
    ORDER BY endpoint, field LIMIT ${maxRows}`.execute(tx);
  const expiredRows = rows.filter((row) => row.pdas < minPdas && row.changed < changedBefore);
  if (expiredRows.length > 0) {
    // The conditions are repeated, because a name may have been reported in the meantime.
    await sql`
      DELETE FROM reported_names
      WHERE pdas < ${minPdas} AND changed < ${changedBefore}::bigint AND (endpoint, field) IN (
        SELECT endpoint, field
        FROM unnest(${expiredRows.map((row) => row.endpoint)}::text[], ${expiredRows.map((row) => row.field)}::text[]) AS expired (endpoint, field)
      )`.execute(tx);
  }
  const last = rows.at(-1);
  return rows.length < maxRows || last === undefined ? undefined : { endpoint: last.endpoint, field: last.field };
};
