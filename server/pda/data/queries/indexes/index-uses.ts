import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { MAX_TABLE_INDEXES, TABLE_INDEX_UNUSED_MS } from '../../../../wire/limits.ts';
import type { Writer } from '../../../storage/index.ts';
import type { IndexedRead, TableIndexRow, TableStore } from '../table/store.ts';
import type { IndexManager } from './manager.ts';

/** The last use of an index is stored at most once in this interval. */
const USE_STORED_INTERVAL_MS = 24 * 60 * 60 * 1000;

export type IndexUses = ReturnType<typeof createIndexUses>;

/**
 * Stores which indexes the reads of tables and charts use, or would use if they existed. The index manager builds these
 * indexes, and drops those that are no longer used.
 */
export const createIndexUses = (parts: {
  store: TableStore;
  writer: Writer;
  indexes: Pick<IndexManager, 'reconcile'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}) => {
  const { store, writer, indexes, clock, log } = parts;

  const find = (endpoint: string, read: IndexedRead): TableIndexRow | undefined => {
    const key = JSON.stringify(read);
    return store.list().find((row) => row.endpoint === endpoint && JSON.stringify(row.read) === key);
  };

  return {
    find,
    /**
     * Stores that a read uses its index, or would use it. The first use is stored only if the read is slow. An error,
     * such as a full disk, is only logged, so that it does not make the read fail.
     * @param isSlow true if the read is slow without an index
     */
    async add(endpoint: string, read: IndexedRead, isSlow: boolean): Promise<void> {
      const existing = find(endpoint, read);
      const now = clock.now();
      if (existing === undefined ? !isSlow : existing.used > now - USE_STORED_INTERVAL_MS) return;
      try {
        await writer.write((tx) => {
          store.save(tx, { endpoint, read, used: now });
          store.prune(tx, now - TABLE_INDEX_UNUSED_MS, MAX_TABLE_INDEXES);
        });
        indexes.reconcile();
      } catch (error) {
        log.warn({ err: error }, 'failed to store the use of an index');
      }
    },
  };
};
