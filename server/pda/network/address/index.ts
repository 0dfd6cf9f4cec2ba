import { rootCertificates } from 'node:tls';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../../platform/clock.ts';
import type { HttpServer } from '../../../platform/http/application.ts';
import type { ConnectionOrigin } from '../../../platform/http/listener.ts';
import type { Log } from '../../../platform/log.ts';
import { createLateBinding } from '../../../platform/service/late-binding.ts';
import { createLookup, type Resolver } from '../../../platform/outbound/dns-lookup.ts';
import { systemTimers, type Timers } from '../../../platform/tunnel/timers.ts';
import type { ContractService } from '../../sharing/contracts/service.ts';
import type { DebitService } from '../../sharing/debits/service.ts';
import type { SharedViewService } from '../../sharing/shared-views/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { NetworkService } from '../exchange/service.ts';
import type { AccountEvent, OwnerService } from '../../identity/owner/service.ts';
import type { Database, Transaction, Writer } from '../../storage/index.ts';
import { createExposure } from './exposure.ts';
import { createLocaltunnel } from './localtunnel/client.ts';
import { createProber, PROBE_HEADER } from './reachability/probe.ts';
import { createPublicListener, type PublicPortSettings } from './transport/public-listener.ts';
import { createOwnAddress } from './transport/reverse-proxy.ts';
import { ownerExposureRoutes } from './owner-routes.ts';
import { createRelayTunnel } from './relay/tunnel.ts';
import type { CreateCertificateManager } from './service.ts';
import { createExposureSettings, type ConfiguredAccessMode } from './settings.ts';
import { createExposureStore } from './store.ts';
import type { Tunnel, TunnelOptions } from './transport/tunnel.ts';

type PublicHttp = Pick<
  HttpServer,
  'listenPublic' | 'closePublic' | 'acceptConnection' | 'remoteConnectionCount' | 'closeRemoteConnections'
>;

export type AddressModuleParts = {
  db: Database;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  home: string;
  configured: ConfiguredAccessMode;
  publicPort: number | undefined;
  settings: PublicPortSettings;
  /** PEM file of certificate authorities that are trusted in addition to the public authorities. */
  authorities: string | undefined;
  ownAddresses: {
    isLocal(host: string): boolean;
    loopback(): string | undefined;
    setPublic(url: string | undefined): void;
  };
  owner: Pick<
    OwnerService,
    'profile' | 'keys' | 'sessions' | 'applicationSessions' | 'onSessionChange' | 'publicFieldCount' | 'addSignInGuard'
  >;
  countAccessibleFiles: () => number;
  countActiveLinks: () => number;
  isEnabled: (application: string) => boolean;
  debits: Pick<DebitService, 'ownerList'>;
  sharedViews: Pick<SharedViewService, 'countOpen'>;
  contracts: Pick<ContractService, 'list' | 'wake'>;
  exchange: { sync(): Promise<void>; network: Pick<NetworkService, 'view' | 'register'> };
  recordEvent: (tx: Transaction, event: AccountEvent) => void;
  clock: Clock;
  log: Log;
  /** The following members replace parts that use the network, the time or random numbers; for tests. */
  resolve?: Resolver | undefined;
  timers?: Timers | undefined;
  createCertificateManager?: CreateCertificateManager | undefined;
  random?: () => number;
};

const ANNOUNCE_INTERVAL_MS = 100;

