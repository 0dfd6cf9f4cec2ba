import { isoTime } from '../../../../platform/clock.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { EndpointDisplay } from '../../../../wire/fields.ts';
import type { RecordSearch, SearchIndex, SearchIndexChange } from '../../../../wire/search.ts';
import type { Writer } from '../../../storage/index.ts';
import type { SearchIndexer } from './indexer.ts';
import { createExcerpt, toMatchExpression } from './rules.ts';
import type { SearchStore } from './store.ts';

/** Full-text search over the records of all endpoints. */
export type SearchService = {
  /** Returns the best matches, newest first among equals. @throws Failure query_limit_exceeded */
  search(text: string, take: number): Promise<RecordSearch>;
  /** Returns the settings and the size of the index. */
  index(): Promise<SearchIndex>;
  /** Turns the index on or off, or excludes sources from it. Every change rebuilds the index. */
  change(change: SearchIndexChange): Promise<SearchIndex>;
};

export const createSearchService = (parts: {
  store: SearchStore;
  indexer: SearchIndexer;
  writer: Writer;
  displayOf: (endpoint: string) => EndpointDisplay;
}): SearchService => {
  const { store, indexer, writer, displayOf } = parts;

  const index = async (): Promise<SearchIndex> => {
    const { enabled, excludedSources } = store.settings();
    const { bytes, remaining } = await store.size();
    return { enabled, excludedSources, bytes, remaining: enabled ? remaining : 0 };
  };

  return {
    async search(text, take) {
      const match = toMatchExpression(text);
      const { enabled } = store.settings();
      if (match === undefined || !enabled) return { matches: [], isComplete: match === undefined };
      const rows = await mapReadErrors(store.search(match, take));
      const matches = rows.map(({ id, path, created, text: recordText }) => ({
        recordId: id,
        endpoint: path,
        ...displayOf(path),
        excerpt: createExcerpt(recordText, text),
        dateCreated: isoTime(created),
      }));
      return { matches, isComplete: store.isComplete() };
    },

    index,

    async change({ enabled, excludedSources }) {
      await writer.write((tx) => {
        const settings = store.settings();
        store.reset(tx, {
          enabled: enabled ?? settings.enabled,
          excludedSources: excludedSources ?? settings.excludedSources,
        });
      });
      indexer.start();
      return index();
    },
  };
};
