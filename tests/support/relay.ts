import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../server/platform/clock.ts';
import { silentLog } from '../../server/platform/log.ts';
import { signPdaToken, type NewPdaToken } from '../../server/platform/auth/pda-token.ts';
import {
  isReadyLine,
  formatOpenLine,
  parseVisitLine,
  TUNNEL_SCOPE,
  type Peer,
} from '../../server/platform/tunnel/protocol.ts';
import type { RelayLimits } from '../../server/relay/limits.ts';
import type { Relay } from '../../server/relay/relay.ts';
import { sharedKey, type TestKey } from './keys.ts';
import { createSelfSigned } from './self-signed.ts';

// A relay in this process, and PDAs that implement only the tunnel protocol.

export const LOCAL_DOMAIN = 'localhost';
export const REMOTE_DOMAIN = 'relay.test';

const folders: string[] = [];
export const newRelayFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-relay-'));
  folders.push(folder);
  return folder;
};
export const removeRelayFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

/** Time limits of the relay that tests never reach, even on a slow machine. */
export const LONG_LIMITS = {
  openingTimeoutMs: 600_000,
  handoverTimeoutMs: 600_000,
  clientWaitMs: 600_000,
  sessionGraceMs: 600_000,
} satisfies Partial<RelayLimits>;

export type RelayTarget = { port: number; domain: string; ca?: string; localAddress?: string };
export type TestRelay = RelayTarget & {
  relay: Relay;
  home: string;
  certFile: string;
  keyFile: string;
  close(): Promise<void>;
};

export const startRelay = async (
  options: {
    domain?: string;
    home?: string;
    port?: number;
    limits?: Partial<RelayLimits>;
    pollMs?: number;
  } = {},
): Promise<TestRelay> => {
  const { domain = LOCAL_DOMAIN, home = newRelayFolder(), limits = {} } = options;
  const [certFile, keyFile] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const { cert, key } = await createSelfSigned(domain);
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  // Loaded on demand: client processes do not need the relay.
  const { createRelay } = await import('../../server/relay/relay.ts');
  const relay = await createRelay({
    domain,
    home,
    log: silentLog(),
    clock: systemClock,
    limits,
    certificate: { certFile, keyFile, pollMs: options.pollMs ?? 60_000 },
  });
  const port = await relay.listen(options.port ?? 0, '127.0.0.1');
  return { relay, port, home, domain, ca: cert, certFile, keyFile, close: () => relay.close() };
};

export type RelayResponse = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  json: Record<string, unknown>;
};

const parseObject = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** Sends one request to a host of the relay. Uses TLS unless the domain is local or `isPlain` is set. */
export const requestRelay = (
  { port, domain, ca, localAddress }: RelayTarget,
  options: RequestOptions & { name?: string; isPlain?: boolean },
): Promise<RelayResponse> =>
  new Promise((resolve, reject) => {
    const { name, isPlain = domain === LOCAL_DOMAIN, headers, ...otherOptions } = options;
    const host = name === undefined ? domain : `${name}.${domain}`;
    const call = isPlain ? plainRequest : tlsRequest;
    const clientRequest = call(
      {
        host: '127.0.0.1',
        port,
        agent: false,
        headers: { host: `${host}:${port}`, ...(headers as Record<string, string>) },
        ...(localAddress === undefined ? {} : { localAddress }),
        ...(isPlain ? {} : { servername: host, ca }),
        ...otherOptions,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parseObject(text) });
        });
      },
    );
    clientRequest.on('error', reject).end();
  });

/** Returns the value of the header that carries the key of a claim. */
export const keyHeader = ({ publicKey }: TestKey): string =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** Signs the proof for claiming a name. Further options override claims, to make the proof invalid. */
export const proofFor = (
  { port, domain }: RelayTarget,
  name: string,
  { key = sharedKey(), clock = systemClock, ...claims }: Partial<NewPdaToken> & { key?: TestKey; clock?: Clock } = {},
): Promise<string> =>
  signPdaToken(
    key,
    {
      iss: `${name}.${domain}:${port}`,
      resource: `${domain}:${port}`,
      accessScope: TUNNEL_SCOPE,
      ...claims,
    },
    clock,
  );

/** Claims a name, with a fresh proof by default. */
export const claimName = async (
  target: RelayTarget,
  name: string,
  options: { key?: TestKey; token?: string; method?: string } = {},
): Promise<RelayResponse> => {
  const { key = sharedKey(), method = 'GET' } = options;
  const token = options.token ?? (await proofFor(target, name, { key }));
  const headers = { authorization: `Bearer ${token}`, 'x-pda-key': keyHeader(key) };
  return requestRelay(target, { method, path: `/${name}`, headers });
};

