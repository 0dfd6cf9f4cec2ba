import type { Config } from '../config.ts';
import type { Core } from '../core/index.ts';
import type { Data } from '../data/index.ts';
import type { Identity } from '../identity/index.ts';
import { createDecisionDayCounter } from './access-log/entries/decision-day-store.ts';
import { createAccessLogModule } from './access-log/index.ts';
import { createApplicationModule } from './applications/index.ts';
import { createContractModule } from './contracts/index.ts';
import { createDebitModule } from './debits/index.ts';
import { createReviewService } from './reviews/service.ts';
import { createReviewStore } from './reviews/store.ts';
import { createSharedViews } from './shared-views/index.ts';
import { createWebhookModule } from './webhooks/index.ts';

/** Creates the services that grant and record access to data. */
export const createSharing = (parts: Core & { identity: Identity; data: Data; config: Config }) => {
  const { identity, data, config, db, writer, endpoints, ownAddresses, reachableHost, safeFetch, lifecycle } = parts;
  const { owner, users } = identity;
  const { queries, isBundle, newestRecords } = data;

  const webhookModule = createWebhookModule({ ...parts, keys: owner.keys });
  lifecycle.onClose('outbox', () => webhookModule.close());
  const { outbox } = webhookModule;

  const accessLog = createAccessLogModule({
    ...parts,
    owner,
    userNameOf: users.nameOf,
    endpointNameOf: data.endpointNameOf,
  });
  lifecycle.onClose('access log', () => accessLog.close());
  const { ledger } = accessLog;
  owner.onAccountChange(accessLog.recordAccountEvent);
  accessLog.addRecordSource(data.recordAt);

  const reviews = createReviewService({ store: createReviewStore(db), writer });

  const debitModule = createDebitModule({
    ...parts,
    reviews,
    outbox,
    ledger,
    queries,
    newestRecords,
    isPlainBundle: isBundle,
    reconcileIndexes: data.indexes.reconcile,
    keys: owner.keys,
    address: ownAddresses.ownHost,
    url: ownAddresses.publicUrl,
  });
  lifecycle.onClose('debits', () => debitModule.close());
  const { debits } = debitModule;

  accessLog.names.addLookup('debit', debits.requesterNameOf);

  const sharedViewModule = createSharedViews({ ...parts, users, records: data.records, reads: data.nonOwnerReads });

  const contractModule = createContractModule({
    ...parts,
    recordHandlers: data.recordHandlers,
    keys: owner.keys,
    publicAddress: reachableHost,
    address: () => reachableHost() ?? ownAddresses.ownHost(),
    ownerName: () => owner.profile()?.name,
    usageOf: (contract) => ledger.summarisePrincipal('contract', contract),
  });
  lifecycle.onClose('contracts', () => contractModule.close());

  accessLog.names.addLookup('contract', contractModule.contracts.nameOf);

  const applicationModule = createApplicationModule({
    ...parts,
    accessLog,
    contractModule,
    owner,
    reviews,
    debits,
    configured: config.applications ?? [],
    newestAt: (endpoint) => endpoints.summary(endpoint)?.last_created ?? null,
    fetch: safeFetch,
    ownHost: ownAddresses.ownHost,
    lastRequests: ledger.lastRequests,
    previewOf: debitModule.preview.previewBundle,
  });
  lifecycle.onClose('applications', () => applicationModule.close());

  return {
    accessLog,
    ledger,
    countDecisionsByDay: createDecisionDayCounter(parts.reader),
    outbox,
    sharedViews: sharedViewModule.sharedViews,
    sharedViewReads: sharedViewModule.sharedViewReads,
    debits,
    debitNotifier: debitModule.notifier,
    previewOf: debitModule.preview.previewBundle,
    isBundleNameFree: debitModule.isNameFree,
    contracts: contractModule.contracts,
    setContractsUrl: contractModule.setContractsUrl,
    applications: applicationModule.applications,
    approvedVersion: applicationModule.approvedVersion,
    enabledPlug: applicationModule.enabledPlug,
    addCatalogue: applicationModule.addCatalogue,
    routes: [
      ...debitModule.routes,
      ...applicationModule.routes,
      ...contractModule.routes,
      ...accessLog.routes,
      ...sharedViewModule.routes,
      ...webhookModule.routes,
    ] as const,
  };
};

export type Sharing = ReturnType<typeof createSharing>;
