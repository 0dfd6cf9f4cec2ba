import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { EventService } from '../events/service.ts';
import type { LedgerService } from '../ledger/service.ts';
import type { OutboxService } from '../outbox/service.ts';
import type { QueryService } from '../queries/service.ts';
import type { Endpoints } from '../records/service.ts';
import type { Database } from '../storage/index.ts';
import { createNotices } from './notices.ts';
import { ownerDebitRoutes } from './owner-routes.ts';
import { isOwnersName } from './proposal-rules.ts';
import { createPreviewService } from './preview.ts';
import { createProofService } from './proof.ts';
import { debitRoutes } from './routes.ts';
import { createDebitService, type DebitParts } from './service.ts';
import { createDebitStore } from './store.ts';
import { createSharing } from './values.ts';

export type DebitRoomParts = Omit<DebitParts, 'store' | 'notices'> &
  Pick<Parameters<typeof ownerDebitRoutes>[0], 'keys' | 'address' | 'url'> & {
    db: Database;
    events: EventService;
    endpoints: Endpoints;
    outbox: OutboxService;
    queries: QueryService;
    newestAt: (endpoint: string, count: number) => string[];
    ledger: Pick<LedgerService, 'write'>;
    clock: Clock;
    log: Log;
  };

/** Everything about Data Debits, put together. */
export const createDebitRoom = ({ db, ...parts }: DebitRoomParts) => {
  const store = createDebitStore(db);
  const notices = createNotices({ ...parts, store });
  const debits = createDebitService({ ...parts, store, notices });
  const sharing = createSharing({ ...parts, debits });
  const preview = createPreviewService({ ...parts, debits, sharing });
  const proofs = createProofService({ ...parts, debits, sharing });
  return {
    debits,
    notices,
    preview,
    /** Whether a bundle of this name belongs to a Data Debit. */
    holdsName: store.holdsName,
    /** Whether a request with this bundle name could be approved, whatever is approved before it. */
    isNameFree: (name: string): boolean =>
      !isOwnersName(name) && !parts.isPlainBundle(name) && !store.holdsName(name) && !store.isAnyPendingName(name),
    routes: [...debitRoutes({ debits, sharing }), ...ownerDebitRoutes({ ...parts, debits, preview, proofs })] as const,
    close: () => notices.close(),
  };
};
