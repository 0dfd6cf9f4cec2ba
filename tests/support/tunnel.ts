import { randomBytes } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer, Agent } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  GO,
  isOpenLine,
  KEY_HEADER,
  PING,
  readOpen,
  readyLine,
  TUNNEL_SCOPE,
  visitLine,
} from '../../server/platform/tunnel/protocol.ts';
import { verifyPdaToken } from '../../server/platform/auth/pda-token.ts';
import { systemClock } from '../../server/platform/clock.ts';
import { silentLog } from '../../server/platform/log.ts';
import type { PdaOptions } from '../../server/pda/config.ts';
import { createPda, type Pda } from '../../server/pda/pda.ts';
import type { Exposure } from '../../server/wire/exposure.ts';
import { send, type Call, type Reply } from './http.ts';
import { OWNER } from './test-pda.ts';

/** A relay of few words that does what a test tells it to, and a PDA that is reached by way of one. */

export type StandInRelay = {
  readonly port: number;
  readonly url: string;
  /** Claims that came, whatever was answered. */
  readonly claims: readonly { name: string; key: string }[];
  /** Names that were given back. */
  readonly gone: readonly string[];
  /** Connections that wait for a visitor, and those that have come to the port at all. */
  waiting(): number;
  connections(): number;
  /** Ends the connections that wait. */
  dropWaiting(): void;
  /** Says something on each of them that is in no protocol. */
  tell(words: string): void;
  /** What a claim is answered instead; undefined: a session. */
  answer: { status: number; cause: string } | undefined;
  /** Takes connections and says nothing on them. */
  isMute: boolean;
  /** Address from which visitors appear to come. */
  visitorAddress: string;
  /** Changes what is said to a PDA whose visitor comes. */
  forge: ((line: string) => string) | undefined;
  /** Answers visitors itself, with the name of no PDA asked. */
  isImpostor: boolean;
  /** Called before a name that is given back is taken back: the PDA waits for the answer. */
  beforeGone: (() => void) | undefined;
  /** Drops everything and listens no more, as a process that ends. */
  stop(): Promise<void>;
  /** The same port again, with no memory of sessions. */
  start(): Promise<void>;
};

type Waiting = { socket: Socket; secret: Buffer; session: string; counter: number };

/** A relay for `*.relay.localhost`. */
export const startStandInRelay = async (port = 0): Promise<StandInRelay> => {
  const sessions = new Map<string, Buffer>();
  let waiting: Waiting[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const claims: { name: string; key: string }[] = [];
  const gone: string[] = [];

  const api = createHttpServer((incoming, answer) => {
    const name = (incoming.url ?? '').slice(1);
    const key = String(incoming.headers[KEY_HEADER] ?? '');
    const token = (incoming.headers.authorization ?? '').replace('Bearer ', '');
    const pem = `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----\n`;
    void verifyPdaToken(token, pem, {
      resource: `localhost:${self.port}`,
      accessScope: TUNNEL_SCOPE,
      clock: systemClock,
    }).then((found) => {
      if (incoming.method === 'DELETE') {
        self.beforeGone?.();
        gone.push(name);
        sessions.clear();
        for (const { socket } of waiting) socket.destroy();
        answer.end('{}');
        return;
      }
      claims.push({ name, key });
      const wrong =
        found?.iss === `${name}.relay.localhost:${self.port}` ? undefined : { status: 401, cause: 'no proof' };
      const refusal = self.answer ?? wrong;
      if (refusal !== undefined) {
        answer.writeHead(refusal.status).end(JSON.stringify({ cause: refusal.cause }));
        return;
      }
      const session = randomBytes(9).toString('base64url');
      const secret = randomBytes(32);
      sessions.clear();
      for (const { socket } of waiting) socket.destroy();
      sessions.set(session, secret);
      const body = {
        id: name,
        port: self.port,
        max_conn_count: 100,
        url: '',
        session,
        secret: secret.toString('base64url'),
      };
      answer.end(JSON.stringify(body));
    });
  });

  /** The PDA's end of it: proven, told that it is ready, and kept until a visitor comes. */
  const openTunnel = (socket: Socket, first: string): void => {
    const found = readOpen(first);
    const secret = found === undefined ? undefined : sessions.get(found.session);
    if (found === undefined || secret === undefined || !isOpenLine(secret, found)) {
      socket.destroy();
      return;
    }
    socket.write(`${readyLine(secret, found)}\n`);
    const entry = { socket, secret, ...found };
    waiting.push(entry);
    // Who closes its side before a visitor is in wants none.
    const onEnd = (): void => void socket.destroy();
    socket.on('end', onEnd);
    socket.once('close', () => {
      waiting = waiting.filter((one) => one !== entry);
    });
    socket.on('data', (part) => {
      if (waiting.includes(entry) && part.toString() === `${PING}\n`) socket.write(`${PING}\n`);
    });
  };

  const visit = (visitor: Socket, first: Buffer): void => {
    const entry = waiting.shift();
    if (entry === undefined) {
      visitor.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return;
    }
    const { socket, secret } = entry;
    const line = visitLine(secret, entry, { address: self.visitorAddress, port: 4711 });
    socket.removeAllListeners('data');
    let before = '';
    const onData = (part: Buffer): void => {
      before += part.toString('latin1');
      if (!before.endsWith(`${GO}\n`)) return;
      socket.off('data', onData).removeAllListeners('end');
      socket.write(first);
      visitor.pipe(socket);
      socket.pipe(visitor);
    };
    socket.on('data', onData);
    socket.once('close', () => visitor.destroy());
    visitor.once('close', () => socket.destroy());
    socket.write(`${self.forge?.(line) ?? line}\n`);
  };

  const open = () =>
    createServer({ allowHalfOpen: true }, (socket) => {
      connections += 1;
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => sockets.delete(socket));
      if (self.isMute) return;
      socket.once('data', (first) => {
        const text = first.toString('latin1');
        if (text.startsWith('pda-tunnel ')) openTunnel(socket, text.split('\n', 1)[0] ?? '');
        else if (/\r\nhost: [a-z0-9-]+\.relay\.localhost/iu.test(text)) {
          if (self.isImpostor) socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok');
          else visit(socket, first);
        } else {
          socket.pause();
          socket.unshift(first);
          api.emit('connection', socket);
          socket.resume();
        }
      });
    });
  let server = open();
  const listen = (at: number): Promise<void> =>
    new Promise((resolve) => server.listen(at, '127.0.0.1', () => resolve()));

  const self: StandInRelay & { port: number } = {
    port,
    get url() {
      return `http://localhost:${self.port}`;
    },
    claims,
    gone,
    waiting: () => waiting.length,
    connections: () => connections,
    dropWaiting() {
      for (const { socket } of waiting) socket.destroy();
    },
    tell(words) {
      for (const { socket } of waiting) socket.write(words);
    },
    answer: undefined,
    isMute: false,
    visitorAddress: '203.0.113.9',
    forge: undefined,
    isImpostor: false,
    beforeGone: undefined,
    stop: () =>
      new Promise((resolve) => {
        sessions.clear();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
    async start() {
      server = open();
      await listen(self.port);
    },
  };
  await listen(port);
  self.port = (server.address() as AddressInfo).port;
  return self;
};

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'pda-tunnel-'));