/** Creates the public address and its tunnel. Registers a guard that refuses passwords that others could read. */
export const createAddressModule = (parts: AddressModuleParts) => {
  const { db, writer, events, owner, exchange, ownAddresses, clock, log } = parts;
  const { timers = systemTimers, random = Math.random } = parts;
  const store = createExposureStore(db);
  const settings = createExposureSettings({ store, writer, configured: parts.configured });

  const http = createLateBinding<PublicHttp>('the HTTP server');

  let announceTimer: NodeJS.Timeout | undefined;
  let isStarted = false;
  let isClosed = false;
  const announceChange = (): void => {
    if (isClosed) return;
    announceTimer ??= setTimeout(() => {
      announceTimer = undefined;
      // A transaction without changes costs no fsync. It fails if the storage is closed, or if a commit that it shares
      // with other writes fails.
      writer.write((tx) => events.notify(tx, 'exposure')).catch(() => undefined);
    }, ANNOUNCE_INTERVAL_MS).unref();
  };

  /**
   * Updates the registration with the exchange, or repeats it if it has not succeeded. The exchange sends a request to
   * this PDA during the registration, so only a reachable PDA can register.
   */
  const wakeExchange = (isReachable: boolean): void => {
    const work = async (): Promise<void> => {
      const state = exchange.network.view().exchange?.state;
      if (isReachable && (state === 'registering' || state === 'failed')) await exchange.network.register();
      else await exchange.sync();
    };
    work().catch((error: unknown) => log.warn({ err: error }, 'could not notify the exchange of the address'));
  };

  const readAuthorities = (): { all: string[]; additional: string } | undefined => {
    if (parts.authorities === undefined) return undefined;
    const additional = readFileSync(parts.authorities, 'utf8');
    return { all: [...rootCertificates, additional], additional };
  };
  const lookup = createLookup({ resolve: parts.resolve });

  const publicListener = createPublicListener({
    http: http.get,
    fixedPort: parts.publicPort,
    settings: parts.settings,
    log,
  });
  const createTunnel = async (options: TunnelOptions): Promise<Tunnel> => {
    const { mode, url = '', onChange } = options;
    if (mode.way === 'own') return createOwnAddress(publicListener);
    if (mode.way === 'localtunnel') {
      return createLocaltunnel({ mode, listener: publicListener, onChange, timers, clock, log, random });
    }
    const authorities = readAuthorities();
    return createRelayTunnel({
      ...options,
      mode,
      url,
      home: parts.home,
      lookup,
      trustedCertificates: authorities?.all,
      additionalAuthorities: authorities?.additional,
      createCertificateManager: parts.createCertificateManager,
      clock,
      timers,
      log,
      random,
    });
  };

  const exposure = createExposure({
    settings,
    ownerName: () => owner.profile()?.name,
    keys: owner.keys,
    http: http.get,
    publicListener,
    ownAddresses,
    setAddress: ownAddresses.setPublic,
    onAddressChange() {
      announceChange();
      wakeExchange(false);
      parts.contracts.wake();
    },
    onChange: announceChange,
    onReachable: () => wakeExchange(true),
    recordEvent: parts.recordEvent,
    countOpen: (session) => ({
      ...store.countOpen(),
      shareLinks: parts.countActiveLinks(),
      sharedFiles: parts.countAccessibleFiles(),
      sharedViews: parts.sharedViews.countOpen(),
      sessions: owner.sessions(session).filter(({ kind, current }) => kind === 'owner' && !current).length,
      applications: [...owner.applicationSessions().keys()].filter(parts.isEnabled).length,
      debits: parts.debits
        .ownerList(0, Number.MAX_SAFE_INTEGER)
        .reduce((count, { debit }) => count + Number(debit.active), 0),
      contracts: parts.contracts.list().filter(({ state }) => state === 'joined').length,
      profile: owner.publicFieldCount(),
    }),
    createTunnel,
    async createProber() {
      return createProber({ lookup, trust: readAuthorities()?.all, clock });
    },
    timers,
    clock,
    log,
    random,
  });
  // A tunnel to a relay or localtunnel server can open only after the set-up, which starts the first session.
  const unsubscribe = owner.onSessionChange(() => {
    if (isStarted) void exposure.reconcile().catch(() => undefined);
  });
  owner.addSignInGuard(exposure.service.requirePasswordAllowed);

  return {
    exposure: exposure.service,
    attach: http.register,
    routes: ownerExposureRoutes({ exposure: exposure.service }),
    /**
     * Returns true if a connection of this origin may request this host.
     * @throws Failure misdirected_request with the correct port
     */
    accepts: (host: string, request: IncomingMessage, origin: ConnectionOrigin): boolean =>
      exposure.accepts(host, request.headers[PROBE_HEADER], origin),
    start(): void {
      isStarted = true;
      exposure.start().catch((error: unknown) => log.error({ err: error }, 'public address failed to start'));
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(announceTimer);
      unsubscribe();
      await exposure.close();
    },
  };
};
