/**
 * Counts equal transactions of a day. Beyond `maxCounted` distinct transactions, evicts the days that were counted
 * least recently, because statements are sorted by date.
 */
export const createOccurrenceCounter = (maxCounted: number) => {
  /** Counts by date and by transaction. The most recently counted date is last. */
  const days = new Map<string, Map<string, number>>();
  let transactionCount = 0;

  return {
    /**
     * Returns the number of this occurrence, counted from 1.
     * @param hash hash of everything that identifies the transaction
     */
    count(date: string, hash: string): number {
      const counts = days.get(date) ?? new Map<string, number>();
      days.delete(date);
      days.set(date, counts);
      const occurrence = (counts.get(hash) ?? 0) + 1;
      if (occurrence === 1) transactionCount += 1;
      counts.set(hash, occurrence);
      for (const [oldestDate, oldestCounts] of days) {
        if (transactionCount <= maxCounted) break;
        days.delete(oldestDate);
        transactionCount -= oldestCounts.size;
      }
      return occurrence;
    },
  };
};
