import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, Agent } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import {
  GO,
  verifyOpenLine,
  KEY_HEADER,
  PING,
  parseOpenLine,
  formatReadyLine,
  TUNNEL_SCOPE,
  formatVisitLine,
} from '../../server/platform/tunnel/protocol.ts';
import { verifyPdaToken } from '../../server/platform/auth/pda-token.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { silentLog } from '../../server/platform/log.ts';
import type { PdaOptions } from '../../server/pda/config.ts';
import type { Exposure } from '../../server/wire/exposure.ts';
import { send, type Call, type Reply } from './http.ts';
import { newFolder, newHome } from './server-process.ts';
import { openPda, type RunningPda } from './test-pda.ts';

// A stand-in relay that tests can make misbehave, and a PDA with a tunnel.

export type StandInRelay = {
  readonly port: number;
  readonly url: string;
  /** All received claims, including rejected ones. */
  readonly claims: readonly { name: string; key: string }[];
  readonly releasedNames: readonly string[];
  /** Returns the number of connections that wait for a client. */
  waitingCount(): number;
  /** Returns the number of all connections so far. */
  connectionCount(): number;
  /** Closes the waiting connections. */
  dropWaiting(): void;
  /** Sends an invalid message on each waiting connection. */
  sendInvalid(message: string): void;
  /** Response with which the relay refuses every claim; undefined to accept claims with a proof. */
  refusal: { status: number; cause: string } | undefined;
  /** Address from which clients appear to connect. */
  clientAddress: string;
  /** Modifies the message that announces a client to a PDA. */
  forge: ((line: string) => string) | undefined;
  /** Responds to clients itself instead of forwarding them to the PDA. */
  isImpostor: boolean;
  /** Called when the PDA releases its name, before the response. */
  onRelease: (() => void) | undefined;
  /** Closes all connections and stops listening, as when the process ends. */
  stop(): Promise<void>;
  /** Listens on the same port again. Sessions are forgotten. */
  start(): Promise<void>;
};

type WaitingSocket = { socket: Socket; secret: Buffer; session: string; counter: number };

