/**
 * Counts how often each transaction of a day has occurred, to tell equal transactions of a statement apart.
 *
 * Equal transactions have the same date, and statements are sorted by date. Beyond `maxCounted` distinct transactions,
 * the days that were counted least recently are evicted. The counts of a sorted statement stay exact unless one day
 * exceeds `maxCounted`.
 */
export const createOccurrenceCounter = (maxCounted: number) => {
  /** Counts by date and by transaction. The most recently counted date is last. */
  const days = new Map<string, Map<string, number>>();
  let transactionCount = 0;

  const evictOldestDay = (): void => {
    const [oldest] = days;
    if (oldest === undefined) return;
    const [date, counts] = oldest;
    days.delete(date);
    transactionCount -= counts.size;
  };

  return {
    /** Returns 1 for the first occurrence. @param hash hash of everything that identifies the transaction */
    count(date: string, hash: string): number {
      const counts = days.get(date) ?? new Map<string, number>();
      days.delete(date);
      days.set(date, counts);
      const occurrence = (counts.get(hash) ?? 0) + 1;
      if (occurrence === 1) transactionCount += 1;
      counts.set(hash, occurrence);
      while (transactionCount > maxCounted) evictOldestDay();
      return occurrence;
    },
  };
};
