import { accountRoutes } from './accounts/routes.ts';
import { createAccountService } from './accounts/service.ts';
import { applicationRoutes } from './applications/routes.ts';
import { createApplicationService } from './applications/service.ts';
import { auditRoutes } from './audit/routes.ts';
import { openClaimCredentialDeriver } from './offers/claims/credentials.ts';
import { createClaimNotifier } from './offers/claims/notifier.ts';
import { createClaimService } from './offers/claims/service.ts';
import { offerRoutes } from './offers/routes.ts';
import { createOfferService } from './offers/service.ts';
import { pdaRoutes } from './pdas/routes.ts';
import { createPdaService, type PdaDependents } from './pdas/service.ts';
import { plugRoutes } from './plugs/routes.ts';
import { createPlugService } from './plugs/service.ts';
import { createCompactor } from './statistics/compaction/compactor.ts';
import { createCounts } from './statistics/counts.ts';
import { statisticsRoutes } from './statistics/routes.ts';
import { createStatisticsService } from './statistics/service.ts';
import { openAudit, openDatabase } from './storage/index.ts';
import { VERSION } from './version.ts';
import { createOpenApi } from '../platform/http/openapi/cached-document.ts';
import { issuerAndKeyIdOf } from '../platform/auth/pda-token.ts';
import { ANONYMOUS } from '../platform/auth/principal.ts';
import type { Authentication } from '../platform/http/request-pipeline.ts';
import type { ApiOf } from '../platform/http/route.ts';
import { createLateBinding } from '../platform/service/late-binding.ts';
import { describeAccess } from '../platform/service/authorization.ts';
import { openService, type ServiceOptions } from '../platform/service/runtime.ts';
import { healthRoute, openApiRoute } from '../platform/service/routes.ts';

export type ExchangeOptions = ServiceOptions & {
  /** Folder of the operator pages. */
  pages?: string;
  /** Number of PDAs that must report the name of an endpoint or field before the statistics publish it. */
  minReportingPdas?: number | undefined;
  compactionIntervalMs?: number;
  /** Key from which claim passwords are derived. Default: generated and stored in the database. */
  secret?: string;
};

export type Exchange = Awaited<ReturnType<typeof createExchange>>;

/** Defaults of `minReportingPdas`. PGlite is for development with one or two PDAs. */
const MIN_REPORTING_PDAS = { postgresql: 5, pglite: 1 } as const;

const ANONYMOUS_AUTHENTICATION: Authentication = { principal: ANONYMOUS, renewToken: () => undefined };

/**
 * Creates the exchange.
 * @throws Error if `secret` is too short or differs from the first secret; Failure if the database cannot be opened
 */
export const createExchange = (options: ExchangeOptions) =>
  openService(options, openDatabase, async ({ database, clock, ownAddresses, fetch, onClose, isReady, serve }) => {
    const { log } = options;

    const audit = openAudit({ database, clock });
    const counts = createCounts({ clock });

    const accounts = createAccountService({ database, audit, isOwnHost: ownAddresses.isOwn, clock, log });
    onClose('accounts', accounts.close);

    const pdaDependents = createLateBinding<PdaDependents>('the modules that store data of PDAs');
    const pdas = createPdaService({
      database,
      audit,
      fetch,
      isOwnHost: ownAddresses.isOwn,
      getDependents: pdaDependents.get,
      clock,
      log,
    });
    onClose('pdas', pdas.close);

    const applications = createApplicationService({ database, audit, accounts, clock });
    const plugs = createPlugService({ database, audit, accounts, pdas, applications, clock });

    const credentials = await openClaimCredentialDeriver({ database, secret: options.secret, log });
    const claims = createClaimService({ database, credentials, clock });
    const notifyPda = createClaimNotifier({ signTokenForPda: accounts.signTokenForPda, fetch, log });
    const offers = createOfferService({ database, audit, accounts, pdas, claims, notifyPda, clock });

    const minReportingPdas = options.minReportingPdas ?? MIN_REPORTING_PDAS[database.kind];
    const statistics = createStatisticsService({
      database,
      audit,
      counts,
      applyDebitReport: claims.applyReport,
      listApplicationIds: applications.listPublishedIdKeys,
      minReportingPdas,
      clock,
    });
    const { compactionIntervalMs } = options;
    const compactor = createCompactor({ database, clock, log, minReportingPdas, compactionIntervalMs });
    onClose('statistics', compactor.close);

    pdaDependents.register({
      claimsOf: claims.claimsOf,
      reportsOf: statistics.reportsOf,
      onRegistered: (tx) => counts.add(tx, 'registration'),
      async onRemoved(tx, pdaId) {
        await claims.forgetPda(tx, pdaId);
        await statistics.forgetPda(tx, pdaId);
      },
    });

    const openApi = createOpenApi({
      title: 'Exchange',
      version: VERSION,
      description: 'Registers PDAs, applications, Data Plugs and Offers.',
      describeAccess,
    });
    const routes = [
      ...accountRoutes({ accounts }),
      ...pdaRoutes({ pdas }),
      ...plugRoutes({ plugs }),
      ...offerRoutes({ offers }),
      ...applicationRoutes({ applications }),
      ...statisticsRoutes({ statistics }),
      ...auditRoutes({ audit }),
      healthRoute(isReady),
      openApiRoute('/api/openapi.json', openApi.json),
      openApiRoute('/openapi.json', openApi.json),
    ] as const;
    openApi.setRoutes(routes);

    /** Accepts this exchange's tokens and tokens that PDAs signed for this exchange. The issuer determines the key. */
    const authenticate = async (token: string): Promise<Authentication> => {
      const { iss } = issuerAndKeyIdOf(token);
      if (iss === undefined) return ANONYMOUS_AUTHENTICATION;
      if (ownAddresses.isOwn(iss)) return (await accounts.authenticate(token)) ?? ANONYMOUS_AUTHENTICATION;
      const principal = await pdas.authenticate(token, iss);
      return principal === undefined ? ANONYMOUS_AUTHENTICATION : { principal, renewToken: () => undefined };
    };

    const server = serve({
      routes,
      authenticate,
      ...(options.pages === undefined ? {} : { pages: options.pages }),
    });

    return {
      accounts,
      pdas,
      plugs,
      applications,
      statistics,
      counts,
      audit,
      database,
      routes,
      ...server,
    };
  });

/** Types the API client of the operator pages. */
export type ExchangeApi = ApiOf<Exchange['routes']>;