/** Made once for all tests of a file, and copied. */
let template: Promise<string> | undefined;
const makeTemplate = async (): Promise<string> => {
  const home = newFolder();
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const pda = await createPda({ home, log: silentLog() });
  await pda.owner.init(OWNER.name, OWNER.password);
  await pda.close();
  return home;
};

export type TunnelPda = {
  readonly pda: Pda;
  readonly port: number;
  readonly home: string;
  token: string;
  /** At this machine. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  exposure(): Promise<Exposure>;
  restart(): Promise<void>;
  close(): Promise<void>;
};

/** A PDA with the time as it is: its proofs are held against other clocks. */
export const startTunnelPda = async (
  options: { config?: unknown; setUp?: boolean } & Partial<
    Pick<PdaOptions, 'tunnel' | 'network' | 'clock' | 'publicUrl'>
  > = {},
): Promise<TunnelPda> => {
  const { config, setUp = true, ...rest } = options;
  const home = newFolder();
  if (setUp) cpSync(await (template ??= makeTemplate()), home, { recursive: true });
  if (config !== undefined) writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  const agent = new Agent({ keepAlive: true });
  const open = async (port: number) => {
    const pda = await createPda({ home, log: silentLog(), strict: true, ...rest });
    return { pda, port: (await pda.listen(port)).port };
  };
  let running = await open(0);
  const self: TunnelPda = {
    get pda() {
      return running.pda;
    },
    get port() {
      return running.port;
    },
    home,
    token: '',
    call(method, path, call = {}) {
      const token = call.token === undefined ? self.token : call.token;
      const headers = token === null || token === '' ? call.headers : { 'x-auth-token': token, ...call.headers };
      return send(running.port, agent, method, path, { ...call, ...(headers === undefined ? {} : { headers }) });
    },
    exposure: async () => (await self.call('GET', '/api/v2.6/owner/exposure')).json as Exposure,
    async restart() {
      agent.destroy();
      await running.pda.close();
      running = await open(running.port);
    },
    async close() {
      agent.destroy();
      await running.pda.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  if (setUp) {
    const from = { address: '127.0.0.1', host: `127.0.0.1:${running.port}`, local: true, userAgent: 'test' };
    self.token = (await running.pda.owner.signIn(OWNER.name, OWNER.password, from)).accessToken;
  }
  return self;
};

/** A call from outside, by the public name. */
export const callFrom = (
  relayPort: number,
  host: string,
  method: string,
  path: string,
  call: Call & { agent?: Agent } = {},
): Promise<Reply> => {
  const { agent = new Agent(), ...rest } = call;
  return send(relayPort, agent, method, path, { ...rest, headers: { host, ...rest.headers } });
};
