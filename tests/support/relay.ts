import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest, type IncomingHttpHeaders, type RequestOptions } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, type Clock } from '../../server/platform/clock.ts';
import { silentLog, type Log } from '../../server/platform/log.ts';
import { signPdaToken, type NewPdaToken } from '../../server/platform/auth/pda-token.ts';
import { isReadyLine, openLine, readVisit, TUNNEL_SCOPE, type Visit } from '../../server/platform/tunnel/protocol.ts';
import type { RelayLimits } from '../../server/relay/limits.ts';
import type { Relay } from '../../server/relay/relay.ts';
import { selfSigned } from './self-signed.ts';

/** A relay in this process, and PDAs that speak to it as the protocol says, without anything of the account server. */

export const LOCAL = 'localhost';
export const REMOTE = 'relay.test';

const folders: string[] = [];
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-relay-'));
  folders.push(folder);
  return folder;
};
export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};

export type Where = { port: number; domain: string; ca?: string; from?: string };
export type TestRelay = Where & {
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
    clock?: Clock;
    log?: Log;
    limits?: Partial<RelayLimits>;
    pollMs?: number;
  } = {},
): Promise<TestRelay> => {
  const { domain = LOCAL, home = newFolder(), clock = systemClock, log = silentLog(), limits = {} } = options;
  const [certFile, keyFile] = [join(home, 'cert.pem'), join(home, 'key.pem')];
  const pair = await selfSigned(domain);
  writeFileSync(certFile, pair.cert);
  writeFileSync(keyFile, pair.key);
  // Who only speaks to one needs none of it.
  const { createRelay } = await import('../../server/relay/relay.ts');
  const relay = await createRelay({
    domain,
    home,
    log,
    clock,
    limits,
    certificate: { certFile, keyFile, pollMs: options.pollMs ?? 60_000 },
  });
  const port = await relay.listen(options.port ?? 0, '127.0.0.1');
  return { relay, port, home, domain, ca: pair.cert, certFile, keyFile, close: () => relay.close() };
};

export type Answer = { status: number; headers: IncomingHttpHeaders; text: string; json: Record<string, unknown> };

const asObject = (text: string): Record<string, unknown> => {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
};

/** One call of the relay's port by name; TLS unless the domain is local or `plain` is said. */
export const ask = (
  { port, domain, ca, from }: Where,
  options: RequestOptions & { name?: string; plain?: boolean },
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { name, plain = domain === LOCAL, headers, ...rest } = options;
    const host = name === undefined ? domain : `${name}.${domain}`;
    const call = plain ? plainRequest : tlsRequest;
    const sent = call(
      {
        host: '127.0.0.1',
        port,
        agent: false,
        headers: { host: `${host}:${port}`, ...(headers as Record<string, string>) },
        ...(from === undefined ? {} : { localAddress: from }),
        ...(plain ? {} : { servername: host, ca }),
        ...rest,
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('error', reject);
        answer.on('end', () => {
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text, json: asObject(text) });
        });
      },
    );
    sent.on('error', reject).end();
  });

export type PdaKey = { privateKey: KeyObject; publicKey: KeyObject };
export const newKey = (): PdaKey => generateKeyPairSync('rsa', { modulusLength: 2048 });
let shared: PdaKey | undefined;
/** A key takes a while to make: most PDAs of tests share one. */
export const sharedKey = (): PdaKey => (shared ??= newKey());
export const keyHeader = ({ publicKey }: PdaKey): string =>
  publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

const suffix = (port: number): string => `:${port}`;

/** The proof by which a name is claimed, wrong in whatever way `more` says. */
export const proofFor = (
  { port, domain }: Where,
  name: string,
  { key = sharedKey(), clock = systemClock, ...more }: Partial<NewPdaToken> & { key?: PdaKey; clock?: Clock } = {},
): Promise<string> =>
  signPdaToken(
    key,
    {
      iss: `${name}.${domain}${suffix(port)}`,
      resource: `${domain}${suffix(port)}`,
      accessScope: TUNNEL_SCOPE,
      ...more,
    },
    clock,
  );

/** Claims a name, with a fresh proof unless it is given one. */
export const claim = async (
  where: Where,
  name: string,
  options: { key?: PdaKey; token?: string; method?: string; clock?: Clock } = {},
): Promise<Answer> => {
  const { key = sharedKey(), method = 'GET', clock = systemClock } = options;
  const token = options.token ?? (await proofFor(where, name, { key, clock }));
  const headers = { authorization: `Bearer ${token}`, 'x-pda-key': keyHeader(key) };
  return ask(where, { method, path: `/${name}`, headers });
};

