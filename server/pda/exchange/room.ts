import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { publishedApplicationSchema, type Application } from '../../wire/applications.ts';
import { dataPlugSchema, type DataPlug } from '../../wire/data-plugs.ts';
import { offerSchema } from '../../wire/offers.ts';
import type { DebitService } from '../debits/service.ts';
import type { EventService } from '../events/service.ts';
import type { OwnerService } from '../owner/service.ts';
import type { Database, Transaction, Writer } from '../storage/index.ts';
import { createAccounts, type ApprovedPlug } from './accounts.ts';
import { createExchangeClient } from './client.ts';
import { createKeeper } from './keeper.ts';
import { createExchangeList } from './lists.ts';
import { createNetwork } from './network.ts';
import { createClaims, type ClaimParts } from './offers.ts';
import { ownerNetworkRoutes } from './owner-routes.ts';
import { accountsOf, endedPlugs } from './plugs.ts';
import { createRegistration } from './registration.ts';
import { nextRead } from './rules.ts';
import { exchangeRoutes } from './routes.ts';
import type { ReportCounts } from './service.ts';
import { createChoices } from './settings.ts';
import { createExchangeStore } from './store.ts';
import { createExchangeTokens, exchangeKeySchema, keysWithin } from './tokens.ts';

export type ExchangeRoomParts = Pick<
  ClaimParts,
  'writer' | 'isNameFree' | 'recordsAt' | 'previewOf' | 'clock' | 'log'
> & {
  db: Database;
  /** What config.json says: it comes before what the owner chooses. */
  fixed: { exchange: string | undefined; contracts: string | undefined };
  fetch: SafeFetch;
  owner: Pick<OwnerService, 'keys' | 'authenticate' | 'canCheck' | 'endApplicationSessions' | 'endOfferSessions'>;
  isOwnHost: (host: string) => boolean;
  /** host[:port] by which others reach this PDA; undefined while there is none. */
  address: () => string | undefined;
  events: Pick<EventService, 'tell' | 'onTopic'>;
  debits: Pick<DebitService, 'propose' | 'stateOf'>;
  /** An application of kind Data Plug that is set up and enabled. */
  approvedPlug: (application: string, tx?: Transaction) => ApprovedPlug | undefined;
  reports: ReportCounts;
  writer: Writer;
  clock: Clock;
  log: Log;
  /** From 0 to 1. */
  random?: () => number;
};

const HOUR = 3_600_000;
/** Milliseconds for which lists are good when the owner looks. */
const GOOD_FOR_MS = 60_000;
/** Milliseconds that an owner's list of applications waits for the exchange. */
const CATALOGUE_WAIT_MS = 2000;

/** The exchange as this PDA meets it: registration, its lists, Offers, and the accounts that come of them. */
export const createExchangeRoom = (parts: ExchangeRoomParts) => {
  const { db, writer, events, owner, clock, log, random = Math.random } = parts;
  const stop = new AbortController();
  const { signal } = stop;
  const store = createExchangeStore(db);
  const choices = createChoices({ store, writer, fixed: parts.fixed });
  const client = createExchangeClient({ fetch: parts.fetch, clock });
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

  /** Ends at once what a plug has that is not there any more, or not with that password. */
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
  const tokens = createExchangeTokens({ store, writer, choices, keys, isOwnHost: parts.isOwnHost, clock });

  /**
   * The exchange is left, or another one is chosen: its plugs are connected no more, and what it has told goes. Offers that were claimed stay
   * so: what the owner agreed to, the owner ends.
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

  let claimsDue = 0;
  const lookForClaims = async (): Promise<void> => {
    const { known } = await network.known();
    if (known === null) return;
    claimsDue = clock.now() + nextRead(HOUR, random());
    await claims.takeMissing(known.claims);
  };

  /** config.json may name another exchange than before the last stop, or none: nobody said then that the one before is given up. */
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
      // What was disconnected while this PDA was off must not sign in again before that is known.
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
    reports: parts.reports,
    givenUp,
    async registerNow() {
      await keeper.next(() => registration.step(true, signal));
      // Nobody waits for the lists. The owner wants what is there now, and not in an hour.
      void keeper.sync();
      for (const list of [applications, offers]) void list.renew();
      if (registration.as() !== undefined) void plugs.renew();
    },
    tell: tellNetwork,
    onChange: hear(networkListeners),
    signal,
  });

  return {
    network,
    offers: claims,
    /** Whether a Data Debit is that of an Offer which was claimed at the exchange chosen now. */
    isClaimed: (key: string) =>
      store.claims().some((row) => row.debit_key === key && row.exchange === choices.exchange()?.url),
    accounts: createAccounts({ store, approvedPlug: parts.approvedPlug, debitState }),
    /** What the exchange has published. */
    catalogue: {
      list: applications.items,
      origin: () => choices.exchange()?.url ?? '',
      onChange: hear(catalogueListeners),
      /** Reads again what is older than a minute. Waits a moment for the applications, unless the exchange failed to answer the last time. */
      async refresh(): Promise<void> {
        if (signal.aborted) return;
        const failedBefore = applications.problem() !== null;
        const read = applications.refreshIfOlder(GOOD_FOR_MS);
        if (registration.as() !== undefined) void plugs.refreshIfOlder(GOOD_FOR_MS);
        if (failedBefore) return;
        await Promise.race([read, delay(CATALOGUE_WAIT_MS, undefined, { ref: false })]);
      },
      connected(): void {
        if (!signal.aborted && registration.as() !== undefined) void plugs.renew();
      },
    },
    /** Who bears this token: somebody whom this PDA let in, or the exchange. */
    async authenticate(token: string): ReturnType<OwnerService['authenticate']> {
      const found = await owner.authenticate(token);
      if (found.principal.kind !== 'visitor') return found;
      return { principal: await tokens.authenticate(token), renewed: () => Promise.resolve(undefined) };
    },
    routes: [...exchangeRoutes({ registration, claims }), ...ownerNetworkRoutes({ network, offers: claims })] as const,
    sync: keeper.sync,
    start: () => keeper.start(),
    close: () => keeper.close(),
  };
};
