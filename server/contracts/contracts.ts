import { contractRoutes } from './contracts/routes.ts';
import { createContractService } from './contracts/service.ts';
import { keyringRoutes } from './keyring/routes.ts';
import { createKeyringService } from './keyring/service.ts';
import { keyRoutes } from './keys/routes.ts';
import { createKeyService } from './keys/service.ts';
import { memberRoutes } from './members/routes.ts';
import { createMemberService } from './members/service.ts';
import { openAudit, openDatabase } from './storage/index.ts';
import { VERSION } from './version.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import { VISITOR } from '../platform/principal.ts';
import { openService, type ServiceOptions } from '../platform/service-frame.ts';
import { healthRoute, openApiRoute } from '../platform/service-routes.ts';

export type ContractsOptions = ServiceOptions & {
  /** Domains in which the PDAs are: `<name>.<domain>`. Without any, a PDA is wherever it says. */
  domains?: readonly string[];
};

export type Contracts = Awaited<ReturnType<typeof createContracts>>;

/** Puts one contracts service together. @throws Failure unavailable when the database cannot be opened */
export const createContracts = (options: ContractsOptions) =>
  openService(options, openDatabase, ({ database, clock, hosts, fetch, isReady, serve }) => {
    const { log } = options;

    // ---- rooms ----
    const audit = openAudit({ database, clock });
    const contracts = createContractService({ database, audit, clock });
    const keys = createKeyService({ database, audit, clock });
    const keyring = createKeyringService({ database, contracts, keys, audit, clock });
    const members = createMemberService({
      database,
      contracts,
      audit,
      fetch,
      isOwnHost: hosts.isOwn,
      domains: options.domains ?? [],
      clock,
      log,
    });

    const routes = [
      ...keyringRoutes({ keyring }),
      ...contractRoutes({ contracts }),
      ...memberRoutes({ members }),
      ...keyRoutes({ keys }),
      healthRoute(isReady),
      openApiRoute('/openapi.json', () => openApi()),
    ] as const;

    const openApi = createOpenApi(() => ({
      title: 'Contracts',
      version: VERSION,
      description: 'Which PDAs joined which contract, and the short-lived tokens that open them.',
      routes,
      bearer: true,
      whoMayCall: ({ access, identify }) =>
        identify === undefined || access.want === 'nothing' ? 'No credentials needed.' : 'By the token of the call.',
    }));

    const server = serve({
      routes,
      // Routes that want to know who calls look at the call itself.
      tokenOf: () => undefined,
      authenticate: () => ({ principal: VISITOR, renewed: () => undefined }),
    });

    return { contracts, keys, members, audit, database, routes, openApi, ...server };
  });
