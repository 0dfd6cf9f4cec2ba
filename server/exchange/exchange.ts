import { createAccountRoom } from './accounts/room.ts';
import { createApplicationRoom } from './applications/room.ts';
import { auditRoutes } from './audit/routes.ts';
import { createOfferRoom } from './offers/room.ts';
import { createPdaRoom } from './pdas/room.ts';
import { createPlugRoom } from './plugs/room.ts';
import { createCounts } from './statistics/counts.ts';
import { createStatisticsRoom } from './statistics/room.ts';
import { openAudit, openDatabase } from './storage/index.ts';
import { VERSION } from './version.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import { issuerOf } from '../platform/pda-proof.ts';
import { VISITOR } from '../platform/principal.ts';
import type { Authentication } from '../platform/route-call.ts';
import type { ApiOf } from '../platform/route.ts';
import { whoMayCall } from '../platform/service-access.ts';
import { openService, type ServiceOptions } from '../platform/service-frame.ts';
import { healthRoute, openApiRoute } from '../platform/service-routes.ts';

export type ExchangeOptions = ServiceOptions & {
  /** Folder of the built operator's page. */
  pages?: string;
  /** PDAs that must have reported an endpoint or field before others see its name. */
  fewestPdas?: number | undefined;
  /** Milliseconds between two rounds in which the statistics are taken together; for tests. */
  compactEveryMs?: number;
  /** What the passwords of claims are made from; made and kept in the database when it is not given. */
  secret?: string;
};

export type Exchange = Awaited<ReturnType<typeof createExchange>>;

const NOBODY: Authentication = { principal: VISITOR, renewed: () => undefined };

/** Puts one exchange together. @throws Failure unavailable when the database cannot be opened */
export const createExchange = (options: ExchangeOptions) =>
  openService(options, openDatabase, async ({ database, clock, hosts, fetch, onClose, isReady, serve }) => {
    const { log } = options;

    const audit = openAudit({ database, clock });
    const counts = createCounts({ clock });

    const accountRoom = createAccountRoom({ database, audit, isOwnHost: hosts.isOwn, clock, log });
    const { accounts } = accountRoom;
    onClose('accounts', () => accountRoom.close());

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
    onClose('pdas', () => pdaRoom.close());

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
    onClose('statistics', () => statisticsRoom.close());

    const routes = [
      ...accountRoom.routes,
      ...pdaRoom.routes,
      ...plugRoom.routes,
      ...offerRoom.routes,
      ...applicationRoom.routes,
      ...statisticsRoom.routes,
      ...auditRoutes({ audit }),
      healthRoute(isReady),
      openApiRoute('/api/openapi.json', () => openApi()),
      openApiRoute('/openapi.json', () => openApi()),
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

    const server = serve({
      routes,
      authenticate,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
    });

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
      ...server,
    };
  });

/** What the operator's page is typed by. */
export type ExchangeApi = ApiOf<Exchange['routes']>;
