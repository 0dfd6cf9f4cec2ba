import type { Config } from '../config.ts';
import type { Core } from '../core/index.ts';
import type { Data } from '../data/index.ts';
import type { Identity } from '../identity/index.ts';
import { createAccessLogRoom } from './access-log/index.ts';
import { createApplicationRoom } from './applications/index.ts';
import { createContractRoom } from './contracts/index.ts';
import { createDebitRoom } from './debits/index.ts';
import { createReviewService } from './reviews/service.ts';
import { createReviewStore } from './reviews/store.ts';
import { createWebhookRoom } from './webhooks/index.ts';

export type SharingParts = Core & { identity: Identity; data: Data; config: Config };

/** Creates the services that grant access to data and record it: Data Debits, applications, contracts, webhooks and access log. */
export const createSharing = (parts: SharingParts) => {
  const { identity, data, config, db, writer, endpoints, hosts, reachableHost, safeFetch, lifecycle } = parts;
  const { owner, users } = identity;
  const { queries, isBundle, newestRecords } = data;

  const webhookRoom = createWebhookRoom({ ...parts, keys: owner.keys });
  lifecycle.onClose('outbox', () => webhookRoom.close());
  const { outbox } = webhookRoom;

  const accessLog = createAccessLogRoom({ ...parts, personName: users.nameOf });
  lifecycle.onClose('access log', () => accessLog.close());
  const { ledger } = accessLog;
  owner.onAccountChange(accessLog.noteAccount);
  accessLog.addRecordSource(data.recordAt);

  const reviews = createReviewService({ store: createReviewStore(db), writer });

  const debitRoom = createDebitRoom({
    ...parts,
    reviews,
    outbox,
    ledger,
    queries,
    newestAt: newestRecords,
    isPlainBundle: isBundle,
    settleIndexes: data.indexes.reconcile,
    keys: owner.keys,
    address: hosts.own,
    url: hosts.publicUrl,
  });
  lifecycle.onClose('debits', () => debitRoom.close());
  const { debits } = debitRoom;

  const contractRoom = createContractRoom({
    ...parts,
    calls: data.recordHandlers,
    keys: owner.keys,
    address: () => reachableHost() ?? hosts.own(),
    ownerName: () => owner.profile()?.name,
    useOf: ledger.ofContract,
  });
  lifecycle.onClose('contracts', () => contractRoom.close());

  const applicationRoom = createApplicationRoom({
    ...parts,
    accessLog,
    contractRoom,
    owner,
    reviews,
    debits,
    configured: config.applications ?? [],
    endpoints: data.browse.endpoints,
    newestAt: (endpoint) => endpoints.summary(endpoint)?.last_created ?? null,
    fetch: safeFetch,
    ownHost: hosts.own,
    previewOf: debitRoom.preview.ofBundle,
  });
  lifecycle.onClose('applications', () => applicationRoom.close());

  return {
    accessLog,
    ledger,
    outbox,
    debits,
    debitNotifier: debitRoom.notifier,
    previewOf: debitRoom.preview.ofBundle,
    isBundleNameFree: debitRoom.isNameFree,
    contracts: contractRoom.contracts,
    setContractsService: contractRoom.setService,
    applications: applicationRoom.applications,
    approvedVersion: applicationRoom.approvedVersion,
    approvedPlug: applicationRoom.approvedPlug,
    addCatalogue: applicationRoom.addCatalogue,
    routes: [
      ...debitRoom.routes,
      ...applicationRoom.routes,
      ...contractRoom.routes,
      ...accessLog.routes,
      ...webhookRoom.routes,
    ] as const,
  };
};

export type Sharing = ReturnType<typeof createSharing>;
