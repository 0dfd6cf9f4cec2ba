import { codeOf, messageOf } from '../../../../wire/values.ts';
import type { IndexManager } from './manager.ts';

/** Message of SQLite for a statement that names an index which does not exist. A full-text index is a table. */
const MISSING_INDEX = /^no such (index|table): (main\.)?query_/u;

/**
 * Runs a read. If it fails with an SQLite error, retries it with a new statement:
 *
 * - with the current indexes if these have changed, because an index may have been dropped before the statement ran.
 *   Any SQLite error counts, because a dropped full-text index can cause several.
 * - without indexes if an index did not exist in the reader thread, because it may be newer than the state of the
 *   database that another query of the thread keeps open
 */
export const retryOnDroppedIndex = async <T>(
  indexes: Pick<IndexManager, 'generation'>,
  run: (usesIndexes: boolean) => Promise<T>,
): Promise<T> => {
  const generation = indexes.generation();
  const runWithoutIndexes = (error: unknown): Promise<T> => {
    if (!MISSING_INDEX.test(messageOf(error))) throw error;
    return run(false);
  };
  try {
    return await run(true);
  } catch (error) {
    const mayBeDropped = indexes.generation() !== generation && codeOf(error).startsWith('SQLITE_');
    return mayBeDropped ? run(true).catch(runWithoutIndexes) : runWithoutIndexes(error);
  }
};
