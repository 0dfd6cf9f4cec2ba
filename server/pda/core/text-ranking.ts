import type { DatabaseThread } from '../storage/index.ts';

/** Maximum number of ranked matches. `bm25` reads all matches of each word, so ranking a common word would be slow. */
const RANKED_MATCHES_MAX = 5000;

type MatchOrder = {
  /** SQL expression of the score; lower is better. */
  score: string;
  /** Terms of ORDER BY, which read the score from a column `score`, and the row ID from a column `seq`. */
  order: string;
};

/**
 * Returns the order of the matches in a full-text table: the best first, with the newest first among equals. If there
 * are more than RANKED_MATCHES_MAX matches, the order is simply the newest first.
 * @param table name of an FTS5 table
 * @param match FTS5 expression
 */
export const chooseMatchOrder = async (
  reader: Pick<DatabaseThread, 'all'>,
  table: string,
  match: string,
): Promise<MatchOrder> => {
  const [count] = await reader.all<{ matches: number }>(
    `SELECT count(*) AS matches FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${RANKED_MATCHES_MAX + 1})`,
    [match],
  );
  // Without a score, SQLite reads the index in descending order and stops at the limit.
  return (count?.matches ?? 0) <= RANKED_MATCHES_MAX
    ? { score: `bm25(${table})`, order: 'score, seq DESC' }
    : { score: '0', order: 'seq DESC' };
};
