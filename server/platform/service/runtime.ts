import type { AddressInfo } from 'node:net';
import { systemClock, type Clock } from '../clock.ts';
import { createForwardedAddressReader } from '../http/request/forwarded-address.ts';
import { createHttpApplication, type HttpOptions } from '../http/application.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Log } from '../log.ts';
import type { Resolver } from '../outbound/dns-lookup.ts';
import { createSafeFetch, type SafeFetch } from '../outbound/safe-fetch.ts';
import { createServiceAddresses, type ServiceAddresses } from './own-addresses.ts';

export type ServiceOptions = {
  /** `postgres://…`, or a folder (PGlite, for trial use). */
  database: string;
  log: Log;
  clock?: Clock;
  publicUrls?: readonly string[];
  proxies?: number;
  connections?: number;
  databaseLimits?: { statementMs: number; connectMs: number };
  onPrepare?: () => void;
  strict?: boolean;
  /** Settings of outgoing requests for tests. `resolve` replaces the system resolver. */
  network?: { allowLoopback?: boolean; resolve?: Resolver };
};

type ServiceDatabase = { isUp(): Promise<boolean>; close(): Promise<void> };

/** Parts that `openService` creates for the service. */
export type ServiceParts<Database> = {
  database: Database;
  clock: Clock;
  ownAddresses: ServiceAddresses;
  fetch: SafeFetch;
  onClose: Lifecycle['onClose'];
  isReady(): Promise<boolean>;
  serve(httpOptions: Pick<HttpOptions, 'routes' | 'authenticate' | 'tokenOf' | 'pages'>): {
    listen(port: number, host?: string): Promise<{ port: number; url: string }>;
    close(): Promise<void>;
  };
};

/** Returns the URL of a listening address; the URL of the loopback address if the server listens on all addresses. */
const urlOf = ({ address, family, port }: AddressInfo): string => {
  if (address === '0.0.0.0' || address === '::') return `http://127.0.0.1:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
};

/**
 * Opens the database and creates a service with it; closes everything on failure.
 * @throws Failure unavailable | invalid_input | wrong_state if the database cannot be opened
 */
export const openService = async <Database extends ServiceDatabase, Service>(
  options: ServiceOptions,
  openDatabase: (
    options: Pick<ServiceOptions, 'database' | 'log' | 'connections' | 'onPrepare'> &
      Partial<NonNullable<ServiceOptions['databaseLimits']>>,
  ) => Promise<Database>,
  createService: (parts: ServiceParts<Database>) => Service | Promise<Service>,
): Promise<Service> => {
  const { log, clock = systemClock, network } = options;
  const lifecycle = createLifecycle(log);
  try {
    const database = await openDatabase({
      database: options.database,
      log,
      ...options.databaseLimits,
      ...(options.connections === undefined ? {} : { connections: options.connections }),
      ...(options.onPrepare === undefined ? {} : { onPrepare: options.onPrepare }),
    });
    lifecycle.onClose('database', () => database.close());

    const ownAddresses = createServiceAddresses(options.publicUrls ?? []);
    const fetch = createSafeFetch({
      allowLoopback: network?.allowLoopback ?? process.env['PDA_ALLOW_LOOPBACK'] === '1',
      ...(network?.resolve === undefined ? {} : { resolve: network.resolve }),
    });
    lifecycle.onClose('outgoing requests', () => fetch.close());

    let isClosing = false;
    return await createService({
      database,
      clock,
      ownAddresses,
      fetch,
      onClose: lifecycle.onClose,
      isReady: async () => !isClosing && (await database.isUp()),
      serve(httpOptions) {
        const http = createHttpApplication({
          ...httpOptions,
          log,
          isOwnHost: ownAddresses.isOwn,
          addressOf: createForwardedAddressReader(options.proxies ?? 0),
          isBehindProxies: (options.proxies ?? 0) > 0,
          strict: options.strict ?? false,
        });
        lifecycle.onClose('http', () => http.close());
        return {
          async listen(port, host = '127.0.0.1') {
            const address = await http.listen({ port, host });
            ownAddresses.setPort(address.port);
            return { port: address.port, url: urlOf(address) };
          },
          close() {
            isClosing = true;
            return lifecycle.close();
          },
        };
      },
    });
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
};
