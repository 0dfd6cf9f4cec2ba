import { endsWithin } from '../../../platform/async/deadline.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { createLateBinding } from '../../../platform/service/late-binding.ts';
import { publishedApplicationSchema, type Application } from '../../../wire/applications.ts';
import { dataPlugSchema, type DataPlug } from '../../../wire/data-plugs.ts';
import { offerSchema } from '../../../wire/offers.ts';
import type { ApplicationModule } from '../../sharing/applications/index.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database, Transaction } from '../../storage/index.ts';
import { createExternalAccounts, type EnabledPlug } from './authentication/accounts.ts';
import { createExchangeClient } from './connection/client.ts';
import { createSyncWorker } from './connection/sync-worker.ts';
import { createExchangeList } from './connection/cached-list.ts';
import { createExchangeRecordReader, createNetworkService } from './connection/participation.ts';
import { createClaims, type ClaimParts } from './claims.ts';
import { ownerNetworkRoutes } from './owner-routes.ts';
import { findRevokedPlugs, selectUsablePlugs } from './authentication/data-plugs.ts';
import { createRegistration } from './connection/registration.ts';
import { isRequestDue, readDelayMs } from './rules.ts';
import { exchangeRoutes } from './routes.ts';
import type { ReportCounts } from './service.ts';
import { createExchangeSettings } from './connection/settings.ts';
import { createExchangeStore } from './store.ts';
import { createExchangeTokens, exchangeKeySchema, extractKeys } from './authentication/tokens.ts';

export type ExchangeModuleParts = Pick<
  ClaimParts,
  'writer' | 'isNameFree' | 'countRecordsAt' | 'previewOf' | 'clock' | 'log'
> & {
  db: Database;
  /** Addresses from config.json, which override the owner's choice. */
  configured: { exchange: string | undefined; contracts: string | undefined };
  fetch: SafeFetch;
  owner: Pick<
    OwnerService,
    | 'keys'
    | 'isSupportedHash'
    | 'endApplicationSessions'
    | 'endOfferSessions'
    | 'setScopeResolver'
    | 'setExternalAccounts'
    | 'setTokenResolver'
  >;
  isOwnHost: (host: string) => boolean;
  address: () => string | undefined;
  events: Pick<EventService, 'notify' | 'onTopic'>;
  debits: Pick<DebitService, 'propose' | 'stateOf'>;
  enabledPlug: (application: string, tx?: Transaction) => EnabledPlug | undefined;
  addCatalogue: ApplicationModule['addCatalogue'];
  random?: () => number;
};

const HOUR_MS = 3_600_000;
/** An older list is refreshed when the owner opens it. */
const LIST_MAX_AGE_MS = 60_000;
const CATALOGUE_WAIT_MS = 2000;

