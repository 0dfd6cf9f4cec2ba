import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';

/** Maximum number of cached summaries. */
const MAX_SUMMARIES = 20;

/** Creates a single-flight cache of export summaries, so that opening a page again does not count the entries again. */
export const createSummaryCache = () => {
  const summaries = new Map<string, Promise<DetectedExport>>();
  return {
    /** Returns the summary of an import with these bank options. Calls `summarize` if there is none. */
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
    /** Drops the summaries of an import. */
    evict(id: string): void {
      for (const key of summaries.keys()) if (key.startsWith(id)) summaries.delete(key);
    },
  };
};
