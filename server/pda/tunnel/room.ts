import { rootCertificates } from 'node:tls';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../platform/clock.ts';
import type { HttpServer } from '../../platform/http/application.ts';
import type { ConnectionOrigin } from '../../platform/listener.ts';
import type { Log } from '../../platform/log.ts';
import type { Resolve } from '../../platform/safe-fetch.ts';
import type { ContractService } from '../contracts/service.ts';
import type { DebitService } from '../debits/service.ts';
import type { EventService } from '../events/service.ts';
import type { NetworkService } from '../exchange/service.ts';
import type { OwnerNote, OwnerService } from '../owner/service.ts';
import type { Database, Transaction, Writer } from '../storage/index.ts';
import { createExposure, type WantedTunnel } from './exposure.ts';
import { createLocaltunnel } from './localtunnel.ts';
import { createLookup } from './lookup.ts';
import { createProbe } from './probe.ts';
import { createPublicListener, type PublicPortSettings } from './public-listener.ts';
import { createOwnAddress } from './own-address.ts';
import { ownerExposureRoutes } from './owner-routes.ts';
import { createRelayTunnel } from './relay-tunnel.ts';
import type { CreateCertificates } from './service.ts';
import { createExposureSettings, type FixedWay } from './settings.ts';
import { createExposureStore } from './store.ts';
import { systemTimers, type Timers } from './timers.ts';
import type { Tunnel } from './tunnel.ts';

export type TunnelRoomParts = {
  db: Database;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  /** The home folder. */
  home: string;
  /** What config.json or the command line says: it comes before what the owner chooses. */
  fixed: FixedWay;
  /** `publicPort` of config.json. */
  publicPort: number | undefined;
  settings: PublicPortSettings;
  /** File of authorities (PEM) that are trusted beside those of the web. */
  authorities: string | undefined;
  hosts: {
    isLocal(host: string): boolean;
    loopback(): string | undefined;
    setPublic(url: string | undefined): void;
  };
  http: () => Pick<HttpServer, 'listenPublic' | 'closePublic' | 'take' | 'outside' | 'cutOutside'>;
  owner: Pick<OwnerService, 'profile' | 'keys' | 'sessions' | 'applicationSessions' | 'onSessionChange'>;
  /** Whether an application may do anything. */
  isEnabled: (application: string) => boolean;
  debits: Pick<DebitService, 'ownerList'>;
  contracts: Pick<ContractService, 'list'>;
  /** The exchange knows this PDA by its address. */
  exchange: { sync(): Promise<void>; network: Pick<NetworkService, 'view' | 'register'> };
  /** Parts of the profile that everybody sees. */
  openProfile: () => number;
  note: (tx: Transaction, note: OwnerNote) => void;
  clock: Clock;
  log: Log;
  /** Stand-ins for the name service, the time that is waited, and where certificates come from; for tests. */
  resolve?: Resolve | undefined;
  timers?: Timers | undefined;
  createCertificates?: CreateCertificates | undefined;
  /** From 0 to 1. */
  random?: () => number;
};

/** Milliseconds between two announcements to the owner's pages. */
const TELL_EVERY_MS = 100;

/** What leads in from outside: the address, the tunnel to it, and the owner's say. Its working parts are loaded when they are wanted. */
export const createTunnelRoom = (parts: TunnelRoomParts) => {
  const { db, writer, events, owner, exchange, hosts, clock, log } = parts;
  const { timers = systemTimers, random = Math.random } = parts;
  const store = createExposureStore(db);
  const settings = createExposureSettings({ store, writer, fixed: parts.fixed });

  let later: NodeJS.Timeout | undefined;
  let isClosed = false;
  const tell = (): void => {
    if (isClosed) return;
    later ??= setTimeout(() => {
      later = undefined;
      // An empty transaction: it costs no sync. Nothing is lost when the store is closing.
      writer.write((tx) => events.tell(tx, 'exposure')).catch(() => undefined);
    }, TELL_EVERY_MS).unref();
  };

  /** The exchange calls back: only who is reachable can register. */
  const wakeExchange = (isReachable: boolean): void => {
    const work = async (): Promise<void> => {
      const state = exchange.network.view().exchange?.state;
      if (isReachable && (state === 'registering' || state === 'failed')) await exchange.network.register();
      else await exchange.sync();
    };
    work().catch((error: unknown) => log.warn({ err: error }, 'the exchange was not told of the address'));
  };

  /** Authorities that are trusted; undefined: those of the web. */
  const trust = (): { list: string[]; text: string } | undefined => {
    if (parts.authorities === undefined) return undefined;
    const text = readFileSync(parts.authorities, 'utf8');
    return { list: [...rootCertificates, text], text };
  };
  const lookup = createLookup(parts.resolve);

  const publicListener = createPublicListener({
    http: parts.http,
    fixedPort: parts.publicPort,
    settings: parts.settings,
    log,
  });
  const createTunnel = async (wanted: WantedTunnel): Promise<Tunnel> => {
    const { way, url = '', onChange } = wanted;
    if (way.way === 'own') return createOwnAddress(publicListener);
    if (way.way === 'localtunnel') {
      return createLocaltunnel({ way, listener: publicListener, onChange, timers, clock, log, random });
    }
    const trusted = trust();
    return createRelayTunnel({
      ...wanted,
      way,
      url,
      home: parts.home,
      lookup: lookup,
      trust: trusted?.list,
      trustText: trusted?.text,
      createCertificates: parts.createCertificates,
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
    http: parts.http,
    publicListener,
    hosts,
    setAddress: hosts.setPublic,
    onAddress() {
      tell();
      wakeExchange(false);
    },
    onChange: tell,
    onReachable: () => wakeExchange(true),
    note: parts.note,
    open: (session) => ({
      ...store.files(),
      sessions: owner.sessions(session).filter(({ kind, current }) => kind === 'owner' && !current).length,
      applications: [...owner.applicationSessions().keys()].filter(parts.isEnabled).length,
      debits: parts.debits.ownerList(0, Number.MAX_SAFE_INTEGER).filter(({ debit }) => debit.state === 'enabled')
        .length,
      contracts: parts.contracts.list().filter(({ state }) => state === 'joined').length,
      profile: parts.openProfile(),
    }),
    createTunnel,
    async createProber() {
      return createProbe({ lookup: lookup, trust: trust()?.list, clock });
    },
    timers,
    clock,
    log,
    random,
  });
  // A tunnel's address begins with the owner's name, which is not there before there is an owner.
  const ignoreSessions = owner.onSessionChange(() => {
    if (isStarted) void exposure.settle().catch(() => undefined);
  });
  let isStarted = false;

  return {
    exposure: exposure.service,
    routes: ownerExposureRoutes({ exposure: exposure.service }),
    /** Whether a request for this host is answered on a connection of this origin. @throws Failure misdirected_request that names the right port */
    accepts: (host: string, request: IncomingMessage, origin: ConnectionOrigin): boolean =>
      exposure.accepts(host, request.headers['x-pda-probe'], origin),
    start(): void {
      isStarted = true;
      exposure.start().catch((error: unknown) => log.error({ err: error }, 'there is no way out'));
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(later);
      ignoreSessions();
      await exposure.close();
    },
  };
};
