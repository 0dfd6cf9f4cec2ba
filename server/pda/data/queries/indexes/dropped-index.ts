import type { IndexManager } from './manager.ts';

/**
 * Runs a read and retries it with a new statement if it fails because an index was dropped before the statement ran in
 * the reader thread.
 */
export const retryOnDroppedIndex = async <T>(
  indexes: Pick<IndexManager, 'generation'>,
  run: () => Promise<T>,
): Promise<T> => {
  const generation = indexes.generation();
  return run().catch((error: unknown) => {
    if (indexes.generation() === generation) throw error;
    return run();
  });
};
