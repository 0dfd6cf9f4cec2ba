import type { RunOutcome } from '../../../wire/functions.ts';
import { MAX_TIMELINE_DAYS } from '../../../wire/limits.ts';
import type { DatabaseThread } from '../../storage/index.ts';

type FinishedRun = {
  id: string;
  function: string;
  /** Unix milliseconds. */
  finished: number;
  outcome: RunOutcome | null;
  records: number;
};

const IS_RESULT = "finished IS NOT NULL AND (records_out > 0 OR outcome NOT IN ('done', 'stopped'))";
const DAY = "date(finished / 1000, 'unixepoch', 'localtime')";

/**
 * Reads the runs that have ended and stored records or failed. Days are in the local time of this computer. All
 * statements run in a reader thread.
 */
export const createRunDayStore = (reader: Pick<DatabaseThread, 'all'>) => ({
  countByDay: (): Promise<{ day: string; items: number }[]> =>
    reader.all<{ day: string; items: number }>(
      `SELECT ${DAY} AS day, count(*) AS items FROM function_runs WHERE ${IS_RESULT}
       GROUP BY 1 ORDER BY 1 DESC LIMIT ${MAX_TIMELINE_DAYS}`,
    ),
  /** Returns the runs of one day, the latest first. @param day for example `2026-03-01` */
  listOnDay: (day: string, { skip, take }: { skip: number; take: number }): Promise<FinishedRun[]> =>
    reader.all<FinishedRun>(
      `SELECT id, function, finished, outcome, records_out AS records FROM function_runs
       WHERE ${IS_RESULT} AND ${DAY} = ? ORDER BY finished DESC, seq DESC LIMIT ? OFFSET ?`,
      [day, take, skip],
    ),
});
