import type { Log } from '../../../platform/log.ts';
import type { EndpointDisplay, EndpointFields } from '../../../wire/fields.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Database, DatabaseThread } from '../../storage/index.ts';
import { createCalendarService } from './calendar/service.ts';
import { createCalendarStore } from './calendar/store.ts';
import { createChartService } from './charts/service.ts';
import { createChartStore, defineSeriesIndex } from './charts/store.ts';
import { createMapService } from './maps/service.ts';
import { createMapStore } from './maps/store.ts';
import { createBundleSources } from './bundle-sources.ts';
import { createIndexUses } from './indexes/index-uses.ts';
import { createIndexManager } from './indexes/manager.ts';
import { collectRequiredIndexes } from './indexes/requirements.ts';
import { createSearchIndexer } from './search/indexer.ts';
import { createSearchService } from './search/service.ts';
import { createSearchStore } from './search/store.ts';
import { createQueryService, type QueryParts } from './service.ts';
import { createQueryStore } from './store.ts';
import { createTableService } from './table/service.ts';
import { defineTableIndex } from './table/statements.ts';
import { createTableStore, isTableRead } from './table/store.ts';
import { createRecordTimeline } from './timeline/service.ts';
import { createRecordTimelineStore } from './timeline/store.ts';

type QueryModuleParts = Omit<QueryParts, 'store' | 'indexes' | 'sources'> & {
  db: Database;
  maintenance: DatabaseThread;
  events: EventService;
  log: Log;
  displayOf: (endpoint: string) => EndpointDisplay;
  /** @throws Failure not_found | query_limit_exceeded */
  fieldsOf: (endpoint: string) => Promise<EndpointFields>;
  /** Returns a number that changes when the owner corrects fields. */
  correctionCount: () => number;
};

export const createQueryModule = ({
  db,
  maintenance,
  events,
  log,
  displayOf,
  fieldsOf,
  correctionCount,
  ...parts
}: QueryModuleParts) => {
  const store = createQueryStore(db);
  const sources = createBundleSources();
  const tableStore = createTableStore(db);
  const { endpoints, writer } = parts;
  const tableIndexes = () =>
    tableStore.list().flatMap(({ endpoint: path, read }) => {
      const id = endpoints.find(path);
      if (id === undefined) return [];
      return [{ ...(isTableRead(read) ? defineTableIndex(id, read) : defineSeriesIndex(id, read.series)), path }];
    });
  const indexes = createIndexManager({
    store,
    writer,
    maintenance,
    log,
    collectRequiredIndexes: () => collectRequiredIndexes({ store, endpoints, writer, sources, tableIndexes }),
  });
  const indexUses = createIndexUses({ store: tableStore, writer, indexes, clock: parts.clock, log });
  const searchStore = createSearchStore(db, parts.reader);
  const searchIndexer = createSearchIndexer({ store: searchStore, writer, events, log });
  const createThreadReads = (reader: DatabaseThread) => ({
    table: createTableService({ ...parts, reader, store: tableStore, indexes, indexUses, fieldsOf }),
    charts: createChartService({ endpoints, store: createChartStore(reader), indexes, indexUses }),
    calendar: createCalendarService({ endpoints, store: createCalendarStore(reader) }),
    maps: createMapService({ endpoints, store: createMapStore(reader) }),
  });
  return {
    queries: createQueryService({ ...parts, store, indexes, sources }),
    ...createThreadReads(parts.reader),
    /** Reads for all principals but the owner. */
    nonOwner: createThreadReads(parts.nonOwnerThread),
    timeline: createRecordTimeline({
      store: createRecordTimelineStore(parts.reader),
      charts: createChartStore(parts.reader),
      searchStore,
      fieldsOf,
      correctionCount,
    }),
    indexes,
    isBundle: (name: string): boolean => store.bundles.find(name) !== undefined,
    search: createSearchService({ store: searchStore, indexer: searchIndexer, writer, displayOf, log }),
    startSearchIndexer: searchIndexer.start,
    async close() {
      await Promise.all([indexes.close(), searchIndexer.close()]);
    },
  };
};