/** Starts a relay for `*.relay.localhost`. */
export const startStandInRelay = async (): Promise<StandInRelay> => {
  const sessions = new Map<string, Buffer>();
  let waitingSockets: WaitingSocket[] = [];
  const sockets = new Set<Socket>();
  let connectionCount = 0;
  const claims: { name: string; key: string }[] = [];
  const releasedNames: string[] = [];

  const api = createHttpServer((request, response) => {
    const name = (request.url ?? '').slice(1);
    const key = String(request.headers[KEY_HEADER] ?? '');
    const token = (request.headers.authorization ?? '').replace('Bearer ', '');
    const pem = `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----\n`;
    void verifyPdaToken(token, pem, {
      resource: `localhost:${self.port}`,
      accessScope: TUNNEL_SCOPE,
      clock: systemClock,
    }).then((tokenClaims) => {
      if (request.method === 'DELETE') {
        self.onRelease?.();
        releasedNames.push(name);
        sessions.clear();
        for (const { socket } of waitingSockets) socket.destroy();
        response.end('{}');
        return;
      }
      claims.push({ name, key });
      const proofRefusal =
        tokenClaims?.iss === `${name}.relay.localhost:${self.port}` ? undefined : { status: 401, cause: 'no proof' };
      const refusal = self.refusal ?? proofRefusal;
      if (refusal !== undefined) {
        response.writeHead(refusal.status).end(JSON.stringify({ cause: refusal.cause }));
        return;
      }
      const session = randomBytes(9).toString('base64url');
      const secret = randomBytes(32);
      sessions.clear();
      for (const { socket } of waitingSockets) socket.destroy();
      sessions.set(session, secret);
      const body = {
        id: name,
        port: self.port,
        max_conn_count: 100,
        url: '',
        session,
        secret: secret.toString('base64url'),
      };
      response.end(JSON.stringify(body));
    });
  });

  /** Verifies the first message of a tunnel connection and keeps the connection until a client connects. */
  const openTunnel = (socket: Socket, firstMessage: string): void => {
    const opening = parseOpenLine(firstMessage);
    const secret = opening === undefined ? undefined : sessions.get(opening.session);
    if (opening === undefined || secret === undefined || !verifyOpenLine(secret, opening)) {
      socket.destroy();
      return;
    }
    socket.write(`${formatReadyLine(secret, opening)}\n`);
    const waitingSocket = { socket, secret, ...opening };
    waitingSockets.push(waitingSocket);
    // The PDA ends a waiting connection that it no longer needs.
    const onEnd = (): void => void socket.destroy();
    socket.on('end', onEnd);
    socket.once('close', () => {
      waitingSockets = waitingSockets.filter((candidate) => candidate !== waitingSocket);
    });
    socket.on('data', (chunk) => {
      if (waitingSockets.includes(waitingSocket) && chunk.toString() === `${PING}\n`) socket.write(`${PING}\n`);
    });
  };

  const forwardClient = (client: Socket, firstChunk: Buffer): void => {
    const waitingSocket = waitingSockets.shift();
    if (waitingSocket === undefined) {
      client.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const { socket, secret } = waitingSocket;
    const line = formatVisitLine(secret, waitingSocket, { address: self.clientAddress, port: 4711 });
    socket.removeAllListeners('data');
    let receivedText = '';
    const onData = (chunk: Buffer): void => {
      receivedText += chunk.toString('latin1');
      if (!receivedText.endsWith(`${GO}\n`)) return;
      socket.off('data', onData).removeAllListeners('end');
      socket.write(firstChunk);
      client.pipe(socket);
      socket.pipe(client);
    };
    socket.on('data', onData);
    socket.once('close', () => client.destroy());
    client.once('close', () => socket.destroy());
    socket.write(`${self.forge?.(line) ?? line}\n`);
  };

  const createTunnelServer = () =>
    createServer({ allowHalfOpen: true }, (socket) => {
      connectionCount += 1;
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
      socket.once('data', (firstChunk) => {
        const text = firstChunk.toString('latin1');
        if (text.startsWith('pda-tunnel ')) openTunnel(socket, text.split('\n', 1)[0] ?? '');
        else if (/\r\nhost: [a-z0-9-]+\.relay\.localhost/iu.test(text)) {
          if (self.isImpostor) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
          else forwardClient(socket, firstChunk);
        } else {
          socket.pause();
          socket.unshift(firstChunk);
          api.emit('connection', socket);
          socket.resume();
        }
      });
    });
  let server = createTunnelServer();
  const listen = (listenPort: number): Promise<void> =>
    new Promise((resolve) => server.listen(listenPort, '127.0.0.1', () => resolve()));

  const self: StandInRelay & { port: number } = {
    port: 0,
    get url() {
      return `http://localhost:${self.port}`;
    },
    claims,
    releasedNames,
    waitingCount: () => waitingSockets.length,
    connectionCount: () => connectionCount,
    dropWaiting() {
      for (const { socket } of waitingSockets) socket.destroy();
    },
    sendInvalid(message) {
      for (const { socket } of waitingSockets) socket.write(message);
    },
    refusal: undefined,
    clientAddress: '203.0.113.9',
    forge: undefined,
    isImpostor: false,
    onRelease: undefined,
    stop: () =>
      new Promise((resolve) => {
        sessions.clear();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    async start() {
      server = createTunnelServer();
      await listen(self.port);
    },
  };
  await listen(0);
  self.port = (server.address() as AddressInfo).port;
  return self;
};

export type TunnelPda = RunningPda & { exposure(): Promise<Exposure> };

/** Starts a PDA that uses the real time, because other servers check its proofs against their clocks. */
export const startTunnelPda = async ({
  config,
  ...options
}: { config?: unknown } & Partial<Pick<PdaOptions, 'tunnel' | 'network'>> = {}): Promise<TunnelPda> => {
  const home = await newHome(newFolder());
  if (config !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const pda = await openPda({ home, log: silentLog(), strict: true, ...options }, () =>
    rmSync(home, { recursive: true, force: true }),
  );
  pda.token = await pda.signIn();
  return Object.assign(pda, {
    exposure: async () => (await pda.call('GET', '/api/v2.6/owner/exposure')).json as Exposure,
  });
};

/** Sends a request with a `Host` header to a port of this machine. */
export const callWithHost = (
  port: number,
  host: string,
  method: string,
  path: string,
  call: Call & { agent?: Agent } = {},
): Promise<Reply> => {
  const { agent = new Agent(), ...otherFields } = call;
  return send(port, agent, method, path, { ...otherFields, headers: { host, ...otherFields.headers } });
};
