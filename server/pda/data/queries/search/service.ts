import { isoTime } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import { createLateBinding } from '../../../../platform/service/late-binding.ts';
import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { EndpointDisplay } from '../../../../wire/fields.ts';
import type { FileMatch, RecordSearch, SearchIndex, SearchIndexChange } from '../../../../wire/search.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { SearchIndexer } from './indexer.ts';
import { createExcerpt, toMatchExpression } from './rules.ts';
import type { MatchRow, SearchOptions, SearchStore } from './store.ts';

export type { SearchOptions, SearchSettings } from './store.ts';

/**
 * `bytes`: size of the texts and, if it was measured, of their index. The others are numbers of files. `remaining`: not
 * in the index yet; `unopened`: cannot be opened at the moment; `unreadable`: the text could not be read; `leftOut`:
 * not searched, because the texts have reached their limit.
 */
export type FileTextSize = {
  bytes: number;
  remaining: number;
  unopened: number;
  unreadable: number;
  leftOut: number;
};

/** Search over the text of files, which the file module implements. */
export type FileTextSearch = {
  /**
   * Returns the files with the best matches, or the newest ones if there are too many to rank.
   * @param match FTS5 expression
   * @param text the search as typed, for excerpts
   */
  search(match: string, text: string, options: SearchOptions): Promise<FileMatch[]>;
  /** Returns true if no file remains to be read, except those that cannot be opened at the moment. */
  isComplete(): boolean;
  /**
   * Returns the size of the texts, and of their index unless the index is growing.
   * @param options.isIdle false while the caller polls the progress of other work: the size of the index is omitted
   */
  size(options: { isIdle: boolean }): Promise<FileTextSize>;
  /** Marks all files for a comparison with the settings that the same transaction changes. */
  requeue(tx: Transaction): void;
  start(): void;
};

export type SearchService = ReturnType<typeof createSearchService>;

/** Full-text search over the records of all endpoints and the text of files. */
export const createSearchService = (parts: {
  store: SearchStore;
  indexer: SearchIndexer;
  writer: Writer;
  displayOf: (endpoint: string) => EndpointDisplay;
  log: Log;
}) => {
  const { store, indexer, writer, displayOf, log } = parts;
  const fileTexts = createLateBinding<FileTextSearch>('the text of files');

  const index = async (): Promise<SearchIndex> => {
    const { enabled, excludedSources, fileTexts: searchesFiles } = store.settings();
    const { bytes, remaining } = await store.size();
    const files = await fileTexts.get().size({ isIdle: !enabled || remaining === 0 });
    return {
      enabled,
      excludedSources,
      bytes,
      remaining: enabled ? remaining : 0,
      fileTexts: { enabled: searchesFiles, ...files, remaining: searchesFiles ? files.remaining : 0 },
    };
  };

  const toRecordMatch = ({ id, path, created, text: recordText }: MatchRow, text: string) => ({
    recordId: id,
    endpoint: path,
    ...displayOf(path),
    excerpt: createExcerpt(recordText, text),
    dateCreated: isoTime(created),
  });

  /** Searches the text of files. If this fails, the result is empty and incomplete, so that records are still found. */
  const searchFiles = async (
    match: string | undefined,
    text: string,
    options: SearchOptions,
  ): Promise<RecordSearch['files']> => {
    try {
      const matches = match === undefined ? [] : await fileTexts.get().search(match, text, options);
      return { matches, isComplete: fileTexts.get().isComplete() };
    } catch (error) {
      log.warn({ err: error }, 'failed to search the text of files');
      return { matches: [], isComplete: false };
    }
  };

  return {
    /** @throws Error if called twice */
    setFileTexts: fileTexts.register,
    settings: store.settings,

    /**
     * Returns the best matches, or the newest ones if there are too many to rank; none for a search without words.
     * @throws Failure query_limit_exceeded
     */
    async search(text: string, take: number): Promise<RecordSearch> {
      const match = toMatchExpression(text);
      const { enabled, excludedSources, fileTexts: searchesFiles } = store.settings();
      const options = { take, excludedSources };
      const [rows, files] = await Promise.all([
        enabled && match !== undefined ? mapReadErrors(store.search(match, options)) : [],
        searchesFiles ? searchFiles(match, text, options) : { matches: [], isComplete: false },
      ]);
      return {
        matches: rows.map((row) => toRecordMatch(row, text)),
        isComplete: enabled && store.isComplete(),
        files,
      };
    },

    index,

    /** Changes the settings of the search. Setting `enabled` or `excludedSources` clears the index of records. */
    async change(change: SearchIndexChange): Promise<SearchIndex> {
      const { enabled, excludedSources, fileTexts: searchesFiles } = change;
      await writer.write((tx) => {
        const settings = store.settings();
        if (enabled !== undefined || excludedSources !== undefined) store.clear(tx);
        store.saveSettings(tx, {
          enabled: enabled ?? settings.enabled,
          excludedSources: excludedSources ?? settings.excludedSources,
          fileTexts: searchesFiles ?? settings.fileTexts,
        });
        if (excludedSources !== undefined || searchesFiles !== undefined) fileTexts.get().requeue(tx);
      });
      indexer.start();
      fileTexts.get().start();
      return index();
    },
  };
};
