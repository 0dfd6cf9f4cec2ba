import type { Config } from '../config.ts';
import { eventRoutes } from '../core/events/routes.ts';
import type { Core } from '../core/index.ts';
import type { Identity } from '../identity/index.ts';
import type { Home } from '../storage/home/folder.ts';
import { exportRoutes } from './exports/routes.ts';
import { createExportService } from './exports/service.ts';
import { fieldRoutes } from './fields/routes.ts';
import { createFieldService } from './fields/service.ts';
import { createFieldStore } from './fields/store.ts';
import { importRoutes } from './imports/routes.ts';
import { createKindsStore } from './imports/runs/kinds-store.ts';
import { createImportService } from './imports/service.ts';
import { createImportStore } from './imports/store.ts';
import { pinnedChartRoutes } from './pinned-charts/routes.ts';
import { createPinnedChartService } from './pinned-charts/service.ts';
import { createPinnedChartStore } from './pinned-charts/store.ts';
import { calendarRoutes } from './queries/calendar/routes.ts';
import { chartRoutes } from './queries/charts/routes.ts';
import { mapRoutes } from './queries/maps/routes.ts';
import { createQueryModule } from './queries/index.ts';
import { queryRoutes } from './queries/routes.ts';
import { tableRoutes } from './queries/table/routes.ts';
import { recordViewRoutes } from './record-views/routes.ts';
import { createRecordViewService } from './record-views/service.ts';
import { createRecordViewStore } from './record-views/store.ts';
import { createRecordHandlers } from './records/handlers.ts';
import { createRecordModule } from './records/index.ts';
import { ownerRecordRoutes } from './records/owner-view/routes.ts';
import { createBrowseService } from './records/owner-view/service.ts';
import { recordMoveRoutes } from './records/moves/routes.ts';
import { recordLimitsOf } from './records/quota/record-quota.ts';
import { recordRoutes } from './records/routes.ts';
import { recordVersionRoutes } from './records/versions/routes.ts';
import { searchRoutes } from './queries/search/routes.ts';

export const createData = (parts: Core & { identity: Identity; home: Home; config: Config }) => {
  const { identity, home, config, db, events, endpoints, lifecycle } = parts;
  const { owner } = identity;

  const recordModule = createRecordModule({ ...parts, home: home.path, limits: recordLimitsOf(config.limits ?? {}) });
  lifecycle.onClose('records', () => recordModule.close());
  const { store, records, deletions } = recordModule;

  const fields = createFieldService({ ...parts, store: createFieldStore(db, parts.reader) });

  const queryModule = createQueryModule({
    ...parts,
    records: store,
    displayOf: fields.displayOf,
    fieldsOf: fields.fields,
    correctionCount: fields.correctionCount,
  });
  lifecycle.onClose('queries', () => queryModule.close());
  const { queries, table } = queryModule;

  const recordHandlers = createRecordHandlers({ records, queries });
  const pinnedCharts = createPinnedChartService({ ...parts, store: createPinnedChartStore(db) });
  const recordViews = createRecordViewService({ ...parts, store: createRecordViewStore(db) });
  const browse = createBrowseService({
    ...parts,
    store,
    records,
    table,
    displayOf: fields.displayOf,
    namespaceDisplayOf: fields.namespaceDisplayOf,
    ownFieldChoices: fields.ownFieldChoices,
  });

  const imports = createImportService({
    ...parts,
    store: createImportStore(db),
    kinds: createKindsStore(db),
    folder: home.imports,
    records,
    recordStore: store,
    evictFields: fields.evict,
  });
  lifecycle.onClose('imports', () => imports.close());

  const exports = createExportService({ ...parts, records: store, locate: records.locate, table, owner });

  return {
    records,
    recordStore: store,
    recordQuota: recordModule.quota,
    newestRecords: recordModule.newestRecords,
    recordAt(seq: number): { id: string; endpoint: string | undefined } | undefined {
      const head = store.head(seq);
      return head === undefined ? undefined : { id: head.id, endpoint: endpoints.pathOf(head.endpoint) };
    },
    deletions,
    queries,
    /** Reads for all principals but the owner. */
    nonOwnerReads: { ...queryModule.nonOwner, fieldsOf: fields.fields },
    recordTimeline: queryModule.timeline,
    isBundle: queryModule.isBundle,
    indexes: queryModule.indexes,
    recordHandlers,
    displayOf: fields.displayOf,
    endpointNameOf: (endpoint: string): string => fields.displayOf(endpoint).name,
    imports,
    exports,
    /** Search over records, to which the file module adds the text of files. */
    search: queryModule.search,
    startSearchIndexer: queryModule.startSearchIndexer,
    routes: [
      ...recordRoutes({ handlers: recordHandlers, records, deletions }),
      ...queryRoutes({ queries }),
      ...chartRoutes({ charts: queryModule.charts }),
      ...calendarRoutes({ calendar: queryModule.calendar }),
      ...mapRoutes({ maps: queryModule.maps }),
      ...tableRoutes({ table }),
      ...fieldRoutes({ fields }),
      ...searchRoutes({ search: queryModule.search }),
      ...pinnedChartRoutes({ pinnedCharts }),
      ...recordViewRoutes({ recordViews }),
      ...ownerRecordRoutes({ browse, deletions, events }),
      ...recordMoveRoutes({ moves: recordModule.moves }),
      ...recordVersionRoutes({ versions: recordModule.versions }),
      ...importRoutes({ imports }),
      ...exportRoutes({ exports }),
      ...eventRoutes({ events, endpoints, sessions: { isAlive: owner.isSessionAlive, onEnd: owner.onSessionChange } }),
    ] as const,
  };
};

export type Data = ReturnType<typeof createData>;
