import { createAccountModule } from './accounts/index.ts';
import { createApplicationModule } from './applications/index.ts';
import { auditRoutes } from './audit/routes.ts';
import { createOfferModule } from './offers/index.ts';
import { createPdaModule } from './pdas/index.ts';
import { createPlugModule } from './plugs/index.ts';
import { createCounts } from './statistics/counts.ts';
import { createStatisticsModule } from './statistics/index.ts';
import { openAudit, openDatabase } from './storage/index.ts';
import { VERSION } from './version.ts';
import { createOpenApi } from '../platform/http/openapi/cached-document.ts';
import { issuerOf } from '../platform/auth/pda-token.ts';
import { ANONYMOUS } from '../platform/auth/principal.ts';
import type { Authentication } from '../platform/http/request-pipeline.ts';
import type { ApiOf } from '../platform/http/route.ts';
import { describeAccess } from '../platform/service/authorization.ts';
import { openService, type ServiceOptions } from '../platform/service/runtime.ts';
import { healthRoute, openApiRoute } from '../platform/service/routes.ts';

export type ExchangeOptions = ServiceOptions & {
  /** Folder with the built operator pages. */
  pages?: string;
  /** Number of PDAs that must report the name of an endpoint or field before the name is published. */
  minReportingPdas?: number | undefined;
  /** Milliseconds between compactions of the statistics. For tests. */
  compactionIntervalMs?: number;
  /** Key for deriving claim passwords. Default: generated and stored in the database. */
  secret?: string;
};

export type Exchange = Awaited<ReturnType<typeof createExchange>>;

const ANONYMOUS_AUTHENTICATION: Authentication = { principal: ANONYMOUS, renewed: () => undefined };

/** Creates an exchange. @throws Failure unavailable if the database cannot be opened */
export const createExchange = (options: ExchangeOptions) =>
  openService(options, openDatabase, async ({ database, clock, hosts, fetch, onClose, isReady, serve }) => {
    const { log } = options;

    const audit = openAudit({ database, clock });
    const counts = createCounts({ clock });

    const accountModule = createAccountModule({ database, audit, isOwnHost: hosts.isOwn, clock, log });
    const { accounts } = accountModule;
    onClose('accounts', () => accountModule.close());

    const pdaModule = createPdaModule({
      database,
      audit,
      fetch,
      isOwnHost: hosts.isOwn,
      clock,
      log,
    });
    const { pdas } = pdaModule;
    onClose('pdas', () => pdaModule.close());

    const applicationModule = createApplicationModule({ database, audit, clock });
    const { applications } = applicationModule;

    const plugModule = createPlugModule({
      database,
      audit,
      accounts,
      pdas,
      publishWithin: applications.publishWithin,
      clock,
    });

    const offerModule = await createOfferModule({
      database,
      audit,
      pdas,
      tokenForPda: accounts.tokenForPda,
      fetch,
      secret: options.secret,
      clock,
      log,
    });

    const statisticsModule = createStatisticsModule({
      database,
      audit,
      counts,
      applyDebitReport: offerModule.applyDebitReport,
      applicationIds: applications.publishedIds,
      minReportingPdas: options.minReportingPdas,
      ...(options.compactionIntervalMs === undefined ? {} : { compactionIntervalMs: options.compactionIntervalMs }),
      clock,
      log,
    });
    const { statistics } = statisticsModule;
    onClose('statistics', () => statisticsModule.close());

    pdaModule.registerDependents({
      claimsOf: offerModule.claimsOf,
      reportsOf: statistics.reportsOf,
      onRegistered: (tx) => counts.add(tx, 'registration'),
      async onRemoved(tx, pda) {
        await offerModule.forgetPda(tx, pda.pdaId);
        await statistics.forgetPda(tx, pda.pdaId);
      },
    });

    const openApi = createOpenApi({
      title: 'Exchange',
      version: VERSION,
      description: 'Registers PDAs, applications, Data Plugs and Offers.',
      describeAccess,
    });
    const routes = [
      ...accountModule.routes,
      ...pdaModule.routes,
      ...plugModule.routes,
      ...offerModule.routes,
      ...applicationModule.routes,
      ...statisticsModule.routes,
      ...auditRoutes({ audit }),
      healthRoute(isReady),
      openApiRoute('/api/openapi.json', openApi.json),
      openApiRoute('/openapi.json', openApi.json),
    ] as const;
    openApi.setRoutes(routes);

    /** Accepts this exchange's tokens and tokens that PDAs signed for this exchange. The issuer selects the key. */
    const authenticate = async (token: string): Promise<Authentication> => {
      const { iss } = issuerOf(token);
      if (iss === undefined) return ANONYMOUS_AUTHENTICATION;
      if (hosts.isOwn(iss)) return (await accounts.authenticate(token)) ?? ANONYMOUS_AUTHENTICATION;
      const principal = await pdas.authenticate(token, iss);
      return principal === undefined ? ANONYMOUS_AUTHENTICATION : { principal, renewed: () => undefined };
    };

    const server = serve({
      routes,
      authenticate,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
    });

    return {
      accounts,
      pdas,
      plugs: plugModule.plugs,
      applications,
      statistics,
      counts,
      audit,
      database,
      routes,
      openApi: openApi.json,
      ...server,
    };
  });

/** Types the API client of the operator pages. */
export type ExchangeApi = ApiOf<Exchange['routes']>;
