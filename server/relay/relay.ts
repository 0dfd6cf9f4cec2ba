import { mkdirSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { systemClock, type Clock } from '../platform/clock.ts';
import { createLifecycle } from '../platform/service/lifecycle.ts';
import { Failure } from '../platform/failure.ts';
import { lockFolder } from '../platform/io/folder-lock.ts';
import type { Log } from '../platform/log.ts';
import { messageOf } from '../wire/values.ts';
import { createRelayAddresses } from './addresses.ts';
import { createRelayApi } from './http/api.ts';
import { openCertificate } from './http/certificate.ts';
import { createClaimVerifier } from './names/claims.ts';
import { createIngress } from './ingress/listener.ts';
import { RELAY_LIMITS, type RelayLimits } from './limits.ts';
import { openNameRegistry } from './names/registry.ts';
import { createRelayServers } from './http/servers.ts';
import { createSessionRegistry } from './tunnel/session-registry.ts';
import { openReplayGuard } from './names/replay-guard.ts';

const ACCEPT_BACKLOG = 1024;

export type RelayOptions = {
  /** Each PDA gets the address `<name>.<domain>`. */
  domain: string;
  home: string;
  log: Log;
  clock?: Clock;
  /** Required for HTTPS; ignored if the domain is local. The files are checked every `pollMs`. */
  certificate?: { certFile: string; keyFile: string; pollMs?: number } | undefined;
  /** Overrides RELAY_LIMITS in tests. */
  limits?: Partial<RelayLimits>;
};

export type Relay = Awaited<ReturnType<typeof createRelay>>;

/**
 * Locks the data folder, because a second relay would accept claims that the first has already accepted.
 * @throws Failure wrong_state if another relay uses the folder, invalid_input if it is unusable
 */
const lockRelayFolder = (home: string): { close(): void } => {
  let lock: { close(): void } | undefined;
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    lock = lockFolder(home);
  } catch (error) {
    throw new Failure('invalid_input', `The folder ${home} cannot be locked: ${messageOf(error)}`);
  }
  if (lock !== undefined) return lock;
  throw new Failure(
    'wrong_state',
    `Another relay is using ${home}. Stop it first, or pass another folder with --home.`,
  );
};

const listenOn = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: ACCEPT_BACKLOG }, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Creates a relay, which does not listen yet.
 * @throws Failure invalid_input if the certificate or the folder is unusable, wrong_state if another relay uses the
 *   folder
 */
export const createRelay = async (options: RelayOptions) => {
  const { home, log, clock = systemClock } = options;
  const limits = { ...RELAY_LIMITS, ...options.limits };
  const addresses = createRelayAddresses({ domain: options.domain });
  const lifecycle = createLifecycle(log);
  let isClosing = false;
  try {
    const certificate =
      options.certificate === undefined || addresses.isLocal
        ? undefined
        : openCertificate({ ...options.certificate, log });
    lifecycle.onClose('certificate', () => certificate?.close());
    const lock = lockRelayFolder(home);
    lifecycle.onClose('lock', () => lock.close());
    const names = await openNameRegistry({ home, maxNames: limits.maxNames, clock, log });
    await names.removeDrafts();
    const replayGuard = await openReplayGuard({ home, maxClaims: limits.maxUsedClaims, clock, log });
    lifecycle.onClose('replay guard', () => replayGuard.close());
    const claims = createClaimVerifier({ addresses, names, replayGuard, limits, clock, log });
    const sessions = createSessionRegistry({ limits, log });
    const watcher = names.watch((name) => sessions.terminate(name, 'name released by the operator'));
    lifecycle.onClose('names', () => watcher.close());

    const servers = createRelayServers({
      listenerOf: (refusalOf) =>
        createRelayApi({ addresses, claims, sessions, limits, isClosing: () => isClosing, refusalOf, log }),
      certificate,
      timeoutMs: limits.apiTimeoutMs,
    });
    const ingress = createIngress({ addresses, sessions, servers, limits, clock, log });
    lifecycle.onClose('connections', () => ingress.close());
    lifecycle.onClose('responses', () => servers.close(limits.drainMs));
    lifecycle.onClose('tunnels', () => sessions.close());

    const createPortServer = (): Server => {
      // Half-open connections are forwarded as such. Disabling Nagle's algorithm avoids delayed responses.
      const server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: false }, ingress.accept);
      server.maxConnections = limits.connections;
      lifecycle.onClose('port', () => {
        // Not awaited, because the following steps close the connections.
        server.close();
      });
      return server;
    };

    return {
      addresses,
      sessions,
      names,
      openingConnectionCount: ingress.openingConnectionCount,
      replayGuard,
      /**
       * Starts to listen. Resolves with the actual port.
       * @param ports.publicPort port in public addresses; default: the actual port
       */
      async listen(
        port: number,
        host: string,
        ports: { publicPort?: number | undefined; httpPort?: number | undefined } = {},
      ): Promise<number> {
        const actualPort = await listenOn(createPortServer(), port, host);
        addresses.setPort(ports.publicPort ?? actualPort);
        if (ports.httpPort !== undefined) await listenOn(createPortServer(), ports.httpPort, host);
        return actualPort;
      },
      close(): Promise<void> {
        isClosing = true;
        return lifecycle.close();
      },
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
};
