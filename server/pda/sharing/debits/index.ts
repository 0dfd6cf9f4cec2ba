import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import type { EventService } from '../../core/events/service.ts';
import type { AccessLogService } from '../access-log/service.ts';
import type { OutboxService } from '../webhooks/service.ts';
import type { QueryService } from '../../data/queries/service.ts';
import type { Endpoints } from '../../data/records/service.ts';
import type { Database } from '../../storage/index.ts';
import { createDebitCache } from './debit-cache.ts';
import { createDebitNotifier } from './lifecycle/notifier.ts';
import { ownerDebitRoutes } from './owner-routes.ts';
import { isOwnersBundleName } from './lifecycle/proposal-rules.ts';
import { loadDebit } from './permissions/mapping.ts';
import { createPreviewService } from './values/preview.ts';
import { createProofService } from './values/proof.ts';
import { debitRoutes } from './routes.ts';
import { createDebitService, type DebitParts } from './service.ts';
import { createDebitStore } from './store.ts';
import { createDebitValues } from './values/reader.ts';

export type DebitModuleParts = Omit<DebitParts, 'store' | 'cache' | 'notifier' | 'accessSummaryOf'> &
  Pick<Parameters<typeof ownerDebitRoutes>[0], 'keys' | 'address' | 'url'> & {
    db: Database;
    events: EventService;
    endpoints: Endpoints;
    outbox: OutboxService;
    queries: QueryService;
    newestRecords: (endpoint: string, count: number) => string[];
    ledger: Pick<AccessLogService, 'write' | 'record' | 'summariseDebit'>;
    clock: Clock;
    log: Log;
  };

/** Creates the Data Debit module and registers its bundles with the query service. */
export const createDebitModule = ({ db, ...parts }: DebitModuleParts) => {
  const store = createDebitStore(db);
  const cache = createDebitCache({ load: (key) => loadDebit(store, key), isInTransaction: store.isInTransaction });
  const notifier = createDebitNotifier({ ...parts, store, cache });
  const debits = createDebitService({ ...parts, store, cache, notifier, accessSummaryOf: parts.ledger.summariseDebit });
  parts.queries.addBundleSource({ bundles: debits.bundles, hasName: store.hasName });
  const debitValues = createDebitValues({ ...parts, debits });
  const preview = createPreviewService({ ...parts, debits, debitValues });
  const proofs = createProofService({ ...parts, debits, debitValues });
  return {
    debits,
    notifier,
    preview,
    /**
     * Returns false if the name is reserved for the owner, or if it belongs to a plain bundle, a Data Debit or a
     * pending request.
     */
    isNameFree: (name: string): boolean =>
      !isOwnersBundleName(name) && !parts.isPlainBundle(name) && !store.hasName(name) && !store.isAnyPendingName(name),
    routes: [
      ...debitRoutes({ debits, debitValues }),
      ...ownerDebitRoutes({ ...parts, debits, preview, proofs }),
    ] as const,
    close: () => notifier.close(),
  };
};
