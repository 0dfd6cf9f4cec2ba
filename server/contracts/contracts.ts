import { createAuditService } from './audit/service.ts';
import { contractRoutes } from './contracts/routes.ts';
import { createContractService } from './contracts/service.ts';
import { keyringRoutes } from './keyring/routes.ts';
import { createKeyringService } from './keyring/service.ts';
import { keyRoutes } from './keys/routes.ts';
import { createKeyService } from './keys/service.ts';
import { memberRoutes } from './members/routes.ts';
import { createMemberService } from './members/service.ts';
import { openDatabase } from './storage/index.ts';
import { systemRoutes } from './system-routes.ts';
import { VERSION } from './version.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { forwardedAddress } from '../platform/forwarded.ts';
import { createHttpServer } from '../platform/http-server.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createOpenApi } from '../platform/openapi-text.ts';
import { VISITOR } from '../platform/principal.ts';
import { createSafeFetch, type Resolve } from '../platform/safe-fetch.ts';
import { createServiceHosts } from '../platform/service-hosts.ts';

export type ContractsOptions = {
  /** `postgres://…`, or a folder (PGlite, for trying things out). */
  database: string;
  log: Log;
  clock?: Clock;
  /** Addresses under which it is called, beside those of this machine. */
  publicUrls?: readonly string[];
  /** Balancers of one's own that calls come through: they say who calls. */
  proxies?: number;
  /** Domains in which the PDAs are: `<name>.<domain>`. Without any, a PDA is wherever it says. */
  domains?: readonly string[];
  /** Connections to the database at most. */
  connections?: number;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
  /** The network as calls to addresses that others chose find it; for tests. `resolve` stands in for the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
};

export type Contracts = Awaited<ReturnType<typeof createContracts>>;

/** Puts one contracts service together. @throws Failure unavailable when the database cannot be opened */
export const createContracts = async (options: ContractsOptions) => {
  const { log, clock = systemClock, network } = options;
  const lifecycle = createLifecycle(log);
  try {
    const database = await openDatabase({
      database: options.database,
      log,
      ...(options.connections === undefined ? {} : { connections: options.connections }),
    });
    lifecycle.onClose('database', () => database.close());

    const hosts = createServiceHosts(options.publicUrls ?? []);
    const fetch = createSafeFetch({
      allowLoopback: network?.allowLoopback ?? process.env['PDA_ALLOW_LOOPBACK'] === '1',
      ...(network?.resolve === undefined ? {} : { resolve: network.resolve }),
    });
    lifecycle.onClose('calls to others', () => fetch.close());

    // ---- rooms ----
    const audit = createAuditService({ database, clock });
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
      ...systemRoutes({ isReady: async () => !closing && (await database.isUp()), openApi: () => openApi() }),
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

    let closing = false;
    const http = createHttpServer({
      routes,
      log,
      // Routes that want to know who calls look at the call itself.
      tokenOf: () => undefined,
      authenticate: () => ({ principal: VISITOR, renewed: () => undefined }),
      isOwnHost: hosts.isOwn,
      addressOf: forwardedAddress(options.proxies ?? 0),
      strict: options.strict ?? false,
    });
    lifecycle.onClose('http', () => http.close());

    return {
      contracts,
      keys,
      members,
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
