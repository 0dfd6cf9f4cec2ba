import { systemClock, type Clock } from '../clock.ts';
import { forwardedAddress } from '../http/request/forwarded-address.ts';
import { createHttpApplication, type HttpOptions } from '../http/application.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import type { Log } from '../log.ts';
import type { Resolve } from '../outbound/dns-lookup.ts';
import { createSafeFetch, type SafeFetch } from '../outbound/safe-fetch.ts';
import { createServiceAddresses, type ServiceAddresses } from './own-addresses.ts';

/** What every service that has a database stands in: how it is opened, called and closed. */

export type ServiceOptions = {
  /** `postgres://…`, or a folder (PGlite, for trying things out). */
  database: string;
  log: Log;
  clock?: Clock;
  /** Addresses under which it is called, beside those of this machine. */
  publicUrls?: readonly string[];
  /** Balancers of one's own that calls come through: they say who calls. */
  proxies?: number;
  /** Connections to the database at most. */
  connections?: number;
  /** See `openPostgres`. */
  onPrepare?: () => void;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
  /** The network as calls to addresses that others chose find it; for tests. `resolve` stands in for the name service. */
  network?: { allowLoopback?: boolean; resolve?: Resolve };
};

type ServiceDatabase = { isUp(): Promise<boolean>; close(): Promise<void> };

export type ServiceFrame<Database> = {
  database: Database;
  clock: Clock;
  hosts: ServiceAddresses;
  /** For addresses that others chose. */
  fetch: SafeFetch;
  onClose: Lifecycle['onClose'];
  /** Whether calls get through to the database, and are still taken. */
  isReady(): Promise<boolean>;
  /** Answers these routes, once it is told to listen. */
  serve(http: Pick<HttpOptions, 'routes' | 'authenticate' | 'tokenOf' | 'pages'>): {
    /** Starts to answer. Resolves with the address on this machine. */
    listen(port: number, host?: string): Promise<{ port: number; url: string }>;
    /** Running requests are answered, then what they use is closed. A balancer that asks meanwhile hears that it is over. */
    close(): Promise<void>;
  };
};

/** Opens the database and makes a service with it; when that fails, nothing stays open. @throws Failure unavailable when the database cannot be opened */
export const openService = async <Database extends ServiceDatabase, Service>(
  options: ServiceOptions,
  openDatabase: (options: Pick<ServiceOptions, 'database' | 'log' | 'connections' | 'onPrepare'>) => Promise<Database>,
  make: (frame: ServiceFrame<Database>) => Service | Promise<Service>,
): Promise<Service> => {
  const { log, clock = systemClock, network } = options;
  const lifecycle = createLifecycle(log);
  try {
    const database = await openDatabase({
      database: options.database,
      log,
      ...(options.connections === undefined ? {} : { connections: options.connections }),
      ...(options.onPrepare === undefined ? {} : { onPrepare: options.onPrepare }),
    });
    lifecycle.onClose('database', () => database.close());

    const hosts = createServiceAddresses(options.publicUrls ?? []);
    const fetch = createSafeFetch({
      allowLoopback: network?.allowLoopback ?? process.env['PDA_ALLOW_LOOPBACK'] === '1',
      ...(network?.resolve === undefined ? {} : { resolve: network.resolve }),
    });
    lifecycle.onClose('calls to others', () => fetch.close());

    let closing = false;
    return await make({
      database,
      clock,
      hosts,
      fetch,
      onClose: lifecycle.onClose,
      isReady: async () => !closing && (await database.isUp()),
      serve(served) {
        const http = createHttpApplication({
          ...served,
          log,
          isOwnHost: hosts.isOwn,
          addressOf: forwardedAddress(options.proxies ?? 0),
          isBehindProxies: (options.proxies ?? 0) > 0,
          strict: options.strict ?? false,
        });
        lifecycle.onClose('http', () => http.close());
        return {
          async listen(port, host = '127.0.0.1') {
            const address = await http.listen({ port, host });
            hosts.setPort(address.port);
            return { port: address.port, url: `http://127.0.0.1:${address.port}` };
          },
          close() {
            closing = true;
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
