import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';

const MAX_SUMMARIES = 20;

/** Creates a single-flight cache of export summaries, so that a repeated preview does not count the entries again. */
export const createSummaryCache = () => {
  const summaries = new Map<string, Promise<DetectedExport>>();
  return {
    get(
      id: string,
      bank: BankOptions | undefined,
      summarize: (bank: BankOptions | undefined) => Promise<DetectedExport>,
    ): Promise<DetectedExport> {
      const key = `${id} ${JSON.stringify(bank ?? null)}`;
      const cached = summaries.get(key);
      if (cached !== undefined) return cached;
      const summary = summarize(bank);
      for (const oldestKey of summaries.keys()) if (summaries.size >= MAX_SUMMARIES) summaries.delete(oldestKey);
      summaries.set(key, summary);
      // A failure is not cached.
      summary.catch(() => summaries.delete(key));
      return summary;
    },
    evict(id: string): void {
      for (const key of summaries.keys()) if (key.startsWith(id)) summaries.delete(key);
    },
  };
};
