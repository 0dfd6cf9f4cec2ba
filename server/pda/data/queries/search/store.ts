import { z } from 'zod';
import { MAX_SEARCH_RESULTS, SEARCHED_RECORD_MAX_BYTES } from '../../../../wire/limits.ts';
import { chooseMatchOrder } from '../../../core/text-ranking.ts';
import { SEARCHED_CHARS_MAX } from '../../../core/words.ts';
import type { Database, DatabaseThread, Transaction } from '../../../storage/index.ts';
import { VALUE_SEPARATOR } from './rules.ts';

const settingsSchema = z.strictObject({
  enabled: z.boolean(),
  excludedSources: z.array(z.string()),
  /** Absent in settings that an earlier version stored. */
  fileTexts: z.boolean().default(true),
});
export type SearchSettings = z.infer<typeof settingsSchema>;

const SETTINGS_KEY = 'recordSearch';
const DEFAULT_SETTINGS: SearchSettings = { enabled: true, excludedSources: [], fileTexts: true };

export type MatchRow = { id: string; path: string; created: number; text: string };

export type SearchOptions = { take: number; excludedSources: readonly string[] };

/** Characters of the indexed text from which the excerpt is chosen. */
const EXCERPT_SOURCE_CHARS = 20_000;

/**
 * The indexed text of a record: its strings and numbers without the names of members. For a large record, or one that
 * is nested too deeply for SQLite, it is the beginning of the JSON text, with its escapes decoded.
 */
const INDEXED_TEXT_SQL = `CASE WHEN octet_length(data) > ${SEARCHED_RECORD_MAX_BYTES} OR NOT json_valid(data)
  THEN pda_decode_escapes(substr(data, 1, ${SEARCHED_CHARS_MAX}))
  ELSE coalesce((SELECT group_concat(atom, '${VALUE_SEPARATOR}') FROM json_tree(records.data)
    WHERE type IN ('text', 'integer', 'real')), '') END`;

const SOURCE_SQL = "substr(endpoints.path, 1, instr(endpoints.path, '/') - 1)";
/**
 * Condition that the source of an endpoint is not in a list, which is a JSON parameter. Searches need it because the
 * index may contain records of an endpoint that was deleted, and had no path, when its source was excluded.
 */
export const INCLUDED_SOURCE_SQL = `${SOURCE_SQL} NOT IN (SELECT value FROM json_each(?))`;

const NOT_EXCLUDED_SQL = `NOT EXISTS (SELECT 1 FROM endpoints WHERE id = records.endpoint AND
  ${SOURCE_SQL} IN
    (SELECT value FROM json_each((SELECT value FROM settings WHERE key = '${SETTINGS_KEY}'), '$.excludedSources')))`;