export const createExchangeModule = (parts: ExchangeModuleParts) => {
  const { db, writer, events, owner, clock, log, random = Math.random } = parts;
  const abortController = new AbortController();
  const { signal } = abortController;
  const store = createExchangeStore(db);
  const settings = createExchangeSettings({ store, writer, configured: parts.configured });
  const client = createExchangeClient({ fetch: parts.fetch, clock });
  const reports = createLateBinding<ReportCounts>('the counts of reports to the exchange');
  const networkListeners = new Set<() => void>();
  const catalogueListeners = new Set<() => void>();
  const subscribeTo = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const notifyAfterCommit = (tx: Transaction, listeners: ReadonlySet<() => void>): void =>
    tx.afterCommit(() => {
      for (const listener of listeners) listener();
    });
  const publishNetwork = (tx: Transaction): void => {
    events.notify(tx, 'network');
    notifyAfterCommit(tx, networkListeners);
  };
  const publishOffers = (tx: Transaction): void => events.notify(tx, 'offers');
  const registration = createRegistration({
    ...parts,
    keys: owner.keys,
    store,
    client,
    settings,
    publish: publishNetwork,
    random,
  });

  const listParts = { store, writer, client, settings, registration, clock, log, random, signal };
  const applications = createExchangeList<Application>(
    { ...listParts, publish: publishNetwork },
    {
      name: 'applications',
      path: '/api/v2/applications',
      entry: publishedApplicationSchema,
      key: ({ id }) => id.toLowerCase(),
      maxBytes: 4_000_000,
      maxEntries: 2000,
      intervalMs: HOUR_MS,
      token: 'optional',
      onChange: (tx) => notifyAfterCommit(tx, catalogueListeners),
    },
  );

  /** Stores the usable Data Plugs. Ends the sessions of those that were removed, or whose name or password changed. */
  const setPlugs = (tx: Transaction, plugs: readonly DataPlug[], exchange: string): void => {
    const rows = selectUsablePlugs(plugs, exchange, owner.isSupportedHash);
    for (const { application, exchange: origin } of findRevokedPlugs(store.plugsWithin(tx), rows)) {
      const plug = parts.enabledPlug(application, tx);
      if (plug?.origin === origin) owner.endApplicationSessions(tx, plug.id);
    }
    store.setPlugs(tx, rows);
  };
  const plugs = createExchangeList(
    { ...listParts, publish: publishNetwork },
    {
      name: 'dataplugs',
      path: '/api/dataplugs',
      entry: dataPlugSchema,
      key: ({ uuid }) => uuid,
      maxBytes: 4_000_000,
      maxEntries: 5000,
      intervalMs: HOUR_MS,
      token: 'required',
      onChange: setPlugs,
    },
  );
  const offers = createExchangeList(
    { ...listParts, publish: publishOffers },
    {
      name: 'offers',
      path: '/api/v2/offers?take=1000',
      entry: offerSchema,
      key: ({ offerId }) => offerId,
      maxBytes: 4_000_000,
      maxEntries: 1000,
      intervalMs: HOUR_MS,
      token: 'optional',
    },
  );
  const keys = createExchangeList(
    { ...listParts, publish: () => undefined },
    {
      name: 'keys',
      path: '/.well-known/jwks.json',
      entry: exchangeKeySchema,
      key: ({ kid }) => kid,
      maxBytes: 100_000,
      maxEntries: 50,
      intervalMs: 24 * HOUR_MS,
      token: 'optional',
      extractEntries: extractKeys,
    },
  );

  const exchangeUrl = (): string | undefined => settings.exchange()?.url;
  const debitState = (key: string) => parts.debits.stateOf(key)?.state;
  const claims = createClaims({
    ...parts,
    store,
    client,
    settings,
    registration,
    list: offers,
    debitOf: parts.debits.stateOf,
    isSupportedHash: owner.isSupportedHash,
    endSessions: owner.endOfferSessions,
    publish: publishOffers,
    signal,
  });
  const readExchangeRecord = createExchangeRecordReader({ client, settings, registration, signal });
  const tokens = createExchangeTokens({ store, writer, settings, keys, isOwnHost: parts.isOwnHost, clock });

  let claimsDueAt = 0;
  const addMissingClaims = async (): Promise<void> => {
    const { known } = await readExchangeRecord();
    if (known === null) return;
    claimsDueAt = clock.now() + readDelayMs(HOUR_MS, random());
    await claims.dropUnknown(known.claims);
    await claims.addMissing(known.claims);
  };

  /**
   * Removes the Data Plugs with their list, and the lists of all exchanges except `newExchange`. Keeps claims: only the
   * owner ends them.
   */
  const dropPreviousExchange = (tx: Transaction, newExchange: string | null): void => {
    setPlugs(tx, [], '');
    const exchange = settings.exchange();
    if (exchange !== undefined) store.dropList(tx, exchange.url, 'dataplugs');
    store.dropListsExcept(tx, newExchange);
    tx.afterCommit(() => {
      claimsDueAt = 0;
      for (const list of [applications, plugs, offers, keys]) list.clear();
    });
    notifyAfterCommit(tx, catalogueListeners);
  };

  /** Removes Data Plugs of another exchange, which remain if config.json was edited while this PDA was off. */
  const dropPlugsOfOtherExchanges = async (): Promise<void> => {
    if (store.plugs().every((row) => row.exchange === exchangeUrl())) return;
    await writer.write((tx) => {
      setPlugs(tx, [], '');
      store.dropListsExcept(tx, exchangeUrl() ?? null);
    });
  };

  const syncWorker = createSyncWorker({
    async updateRegistration() {
      await dropPlugsOfOtherExchanges();
      if (owner.keys().length > 0) await registration.reconcile(false, signal);
    },
    async refresh(isFirst) {
      if (owner.keys().length === 0) return;
      await Promise.all([applications, offers, keys].map((list) => list.refreshIfDue()));
      if (registration.identity() === undefined) return;
      // Forced after a start: a Data Plug that was disconnected while this PDA was off must not sign in.
      await (isFirst ? plugs.refresh() : plugs.refreshIfDue());
      if (isFirst || isRequestDue(claimsDueAt, clock.now())) await addMissingClaims();
    },
    abortController,
    log,
  });

  const network = createNetworkService({
    client,
    settings,
    registration,
    address: parts.address,
    catalogueAt: applications.readAt,
    reports: () => reports.find()?.() ?? { waiting: 0, sent: 0, lastSent: null },
    readExchangeRecord,
    dropPreviousExchange,
    async reconcileNow() {
      await syncWorker.enqueue(() => registration.reconcile(true, signal));
      void syncWorker.sync();
      for (const list of [applications, offers]) void list.refreshAgain();
      if (registration.identity() !== undefined) void plugs.refreshAgain();
    },
    publish: publishNetwork,
    onChange: subscribeTo(networkListeners),
  });

  const accounts = createExternalAccounts({ store, enabledPlug: parts.enabledPlug, debitState });
  owner.setExternalAccounts(accounts);
  owner.setScopeResolver('offer', accounts.scopesOfOffer);
  owner.setTokenResolver(tokens.authenticate);
  parts.addCatalogue({
    list: applications.items,
    origin: () => exchangeUrl() ?? '',
    onChange: subscribeTo(catalogueListeners),
    /** Refreshes lists older than a minute. Waits briefly for the applications, unless the last read failed. */
    async refresh(): Promise<void> {
      if (signal.aborted) return;
      const hasFailed = applications.problem() !== null;
      const applicationsRefresh = applications.refreshIfOlder(LIST_MAX_AGE_MS);
      if (registration.identity() !== undefined) void plugs.refreshIfOlder(LIST_MAX_AGE_MS);
      if (hasFailed) return;
      await endsWithin(CATALOGUE_WAIT_MS, applicationsRefresh);
    },
    refreshPlugs(): void {
      if (!signal.aborted && registration.identity() !== undefined) void plugs.refreshAgain();
    },
  });

  return {
    network,
    offers: claims,
    isClaimed: (key: string) => store.claims().some((row) => row.debit_key === key && row.exchange === exchangeUrl()),
    setReportCounts: reports.register,
    routes: [...exchangeRoutes({ registration, claims }), ...ownerNetworkRoutes({ network, offers: claims })] as const,
    sync: syncWorker.sync,
    start: () => syncWorker.start(),
    close: () => syncWorker.close(),
  };
};
