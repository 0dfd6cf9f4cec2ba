import type { Clock } from '../../../../platform/clock.ts';
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
}) => {
  const { store, writer, indexes, clock } = parts;

  const find = (endpoint: string, read: IndexedRead): TableIndexRow | undefined => {
    const key = JSON.stringify(read);
    return store.list().find((row) => row.endpoint === endpoint && JSON.stringify(row.read) === key);
  };

  return {
    find,
    /**
     * Stores that a read uses its index, or would use it. The first use is stored only if the read is slow.
     * @param isSlow true if the read is slow without an index
     */
    async add(endpoint: string, read: IndexedRead, isSlow: boolean): Promise<void> {
      const existing = find(endpoint, read);
      const now = clock.now();
      if (existing === undefined ? !isSlow : existing.used > now - USE_STORED_INTERVAL_MS) return;
      await writer.write((tx) => {
        store.save(tx, { endpoint, read, used: now });
        store.prune(tx, now - TABLE_INDEX_UNUSED_MS, MAX_TABLE_INDEXES);
      });
      indexes.reconcile();
    },
  };
};
