import { setBounded } from '../../../platform/limits/bounded-map.ts';

const MAX_CACHED_DEBITS = 500;

/** Committed Data Debits by key. Within a transaction they are loaded, because its changes may be rolled back. */
export type DebitCache<Debit> = {
  /** Returns a Data Debit and caches it; undefined if there is none. */
  find(key: string): Debit | undefined;
  /** Returns a Data Debit without caching it, for lists: one Data Debit can have more than a megabyte. */
  findOnce(key: string): Debit | undefined;
  /** Evicts a Data Debit that changes. */
  delete(key: string): void;
};

/** Creates an empty cache. */
export const createDebitCache = <Debit>(parts: {
  load: (key: string) => Debit | undefined;
  inTransaction: () => boolean;
}): DebitCache<Debit> => {
  const { load, inTransaction } = parts;
  const cached = new Map<string, Debit>();
  const findOnce = (key: string): Debit | undefined => (inTransaction() ? undefined : cached.get(key)) ?? load(key);
  return {
    find(key) {
      const debit = findOnce(key);
      if (debit !== undefined && !inTransaction() && !cached.has(key))
        setBounded(cached, key, debit, MAX_CACHED_DEBITS);
      return debit;
    },
    findOnce,
    delete: (key) => void cached.delete(key),
  };
};
