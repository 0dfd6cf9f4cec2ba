import type { Config } from '../config.ts';
import { eventRoutes } from '../core/events/routes.ts';
import type { Core } from '../core/index.ts';
import { placeOf } from '../core/sequence.ts';
import type { Identity } from '../identity/index.ts';
import type { Home } from '../storage/home/folder.ts';
import { exportRoutes } from './exports/routes.ts';
import { createExportService } from './exports/service.ts';
import { fieldRoutes } from './fields/routes.ts';
import { createFieldService } from './fields/service.ts';
import { createFieldStore } from './fields/store.ts';
import { createImportRoom } from './imports/index.ts';
import { chartRoutes } from './queries/charts/routes.ts';
import { createQueryRoom } from './queries/index.ts';
import { queryRoutes } from './queries/routes.ts';
import { createDataCalls } from './records/handlers.ts';
import { createRecordRoom } from './records/index.ts';
import { ownerRecordRoutes } from './records/owner-view/routes.ts';
import { createBrowseService } from './records/owner-view/service.ts';
import { createBrowseStore } from './records/owner-view/store.ts';
import { recordLimitsOf } from './records/quota/record-quota.ts';
import { recordRoutes } from './records/routes.ts';

export type DataParts = Core & { identity: Identity; home: Home; config: Config };

/** Creates records, queries, imports and exports. */
export const createData = (parts: DataParts) => {
  const { identity, home, config, db, events, endpoints, lifecycle } = parts;
  const { owner } = identity;

  const recordRoom = createRecordRoom({ ...parts, home: home.path, limits: recordLimitsOf(config) });
  lifecycle.onClose('records', () => recordRoom.close());
  const { store, records, deletions } = recordRoom;

  const queryRoom = createQueryRoom({ ...parts, records: store });
  lifecycle.onClose('indexes', () => queryRoom.close());
  const { queries } = queryRoom;

  const calls = createDataCalls({ records, queries });
  const browse = createBrowseService({ ...parts, store: createBrowseStore(db), records, queries });

  const importRoom = createImportRoom({ ...parts, folder: home.imports, placeOf, records, recordStore: store });
  lifecycle.onClose('imports', () => importRoom.close());
  const { imports } = importRoom;

  const fields = createFieldService({ ...parts, store: createFieldStore(db, parts.reader) });

  const exports = createExportService({ ...parts, records: store, owner });

  return {
    records,
    recordStore: store,
    recordQuota: recordRoom.quota,
    newestRecords: recordRoom.newestAt,
    /** Id and endpoint of a record by its sequence number. */
    recordAt(seq: number): { id: string; endpoint: string | undefined } | undefined {
      const head = store.head(seq);
      return head === undefined ? undefined : { id: head.id, endpoint: endpoints.pathOf(head.endpoint) };
    },
    deletions,
    queries,
    isBundle: queryRoom.isBundle,
    indexes: queryRoom.indexes,
    calls,
    browse,
    imports,
    exports,
    routes: [
      ...recordRoutes({ calls, records, deletions }),
      ...queryRoutes({ queries }),
      ...chartRoutes({ charts: queryRoom.charts }),
      ...fieldRoutes({ fields }),
      ...ownerRecordRoutes({ browse, deletions, events }),
      ...importRoom.routes,
      ...exportRoutes({ exports }),
      ...eventRoutes({ events, endpoints, sessions: { isAlive: owner.isSessionAlive, onEnd: owner.onSessionChange } }),
    ] as const,
  };
};

export type Data = ReturnType<typeof createData>;
