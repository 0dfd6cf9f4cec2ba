import { contractRoutes } from './contracts/routes.ts';
import { createContractService } from './contracts/service.ts';
import { keyringRoutes } from './keyring/routes.ts';
import { createKeyringService } from './keyring/service.ts';
import { createKeyService } from './keys/service.ts';
import { memberRoutes } from './members/routes.ts';
import { createMemberService } from './members/service.ts';
import { openAudit, openDatabase } from './storage/index.ts';
import { VERSION } from './version.ts';
import { createOpenApi } from '../platform/http/openapi/cached-document.ts';
import { ANONYMOUS } from '../platform/auth/principal.ts';
import { keySetRoute } from '../platform/service/key-routes.ts';
import { openService, type ServiceOptions } from '../platform/service/runtime.ts';
import { healthRoute, openApiRoute } from '../platform/service/routes.ts';

export type ContractsOptions = ServiceOptions & {
  /** Domains whose PDAs (`<name>.<domain>`) are accepted. If empty, any domain is accepted. */
  domains?: readonly string[];
};

export type Contracts = Awaited<ReturnType<typeof createContracts>>;

/**
 * Creates the contracts service.
 * @throws Failure unavailable | invalid_input | wrong_state if the database cannot be opened
 */
export const createContracts = (options: ContractsOptions) =>
  openService(options, openDatabase, ({ database, clock, ownAddresses, fetch, isReady, serve }) => {
    const { log } = options;
    const audit = openAudit({ database, clock });
    const contracts = createContractService({ database, audit, clock });
    const keys = createKeyService({ database, audit, clock });
    const keyring = createKeyringService({ database, contracts, keys, audit, clock });
    const members = createMemberService({
      database,
      contracts,
      audit,
      fetch,
      isOwnHost: ownAddresses.isOwn,
      domains: options.domains ?? [],
      clock,
      log,
    });

    const openApi = createOpenApi({
      title: 'Contracts',
      version: VERSION,
      description:
        'Records which PDAs joined which contract and issues short-lived tokens to the developers of contracts.',
      bearer: true,
      describeAccess: ({ access, identify }) =>
        identify === undefined || access.auth === 'public'
          ? 'Requires no credentials.'
          : 'Requires a valid token in the request.',
    });
    const routes = [
      ...keyringRoutes({ keyring }),
      ...contractRoutes({ contracts }),
      ...memberRoutes({ members }),
      keySetRoute({
        tag: 'Keys',
        summary: 'List the public keys of short-lived tokens as a JSON Web Key Set',
        description:
          'A key is published before its first use, unless it is the only key. It stays published until the last token that it signed has expired, unless it was removed immediately because a key might be compromised.',
        keys: keys.listPublished,
      }),
      healthRoute(isReady),
      openApiRoute('/openapi.json', openApi.json),
    ] as const;
    openApi.setRoutes(routes);

    const server = serve({
      routes,
      // Routes with access control identify the caller themselves (`identify`).
      tokenOf: () => undefined,
      authenticate: () => ({ principal: ANONYMOUS, renewToken: () => undefined }),
    });

    return { contracts, keys, members, audit, database, routes, openApi: openApi.json, ...server };
  });