export type Session = { session: string; secret: Buffer };
export const sessionOf = ({ json }: Answer): Session => ({
  session: String(json['session']),
  secret: Buffer.from(String(json['secret']), 'base64url'),
});

export type Visited = { visit: Visit; socket: Socket };
export type PdaLine = {
  socket: Socket;
  /** Resolves once the relay has said `ready`; rejects when the line closes before. */
  ready: Promise<void>;
  /** The visitor, after our `go`; the socket is theirs then, paused. */
  visited: Promise<Visited>;
  /** How many signs of life were answered. */
  answers(): number;
  closed: Promise<void>;
};

/** Opens one connection, on a new socket or a given one. `words` replaces the valid first message; with `go: false` it never accepts a visitor. */
export const openConnection = (
  { port, from }: Where,
  { session, secret }: Session,
  counter: number,
  options: { words?: string; go?: boolean; socket?: Socket } = {},
): PdaLine => {
  const line = { session, counter };
  const own = from === undefined ? {} : { localAddress: from };
  const socket = options.socket ?? connect({ port, host: '127.0.0.1', ...own, allowHalfOpen: true });
  let text = '';
  let isUp = false;
  let isTheirs = false;
  let answers = 0;
  let onReady: () => void = () => undefined;
  let onVisited: (visited: Visited) => void = () => undefined;
  let onWrong: (error: Error) => void = () => undefined;
  const ready = new Promise<void>((resolve, reject) => {
    [onReady, onWrong] = [resolve, reject];
  });
  ready.catch(() => undefined);
  const visited = new Promise<Visited>((resolve) => {
    onVisited = resolve;
  });
  const onWord = (word: string): boolean => {
    if (!isUp) {
      if (!isReadyLine(secret, line, word)) onWrong(new Error(`no proof of the relay: ${word}`));
      else onReady();
      isUp = true;
      return false;
    }
    if (word === 'p') {
      answers += 1;
      return false;
    }
    const visit = readVisit(secret, line, word);
    if (visit === undefined) onWrong(new Error(`no visitor: ${word}`));
    if (visit === undefined || options.go === false) return false;
    socket.off('data', onData).pause();
    isTheirs = true;
    socket.write('go\n');
    onVisited({ visit, socket });
    return true;
  };
  const onData = (chunk: Buffer): void => {
    text += chunk.toString('latin1');
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n')) {
      const word = text.slice(0, end);
      text = text.slice(end + 1);
      if (onWord(word)) return;
    }
  };
  socket.on('data', onData);
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      onWrong(new Error('the relay closed the line'));
      resolve();
    });
  });
  // The relay ends a line that it does not want: nothing more comes.
  socket.once('end', () => {
    if (!isTheirs) socket.destroy();
  });
  socket.write(`${options.words ?? openLine(secret, line)}\n`);
  return { socket, ready, visited, answers: () => answers, closed };
};

export type HeldTunnel = Session & { lines: Set<PdaLine>; visits: Visit[]; close(): void };

/** Keeps waiting connections open and passes each visitor's socket to `onVisit`. */
export const holdTunnel = async (
  where: Where,
  name: string,
  onVisit: (socket: Socket, visit: Visit) => void,
  options: { idle?: number; key?: PdaKey } = {},
): Promise<HeldTunnel> => {
  const answer = await claim(where, name, options);
  if (answer.status !== 200) throw new Error(`the claim of ${name} was answered ${answer.status} ${answer.text}`);
  const session = sessionOf(answer);
  const lines = new Set<PdaLine>();
  const visits: Visit[] = [];
  let counter = 0;
  let over = false;
  const addLine = (): PdaLine => {
    counter += 1;
    const line = openConnection(where, session, counter);
    lines.add(line);
    void line.visited.then(({ socket, visit }) => {
      visits.push(visit);
      if (!over) addLine();
      onVisit(socket, visit);
    });
    void line.closed.then(() => lines.delete(line));
    return line;
  };
  await Promise.all(Array.from({ length: options.idle ?? 4 }, () => addLine().ready));
  return {
    ...session,
    lines,
    visits,
    close() {
      over = true;
      for (const { socket } of lines) socket.destroy();
    },
  };
};
