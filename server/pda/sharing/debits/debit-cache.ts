import { setBounded } from '../../../platform/limits/bounded-map.ts';

const MAX_CACHED_DEBITS = 500;

/**
 * Committed Data Debits by key. Reads within a transaction bypass the cache, because the changes of the transaction may
 * be rolled back.
 */
export type DebitCache<Debit> = {
  find(key: string): Debit | undefined;
  /** Like `find`, but adds nothing to the cache. For lists, because a Data Debit can take more than a megabyte. */
  findWithoutCaching(key: string): Debit | undefined;
  /** Must be called when the Data Debit changes. */
  delete(key: string): void;
};

export const createDebitCache = <Debit>(parts: {
  load: (key: string) => Debit | undefined;
  isInTransaction: () => boolean;
}): DebitCache<Debit> => {
  const { load, isInTransaction } = parts;
  const entries = new Map<string, Debit>();
  const findWithoutCaching = (key: string): Debit | undefined =>
    (isInTransaction() ? undefined : entries.get(key)) ?? load(key);
  return {
    find(key) {
      const debit = findWithoutCaching(key);
      if (debit !== undefined && !isInTransaction() && !entries.has(key))
        setBounded(entries, key, debit, MAX_CACHED_DEBITS);
      return debit;
    },
    findWithoutCaching,
    delete: (key) => void entries.delete(key),
  };
};