export type Session = { session: string; secret: Buffer };
export const sessionOf = ({ json }: RelayResponse): Session => ({
  session: String(json['session']),
  secret: Buffer.from(String(json['secret']), 'base64url'),
});

type ForwardedConnection = { peer: Peer; socket: Socket };
export type TunnelConnection = {
  socket: Socket;
  /** Resolves once the relay has sent a valid `ready` line. Rejects if the line is invalid or the connection closes. */
  ready: Promise<void>;
  /** Resolves with the client's address and the paused socket once the PDA has sent `go`. */
  forwarded: Promise<ForwardedConnection>;
  /** Returns the number of pings that the relay has echoed. */
  pongs(): number;
  closed: Promise<void>;
};

/**
 * Opens one tunnel connection, on a new socket unless `options.socket` is set.
 * @param options.firstMessage sent instead of the valid first message
 * @param options.acceptClients false to never accept a client
 */
export const openConnection = (
  { port, localAddress }: RelayTarget,
  { session, secret }: Session,
  counter: number,
  options: { firstMessage?: string; acceptClients?: boolean; socket?: Socket } = {},
): TunnelConnection => {
  const connectionId = { session, counter };
  const localOptions = localAddress === undefined ? {} : { localAddress };
  const socket = options.socket ?? connect({ port, host: '127.0.0.1', ...localOptions, allowHalfOpen: true });
  let text = '';
  let isReady = false;
  let isHandedOver = false;
  let pongs = 0;
  const { promise: ready, resolve: onReady, reject: onError } = Promise.withResolvers<void>();
  ready.catch(() => undefined);
  const { promise: forwarded, resolve: onForwarded } = Promise.withResolvers<ForwardedConnection>();
  const onMessage = (message: string): boolean => {
    if (!isReady) {
      if (!isReadyLine(secret, connectionId, message))
        onError(new Error(`invalid ready line of the relay: ${message}`));
      else onReady();
      isReady = true;
      return false;
    }
    if (message === 'p') {
      pongs += 1;
      return false;
    }
    const peer = parseVisitLine(secret, connectionId, message);
    if (peer === undefined || options.acceptClients === false) return false;
    socket.off('data', onData).pause();
    isHandedOver = true;
    socket.write('go\n');
    onForwarded({ peer, socket });
    return true;
  };
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      const message = text.slice(0, end);
      text = text.slice(end + 1);
      if (onMessage(message)) return;
    }
  };
  socket.on('data', onData);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      onError(new Error('the relay closed the connection'));
      resolve();
    });
  });
  // The relay ends connections that it does not accept.
  socket.once('end', () => {
    if (!isHandedOver) socket.destroy();
  });
  socket.write(`${options.firstMessage ?? formatOpenLine(secret, connectionId)}\n`);
  return { socket, ready, forwarded, pongs: () => pongs, closed };
};

type HeldTunnel = Session & { connections: Set<TunnelConnection>; peers: Peer[]; close(): void };

/** Claims a name, keeps connections open that wait for clients, and passes each client's socket to `onClient`. */
export const holdTunnel = async (
  target: RelayTarget,
  name: string,
  onClient: (socket: Socket) => void,
  options: { idleConnections?: number; key?: TestKey } = {},
): Promise<HeldTunnel> => {
  const response = await claimName(target, name, options);
  if (response.status !== 200) throw new Error(`the claim of ${name} returned ${response.status} ${response.text}`);
  const session = sessionOf(response);
  const connections = new Set<TunnelConnection>();
  const peers: Peer[] = [];
  let counter = 0;
  let isClosed = false;
  const addConnection = (): TunnelConnection => {
    counter += 1;
    const connection = openConnection(target, session, counter);
    connections.add(connection);
    void connection.forwarded.then(({ socket, peer }) => {
      peers.push(peer);
      if (!isClosed) addConnection();
      onClient(socket);
    });
    void connection.closed.then(() => connections.delete(connection));
    return connection;
  };
  await Promise.all(Array.from({ length: options.idleConnections ?? 4 }, () => addConnection().ready));
  return {
    ...session,
    connections,
    peers,
    close() {
      isClosed = true;
      for (const { socket } of connections) socket.destroy();
    },
  };
};
