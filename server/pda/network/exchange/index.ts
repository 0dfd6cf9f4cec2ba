import type { Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { endsWithin } from '../../../platform/async/deadline.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { createLateBinding } from '../../../platform/service/late-binding.ts';
import { publishedApplicationSchema, type Application } from '../../../wire/applications.ts';
import { dataPlugSchema, type DataPlug } from '../../../wire/data-plugs.ts';
import { offerSchema } from '../../../wire/offers.ts';
import type { ApplicationRoom } from '../../sharing/applications/index.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Database, Transaction, Writer } from '../../storage/index.ts';
import { createAccounts, type ApprovedPlug } from './authentication/accounts.ts';
import { createExchangeClient } from './connection/client.ts';
import { createKeeper } from './connection/sync-worker.ts';
import { createExchangeList } from './connection/cached-list.ts';
import { createKnownReader, createNetwork } from './connection/participation.ts';
import { createClaims, type ClaimParts } from './claims.ts';
import { ownerNetworkRoutes } from './owner-routes.ts';
import { accountsOf, endedPlugs } from './authentication/data-plugs.ts';
import { createRegistration } from './connection/registration.ts';
import { nextRead } from './rules.ts';
import { exchangeRoutes } from './routes.ts';
import type { ReportCounts } from './service.ts';
import { createChoices } from './connection/settings.ts';
import { createExchangeStore } from './store.ts';
import { createExchangeTokens, exchangeKeySchema, keysWithin } from './authentication/tokens.ts';

export type ExchangeRoomParts = Pick<
  ClaimParts,
  'writer' | 'isNameFree' | 'recordsAt' | 'previewOf' | 'clock' | 'log'
> & {
  db: Database;
  /** Addresses set in config.json. They override what the owner chooses. */
  fixed: { exchange: string | undefined; contracts: string | undefined };
  fetch: SafeFetch;
  owner: Pick<
    OwnerService,
    | 'keys'
    | 'canCheck'
    | 'endApplicationSessions'
    | 'endOfferSessions'
    | 'addPrincipalResolver'
    | 'setExternalAccounts'
    | 'setTokenResolver'
  >;
  isOwnHost: (host: string) => boolean;
  /** host[:port] by which others reach this PDA; undefined while there is none. */
  address: () => string | undefined;
  events: Pick<EventService, 'tell' | 'onTopic'>;
  debits: Pick<DebitService, 'propose' | 'stateOf'>;
  /** An application of kind Data Plug that is set up and enabled. */
  approvedPlug: (application: string, tx?: Transaction) => ApprovedPlug | undefined;
  /** Registers the applications of the exchange. */
  addCatalogue: ApplicationRoom['addCatalogue'];
  writer: Writer;
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random?: () => number;
};

const HOUR = 3_600_000;
/** Age from which a list is read again when the owner opens it. */
const LIST_MAX_AGE_MS = 60_000;
/** How long the owner's list of applications waits for the exchange. */
const CATALOGUE_WAIT_MS = 2000;

const NO_REPORTS = { waiting: 0, sent: 0, lastSent: null };

/** Creates the client of the exchange, and registers the exchange's accounts, tokens and applications. */
export const createExchangeRoom = (parts: ExchangeRoomParts) => {
  const { db, writer, events, owner, clock, log, random = Math.random } = parts;
  const stop = new AbortController();
  const { signal } = stop;
  const store = createExchangeStore(db);
  const choices = createChoices({ store, writer, fixed: parts.fixed });
  const client = createExchangeClient({ fetch: parts.fetch, clock });
  const reports = createLateBinding<ReportCounts>('the counts of reports to the exchange');
  const networkListeners = new Set<() => void>();
  const catalogueListeners = new Set<() => void>();
  const hear = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const afterwards = (tx: Transaction, listeners: ReadonlySet<() => void>): void =>
    tx.afterCommit(() => {
      for (const listener of listeners) listener();
    });
  const tellNetwork = (tx: Transaction): void => {
    events.tell(tx, 'network');
    afterwards(tx, networkListeners);
  };
  const tellOffers = (tx: Transaction): void => events.tell(tx, 'offers');
  const registration = createRegistration({
    ...parts,
    keys: owner.keys,
    store,
    client,
    choices,
    tell: tellNetwork,
    random,
  });

  const listParts = { store, writer, client, choices, registration, clock, log, random, signal };
  const applications = createExchangeList<Application>(
    { ...listParts, tell: tellNetwork },
    {
      name: 'applications',
      path: '/api/v2/applications',
      entry: publishedApplicationSchema,
      key: ({ id }) => id.toLowerCase(),
      maxBytes: 4_000_000,
      maxEntries: 2000,
      every: HOUR,
      token: 'if-there',
      changed: (tx) => afterwards(tx, catalogueListeners),
    },
  );

  /** Stores the Data Plugs and ends the sessions of those that are gone or have another password. */
  const setPlugs = (tx: Transaction, plugs: readonly DataPlug[], exchange: string): void => {
    const rows = accountsOf(plugs, exchange, owner.canCheck);
    for (const { application, exchange: from } of endedPlugs(store.plugsWithin(tx), rows)) {
      const approved = parts.approvedPlug(application, tx);
      if (approved?.origin === from) owner.endApplicationSessions(tx, approved.id);
    }
    store.setPlugs(tx, rows);
  };
  const plugs = createExchangeList(
    { ...listParts, tell: tellNetwork },
    {
      name: 'dataplugs',
      path: '/api/dataplugs',
      entry: dataPlugSchema,
      key: ({ uuid }) => uuid,
      maxBytes: 4_000_000,
      maxEntries: 5000,
      every: HOUR,
      token: 'wanted',
      changed: setPlugs,
    },
  );
  const offers = createExchangeList(
    { ...listParts, tell: tellOffers },
    {
      name: 'offers',
      path: '/api/v2/offers?take=1000',
      entry: offerSchema,
      key: ({ offerId }) => offerId,
      maxBytes: 4_000_000,
      maxEntries: 1000,
      every: HOUR,
      token: 'if-there',
    },
  );
  const keys = createExchangeList(
    { ...listParts, tell: () => undefined },
    {
      name: 'keys',
      path: '/.well-known/jwks.json',
      entry: exchangeKeySchema,
      key: ({ kid }) => kid,
      maxBytes: 100_000,
      maxEntries: 50,
      every: 24 * HOUR,
      token: 'if-there',
      within: keysWithin,
    },
  );

  const chosen = (): string | undefined => choices.exchange()?.url;
  const debitState = (key: string) => parts.debits.stateOf(key)?.state;
  const claims = createClaims({
    ...parts,
    store,
    client,
    choices,
    registration,
    list: offers,
    debitOf: parts.debits.stateOf,
    isCheckable: owner.canCheck,
    endSessions: (tx, offer) => void owner.endOfferSessions(tx, offer),
    tell: tellOffers,
    signal,
  });
  const known = createKnownReader({ client, choices, registration, signal });
  const tokens = createExchangeTokens({ store, writer, choices, keys, isOwnHost: parts.isOwnHost, clock });

  let claimsDue = 0;
  const lookForClaims = async (): Promise<void> => {
    const { known: told } = await known();
    if (told === null) return;
    claimsDue = clock.now() + nextRead(HOUR, random());
    await claims.takeMissing(told.claims);
  };

  /**
   * Forgets the exchange when it is left or another one is chosen: disconnects its Data Plugs and deletes its lists. Claims stay, because only the
   * owner ends what the owner agreed to.
   */
  const givenUp = (tx: Transaction, now: string | null): void => {
    setPlugs(tx, [], '');
    const before = choices.exchange();
    if (before !== undefined) store.dropList(tx, before.url, 'dataplugs');
    store.dropListsBut(tx, now);
    tx.afterCommit(() => {
      claimsDue = 0;
      for (const list of [applications, plugs, offers, keys]) list.forget();
    });
    afterwards(tx, catalogueListeners);
  };

  /** Disconnects the Data Plugs of a former exchange. Needed when config.json was edited while this PDA was off. */
  const dropOthersPlugs = async (): Promise<void> => {
    if (store.plugs().every((row) => row.exchange === chosen())) return;
    await writer.write((tx) => {
      setPlugs(tx, [], '');
      store.dropListsBut(tx, chosen() ?? null);
    });
  };

  const keeper = createKeeper({
    async stand() {
      await dropOthersPlugs();
      if (owner.keys().length > 0) await registration.step(false, signal);
    },
    async read(isFirst) {
      if (owner.keys().length === 0) return;
      await Promise.all([applications, offers, keys].map((list) => list.refreshIfDue()));
      if (registration.as() === undefined) return;
      // The first read after a start is forced: a Data Plug that was disconnected in the meantime must not sign in.
      await (isFirst ? plugs.refresh() : plugs.refreshIfDue());
      if (isFirst || clock.now() >= claimsDue) await lookForClaims();
    },
    stop,
    log,
  });

  const network = createNetwork({
    client,
    choices,
    registration,
    address: parts.address,
    catalogueAt: applications.readAt,
    reports: () => reports.find()?.() ?? NO_REPORTS,
    known,
    givenUp,
    async registerNow() {
      await keeper.next(() => registration.step(true, signal));
      // Refresh the lists now, in the background: their next regular refresh may be an hour away.
      void keeper.sync();
      for (const list of [applications, offers]) void list.renew();
      if (registration.as() !== undefined) void plugs.renew();
    },
    tell: tellNetwork,
    onChange: hear(networkListeners),
  });

  const accounts = createAccounts({ store, approvedPlug: parts.approvedPlug, debitState });
  owner.setExternalAccounts(accounts);
  owner.addPrincipalResolver('offer', accounts.scopesOfOffer);
  owner.setTokenResolver(tokens.authenticate);
  parts.addCatalogue({
    list: applications.items,
    origin: () => choices.exchange()?.url ?? '',
    onChange: hear(catalogueListeners),
    /** Refreshes lists older than a minute. Waits briefly for the applications, unless the last read failed. */
    async refresh(): Promise<void> {
      if (signal.aborted) return;
      const failedBefore = applications.problem() !== null;
      const read = applications.refreshIfOlder(LIST_MAX_AGE_MS);
      if (registration.as() !== undefined) void plugs.refreshIfOlder(LIST_MAX_AGE_MS);
      if (failedBefore) return;
      await endsWithin(CATALOGUE_WAIT_MS, read);
    },
    connected(): void {
      if (!signal.aborted && registration.as() !== undefined) void plugs.renew();
    },
  });

  return {
    network,
    offers: claims,
    /** Whether a Data Debit belongs to an Offer that was claimed at the current exchange. */
    isClaimed: (key: string) =>
      store.claims().some((row) => row.debit_key === key && row.exchange === choices.exchange()?.url),
    /** Registers where the counts of reports come from. */
    setReportCounts: reports.register,
    routes: [...exchangeRoutes({ registration, claims }), ...ownerNetworkRoutes({ network, offers: claims })] as const,
    sync: keeper.sync,
    start: () => keeper.start(),
    close: () => keeper.close(),
  };
};