export const createSearchStore = (db: Database, reader: Pick<DatabaseThread, 'all'>) => {
  const readSettings = db.prepare<[], string>(`SELECT value FROM settings WHERE key = '${SETTINGS_KEY}'`).pluck();
  const writeSettings = db.prepare<[string]>(
    `INSERT INTO settings (key, value) VALUES ('${SETTINGS_KEY}', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  );
  const indexedTo = db.prepare<[], number>('SELECT indexed_to FROM search_progress').pluck();
  const advance = db.prepare<[number]>('UPDATE search_progress SET indexed_to = ?');
  const nextBatch = db.prepare<[{ after: number; count: number; bytes: number }], { last: number | null }>(
    `SELECT max(seq) AS last FROM (
       SELECT seq, row_number() OVER positions AS number, sum(bytes) OVER positions AS bytes
       FROM (SELECT seq, octet_length(data) AS bytes FROM records WHERE seq > :after ORDER BY seq LIMIT :count)
       WINDOW positions AS (ORDER BY seq))
     WHERE number = 1 OR bytes <= :bytes`,
  );
  const insertSql = (condition: string): string =>
    `INSERT OR REPLACE INTO record_search (rowid, words) SELECT seq, pda_words(${INDEXED_TEXT_SQL}) FROM records WHERE ${condition} AND ${NOT_EXCLUDED_SQL}`;
  const addRange = db.prepare<[{ after: number; upTo: number }]>(insertSql('seq > :after AND seq <= :upTo'));
  const addOne = db.prepare<[number]>(insertSql('seq = ?'));
  const selectPending = db.prepare<[number], { seq: number; bytes: number }>(
    `SELECT seq, coalesce((SELECT octet_length(data) FROM records WHERE records.seq = search_pending.seq), 0) AS bytes
     FROM search_pending ORDER BY seq LIMIT ?`,
  );
  const selectUnindexed = db.prepare(
    `SELECT 1 WHERE EXISTS (SELECT 1 FROM search_pending)
       OR EXISTS (SELECT 1 FROM records WHERE seq > (SELECT indexed_to FROM search_progress))`,
  );
  const removePending = db.prepare<[number]>('DELETE FROM search_pending WHERE seq = ?');

  const settings = (): SearchSettings => {
    const text = readSettings.get();
    return text === undefined ? DEFAULT_SETTINGS : settingsSchema.parse(JSON.parse(text));
  };

  return {
    settings,

    isComplete: (): boolean => selectUnindexed.get() === undefined,

    saveSettings: (_tx: Transaction, newSettings: SearchSettings) =>
      void writeSettings.run(JSON.stringify(newSettings)),

    clear(tx: Transaction): void {
      tx.db.exec(`INSERT INTO record_search (record_search) VALUES ('delete-all'); DELETE FROM search_pending`);
      advance.run(-1);
    },

    /** Indexes the next records. Returns false if none are left. */
    indexNext(_tx: Transaction, limits: { count: number; bytes: number }): boolean {
      let bytes = 0;
      for (const record of selectPending.all(limits.count)) {
        if (bytes > limits.bytes) return true;
        bytes += record.bytes;
        addOne.run(record.seq);
        removePending.run(record.seq);
      }
      if (bytes > 0) return true;
      const after = indexedTo.get() ?? -1;
      const upTo = nextBatch.get({ after, ...limits })?.last ?? undefined;
      if (upTo === undefined) return false;
      addRange.run({ after, upTo });
      advance.run(upTo);
      return true;
    },

    /** Returns the best matches, or the newest ones if there are too many to rank. @param match FTS5 expression */
    async search(match: string, { take, excludedSources }: SearchOptions): Promise<MatchRow[]> {
      const { score, order } = await chooseMatchOrder(reader, 'record_search', match);
      return reader.all<MatchRow>(
        // CROSS JOIN makes SQLite read the matches in order. It reads the texts of the best ones only.
        `WITH best AS MATERIALIZED (SELECT record_search.rowid AS seq, ${score} AS score
           FROM record_search CROSS JOIN records ON records.seq = record_search.rowid
             CROSS JOIN endpoints ON endpoints.id = records.endpoint
           WHERE record_search MATCH ? AND endpoints.path IS NOT NULL AND ${INCLUDED_SOURCE_SQL}
           ORDER BY ${order} LIMIT ${Math.min(take, MAX_SEARCH_RESULTS)})
         SELECT records.id, endpoints.path, records.created, substr(${INDEXED_TEXT_SQL}, 1, ${EXCERPT_SOURCE_CHARS}) AS text
         FROM best JOIN records USING (seq) JOIN endpoints ON endpoints.id = records.endpoint
         ORDER BY ${order}`,
        [match, JSON.stringify(excludedSources)],
      );
    },

    /** `remaining`: number of new and changed records that the indexer has not processed yet. */
    async size(): Promise<{ bytes: number; remaining: number }> {
      const [row] = await reader.all<{ bytes: number; remaining: number }>(
        `SELECT (SELECT coalesce(sum(octet_length(block)), 0) FROM record_search_data) AS bytes,
           (SELECT count(*) FROM search_pending) +
           (SELECT count(*) FROM records WHERE seq > (SELECT indexed_to FROM search_progress)) AS remaining`,
      );
      return row ?? { bytes: 0, remaining: 0 };
    },
  };
};

export type SearchStore = ReturnType<typeof createSearchStore>;
