import { createAccountRoom } from './accounts/room.ts';
import { createApplicationRoom } from './applications/room.ts';
import { createAuditRoom } from './audit/room.ts';
import { createOfferRoom } from './offers/room.ts';
import { createPdaRoom } from './pdas/room.ts';
import { createPlugRoom } from './plugs/room.ts';
import { createCounts } from './statistics/counts.ts';
import { createStatisticsRoom } from './statistics/room.ts';
import { openDatabase } from './storage/index.ts';
import { systemRoutes } from './system-routes.ts';
import { VERSION } from './version.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { forwardedAddress } from '../platform/forwarded.ts';
import { createHttpServer } from '../platform/http-server.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import { issuerOf } from '../platform/pda-proof.ts';
import { VISITOR } from '../platform/principal.ts';
import type { Authentication } from '../platform/route-call.ts';
import type { ApiOf } from '../platform/route.ts';
import { createSafeFetch, type Resolve } from '../platform/safe-fetch.ts';
import { whoMayCall } from '../platform/service-access.ts';
import { createServiceHosts } from '../platform/service-hosts.ts';
import { createStaticFiles } from '../platform/static-files.ts';

export type ExchangeOptions = {
  /** `postgres://…`, or a folder (PGlite, for trying things out). */
  database: string;
  log: Log;
  clock?: Clock;
  /** Addresses under which it is called, beside those of this machine. The first is the one that others are told. */
  publicUrls?: readonly string[];
  /** Balancers of one's own that calls come through: they say who calls. */
  proxies?: number;
  /** Folder of the built operator's page. */
  pages?: string;
  /** PDAs that must have reported an endpoint or field before others see its name. */
  fewestPdas?: number | undefined;
  /** Milliseconds between two rounds in which the statistics are taken together; for tests. */
  compactEveryMs?: number;
  /** Connections to the database at most. */
  connections?: number;
  /** What the passwords of claims are made from; made and kept in the database when it is not given. */
  secret?: string;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
  /** The network as calls to addresses that others chose find it; for tests. `resolve` stands in for the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
};

export type Exchange = Awaited<ReturnType<typeof createExchange>>;

const NOBODY: Authentication = { principal: VISITOR, renewed: () => undefined };

/** Puts one exchange together. @throws Failure unavailable when the database cannot be opened */
export const createExchange = async (options: ExchangeOptions) => {
  const { log, clock = systemClock } = options;
  const lifecycle = createLifecycle(log);
  try {
    const database = await openDatabase({
      database: options.database,
      log,
      ...(options.connections === undefined ? {} : { connections: options.connections }),
    });
    lifecycle.onClose('database', () => database.close());

    const hosts = createServiceHosts(options.publicUrls ?? []);
    const { network } = options;
    const fetch = createSafeFetch({
      allowLoopback: network?.allowLoopback ?? process.env['PDA_ALLOW_LOOPBACK'] === '1',
      ...(network?.resolve === undefined ? {} : { resolve: network.resolve }),
    });
    lifecycle.onClose('calls to others', () => fetch.close());

    const auditRoom = createAuditRoom({ database, clock });
    const { audit } = auditRoom;
    const counts = createCounts({ clock });

    const accountRoom = createAccountRoom({ database, audit, isOwnHost: hosts.isOwn, clock, log });
    const { accounts } = accountRoom;
    lifecycle.onClose('accounts', () => accountRoom.close());

    const pdaRoom = createPdaRoom({
      database,
      audit,
      fetch,
      isOwnHost: hosts.isOwn,
      others: {
        claimsOf: (pdaId) => offerRoom.claimsOf(pdaId),
        reportsOf: (pdaId) => statistics.reportsOf(pdaId),
        entered: (tx) => counts.add(tx, 'registration'),
        async forget(tx, pda) {
          await offerRoom.forgetPda(tx, pda.pdaId);
          await statistics.forgetPda(tx, pda.pdaId);
        },
      },
      clock,
      log,
    });
    const { pdas } = pdaRoom;
    lifecycle.onClose('pdas', () => pdaRoom.close());

    const applicationRoom = createApplicationRoom({ database, audit, clock });
    const { applications } = applicationRoom;

    const plugRoom = createPlugRoom({
      database,
      audit,
      accounts,
      pdas,
      publishWithin: applications.publishWithin,
      clock,
    });

    const offerRoom = await createOfferRoom({
      database,
      audit,
      pdas,
      tokenForPda: accounts.tokenForPda,
      fetch,
      secret: options.secret,
      clock,
      log,
    });

    const statisticsRoom = createStatisticsRoom({
      database,
      audit,
      counts,
      confirmation: offerRoom.confirmation,
      applicationIds: applications.publishedIds,
      fewestPdas: options.fewestPdas,
      ...(options.compactEveryMs === undefined ? {} : { everyMs: options.compactEveryMs }),
      clock,
      log,
    });
    const { statistics } = statisticsRoom;
    lifecycle.onClose('statistics', () => statisticsRoom.close());

    const routes = [
      ...accountRoom.routes,
      ...pdaRoom.routes,
      ...plugRoom.routes,
      ...offerRoom.routes,
      ...applicationRoom.routes,
      ...statisticsRoom.routes,
      ...auditRoom.routes,
      ...systemRoutes({ isReady: async () => !closing && (await database.isUp()), openApi: () => openApi() }),
    ] as const;

    const openApi = createOpenApi(() => ({
      title: 'Exchange',
      version: VERSION,
      description: 'Where PDAs, applications, Data Plugs and Offers meet.',
      routes,
      whoMayCall,
    }));

    /** One of our own tokens, or one that a PDA signed for us: whose key to look at is said by `iss`. */
    const authenticate = async (token: string): Promise<Authentication> => {
      const { iss } = issuerOf(token);
      if (iss === undefined) return NOBODY;
      if (hosts.isOwn(iss)) return (await accounts.authenticate(token)) ?? NOBODY;
      const principal = await pdas.authenticate(token, iss);
      return principal === undefined ? NOBODY : { principal, renewed: () => undefined };
    };

    let closing = false;
    const http = createHttpServer({
      routes,
      log,
      authenticate,
      isOwnHost: hosts.isOwn,
      addressOf: forwardedAddress(options.proxies ?? 0),
      ...(options.pages === undefined ? {} : { pages: createStaticFiles(options.pages) }),
      strict: options.strict ?? false,
    });
    lifecycle.onClose('http', () => http.close());

    return {
      accounts,
      pdas,
      plugs: plugRoom.plugs,
      applications,
      statistics,
      counts,
      audit,
      database,
      routes,
      openApi,
      /** Starts to answer. Resolves with the address on this machine. */
      async listen(port: number, host = '127.0.0.1'): Promise<{ port: number; url: string }> {
        const address = await http.listen({ port, host });
        hosts.setPort(address.port);
        return { port: address.port, url: `http://127.0.0.1:${address.port}` };
      },
      /** Running requests are answered, then what they use is closed. A balancer that asks meanwhile hears that it is over. */
      close(): Promise<void> {
        closing = true;
        return lifecycle.close();
      },
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
};

/** What the operator's page is typed by. */
export type ExchangeApi = ApiOf<Exchange['routes']>;
