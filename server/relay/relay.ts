import { createServer, type AddressInfo, type Server } from 'node:net';
import { systemClock, type Clock } from '../platform/clock.ts';
import { createLifecycle } from '../platform/lifecycle.ts';
import type { Log } from '../platform/log.ts';
import { createAddresses } from './addresses.ts';
import { createApi } from './api.ts';
import { openCertificate } from './certificate.ts';
import { createClaims } from './claims.ts';
import { createFront } from './front.ts';
import { RELAY_LIMITS, type RelayLimits } from './limits.ts';
import { lockFolder } from './lock.ts';
import { openNames } from './names.ts';
import { createOwnServers } from './own-servers.ts';
import { createSessions } from './sessions.ts';
import { openUsedClaims } from './used-claims.ts';

export type RelayOptions = {
  /** PDAs are `<name>.<domain>`, and the relay itself is `<domain>`. */
  domain: string;
  /** Folder of the names. */
  home: string;
  log: Log;
  clock?: Clock;
  /** For the relay's own name; needed unless the domain is of this machine. `lookMs`: between two looks at the files. */
  certificate?: { certFile: string; keyFile: string; lookMs?: number };
  /** What bounds it, where that is not what limits.ts says; for tests. */
  limits?: Partial<RelayLimits>;
};

export type Relay = Awaited<ReturnType<typeof createRelay>>;

const listenOn = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: 1024 }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/** Puts one relay together. @throws Failure invalid_input when certificate or folder cannot be used, wrong_state when another relay has the folder */
export const createRelay = async (options: RelayOptions) => {
  const { home, log, clock = systemClock } = options;
  const limits = { ...RELAY_LIMITS, ...options.limits };
  const addresses = createAddresses({ domain: options.domain });
  const lifecycle = createLifecycle(log);
  let closing = false;
  try {
    const certificate =
      options.certificate === undefined || addresses.local
        ? undefined
        : openCertificate({ ...options.certificate, log });
    lifecycle.onClose('certificate', () => certificate?.close());
    const unlock = lockFolder(home);
    lifecycle.onClose('lock', unlock);
    const names = await openNames({ home, most: limits.names, clock, log });
    const usedClaims = await openUsedClaims({ home, most: limits.usedClaims, clock, log });
    lifecycle.onClose('used claims', () => usedClaims.close());
    const claims = createClaims({ addresses, names, usedClaims, limits, clock, log });
    const sessions = createSessions({ limits, log });
    const watcher = names.watch((name) => sessions.cut(name, 'the operator took the name back'));
    lifecycle.onClose('names', () => watcher.close());

    const own = createOwnServers({
      listenerOf: (refusalOf) =>
        createApi({ addresses, claims, sessions, limits, isClosing: () => closing, refusalOf, log }),
      certificate,
      lineMs: limits.apiMs,
    });
    const front = createFront({ addresses, sessions, own, limits, clock, log });
    lifecycle.onClose('lines', () => front.close());
    lifecycle.onClose('answers', () => own.close(limits.drainMs));
    lifecycle.onClose('tunnels', () => sessions.close());

    const open = (): Server => {
      // Half-closed lines are passed on as such; an answer on its way is not held back for more.
      const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: false }, front.accept);
      server.maxConnections = limits.connections;
      lifecycle.onClose('port', () => {
        // Its end comes with the last line's, which the steps after this one end.
        server.close();
      });
      return server;
    };

    return {
      addresses,
      sessions,
      names,
      opening: front.opening,
      usedClaims,
      /** Starts to answer. `publicPort`: under which others reach this port. Resolves with the port of this machine. */
      async listen(port: number, host: string, more: { publicPort?: number; httpPort?: number } = {}): Promise<number> {
        const found = await listenOn(open(), port, host);
        addresses.setPort(more.publicPort ?? found);
        if (more.httpPort !== undefined) await listenOn(open(), more.httpPort, host);
        return found;
      },
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
