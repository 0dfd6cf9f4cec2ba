import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { BankOptions, DetectedExport } from '../../../../wire/imports.ts';

const MAX_SUMMARIES = 20;

export const createSummaryCache = () => {
  const summaries = new Map<string, Promise<DetectedExport>>();
  return {
    get(
      id: string,
      bank: BankOptions | undefined,
      summarise: (bank: BankOptions | undefined) => Promise<DetectedExport>,
    ): Promise<DetectedExport> {
      const key = `${id} ${JSON.stringify(bank ?? null)}`;
      const cached = summaries.get(key);
      if (cached !== undefined) return cached;
      const summary = summarise(bank);
      setBounded(summaries, key, summary, MAX_SUMMARIES);
      // A failure is not cached.
      summary.catch(() => summaries.delete(key));
      return summary;
    },
    evict(id: string): void {
      for (const key of summaries.keys()) if (key.startsWith(id)) summaries.delete(key);
    },
  };
};
