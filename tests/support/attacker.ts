import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { isAttack, type Aim, type Attack } from './attacks.ts';

/**
 * An attacker in a separate process: `attacker.ts KINDS AIM`, both as JSON. It runs the attacks while it is switched on. Each
 * attack has a rate, so that it costs the server's time and not the whole machine's.
 */

const [, , kinds = '', words = ''] = process.argv;
const aim = JSON.parse(words) as Aim;

/** Set by messages of the parent process. */
let isOn = false;
process.on('message', (on: boolean) => {
  isOn = on;
});
process.on('disconnect', () => process.exit(0));

/** Calls `work` so often in a second, a few at a time. */
const each = (full: number, work: () => void): void => {
  const perSecond = full * aim.strength;
  const everyMs = Math.max(10, 1000 / perSecond);
  let owed = 0;
  setInterval(() => {
    if (!isOn) return;
    owed += (perSecond * everyMs) / 1000;
    for (; owed >= 1; owed -= 1) work();
  }, everyMs);
};

const open = (): Socket => {
  const socket = connect({ port: aim.port, host: '127.0.0.1', localAddress: aim.from });
  // Being thrown out is what an attacker has to expect.
  socket.on('error', () => undefined);
  return socket;
};

/** Keeps `lines` connections busy while the attack is on; an evicted one reconnects at once, at most `perSecond` times a second. */
const keep = (lines: number, perSecond: number, work: (socket: Socket) => void): void => {
  let here = 0;
  each(perSecond, () => {
    if (here >= lines) return;
    here += 1;
    const socket = open();
    socket.once('close', () => (here -= 1));
    socket.once('connect', () => work(socket));
  });
};

const drip = (socket: Socket, start: string, piece: string, everyMs: number): void => {
  socket.write(start);
  socket.resume();
  const timer = setInterval(() => socket.write(piece), everyMs);
  socket.once('close', () => clearInterval(timer));
};

const head = (method: string, path: string, more: readonly string[] = []): string =>
  [`${method} ${path} HTTP/1.1`, `host: ${aim.host}`, ...more, '', ''].join('\r\n');

const agent = new Agent({ keepAlive: true, maxSockets: 20, localAddress: aim.from });

/** One whole request; its answer is read and thrown away. */
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
    keep(1500, 1000, (socket) => drip(socket, `GET / HTTP/1.1\r\nhost: ${aim.host}\r\n`, 'x-a: b\r\n', 500)),
  'slow bodies': () =>
    keep(1000, 1000, (socket) =>
      drip(socket, head('POST', strength, ['content-type: application/json', 'content-length: 60000']), ' ', 500),
    ),
  'slow readers': () =>
    keep(600, 600, (socket) => {
      socket.write(head('GET', aim.file));
      // Just enough to look alive.
      socket.pause();
      const timer = setInterval(() => socket.read(100), 200);
      socket.once('close', () => clearInterval(timer));
    }),
  'many lines': () => each(800, () => open().resume()),
  'many requests': () => {
    const sockets = Array.from({ length: 20 }, () => open().resume());
    const several = head('GET', '/api/v2.6/owner/sign-in-ways').repeat(20);
    each(300, () => {
      const at = Math.floor(Math.random() * sockets.length);
      if (sockets[at]?.destroyed !== false) sockets[at] = open().resume();
      sockets[at].write(several);
    });
  },
  'huge headers': () => each(300, () => call('GET', '/healthz', { 'x-filling': 'x'.repeat(30_000) })),
  'big bodies': () => {
    const body = large('{"password":"', 'x', '"}');
    each(12, () => call('POST', strength, json, body));
  },
  'big bodies with a right to none': () => {
    const body = large('{"password":"', 'x', '"}');
    each(12, () => call('POST', '/api/v2.6/contract-data/read/a/b', json, body));
  },
  'deep bodies': () => {
    const body = '['.repeat(4_900_000) + ']'.repeat(4_900_000);
    each(12, () => call('POST', strength, json, body));
  },
  'many parameters': () => {
    const query = Array.from({ length: 1600 }, (_, index) => `p${index}=`).join('&');
    each(300, () => call('GET', `/storage/x?${query}`, {}));
  },
  'texts that patterns are slow with': () => {
    const path = `/api/v2.6/data/${'a'.repeat(1000)}${'/a'.repeat(3000)}!`;
    each(150, () => call('GET', path, {}));
    each(150, () =>
      call('POST', strength, {
        'content-type': `application/${'a.'.repeat(5000)}`,
        range: `bytes=${'0'.repeat(5000)}x`,
      }),
    );
  },
  passwords: () => {
    let at = 0;
    each(100, () => {
      at += 1;
      call('GET', '/users/access_token', { username: `name${at}`, password: `guess${at}` });
    });
  },
};

for (const kind of JSON.parse(kinds) as string[]) {
  if (!isAttack(kind)) throw new Error(`there is no attack "${kind}"`);
  ATTACKS[kind]();
}
