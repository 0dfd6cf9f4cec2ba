import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestExchange, type TestExchange } from '../server/exchange/exchange.test-support.ts';
import { freshPostgres } from '../server/platform/postgres/postgres.test-support.ts';
import { HOSTS, LOOPBACK, NAMES, type Found } from './support/inside.ts';
import { createTestClock, errorOf } from './support/test-pda.ts';

/**
 * `registerPda` makes the exchange call an address that a stranger chose. Something listens on every address of this machine: nobody may make the
 * exchange call it, nor learn from the answer what is behind an address.
 */

let canary: Server;
let port: number;
let connections = 0;
const sockets = new Set<Socket>();
let says = '';

let lookups: string[] = [];
let names: Record<string, () => Found> = NAMES;
const resolve = (host: string): Promise<Found> => {
  lookups.push(host);
  const found = names[host];
  return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found());
};

const clock = createTestClock();
/** As it is run by an operator, and by a developer. */
let closed: TestExchange;
let open: TestExchange;
beforeAll(async () => {
  canary = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => socket.end(says));
  });
  await new Promise<void>((done, reject) => {
    // A machine without IPv6 has only the half of it.
    canary.once('error', () => canary.listen(0, '0.0.0.0', done).once('error', reject));
    canary.listen(0, '::', done);
  });
  ({ port } = canary.address() as AddressInfo);
  const database = await freshPostgres();
  closed = await startTestExchange({ database, clock, network: { allowLoopback: false, resolve } });
  open = await startTestExchange({ database, clock, network: { allowLoopback: true, resolve } });
});
afterAll(async () => {
  await closed.close();
  await open.close();
  for (const socket of sockets) socket.destroy();
  canary.close();
});
beforeEach(() => {
  connections = 0;
  lookups = [];
  names = NAMES;
  says = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';
});

const register = async (exchange: TestExchange, pdaAddress: string) => {
  clock.advance(3_600_000);
  const reply = await exchange.call('POST', '/api/users/registerPda', { json: { pdaAddress } });
  expect([pdaAddress, reply.status]).toStrictEqual([pdaAddress, 400]);
  return errorOf(reply).cause;
};

describe('through registerPda', () => {
  it('an address of this machine is reached only when a developer lets it (so what is below is real)', async () => {
    await register(open, `127.0.0.1:${port}`);
    await register(open, `ada.localhost:${port}`);
    expect(connections).toBe(2);
    await register(closed, `127.0.0.1:${port}`);
    await register(closed, `ada.localhost:${port}`);
    expect([connections, lookups]).toStrictEqual([2, []]);
  });

  it('no address inside is, however it is spelled', async () => {
    for (const host of HOSTS) {
      await register(closed, `${host}:${port}`);
      await register(closed, `http://${host}:${port}/`);
    }
    expect([connections, lookups]).toStrictEqual([0, []]);
  });

  it('no name is that leads inside, and every one of them is answered like a name that leads nowhere', async () => {
    const told = new Set<string>();
    for (const name of [...Object.keys(NAMES), 'unknown.example'])
      if (name !== 'localhost') told.add(await register(closed, `${name}:${port}`));
    expect([connections, told.size]).toStrictEqual([0, 1]);
    // Not refused for another reason: each name was asked for.
    expect(new Set(lookups).size).toBe(Object.keys(NAMES).length);
  });

  it('a port below which something else than a web server listens is not called', async () => {
    for (const other of [22, 25, 6667]) await register(open, `127.0.0.1:${other}`);
    expect(connections).toBe(0);
  });

  it('a name that changes its mind is judged at each connection', async () => {
    const answers: Found[] = [LOOPBACK, [{ address: '10.0.0.1', family: 4 }]];
    // Loopback stands in for the public address, so that nothing leaves this machine. The line is TLS, so nothing more happens on it.
    names = { 'rebinding.example': () => answers[lookups.length - 1] ?? [] };
    await register(open, `rebinding.example:${port}`);
    await register(open, `rebinding.example:${port}`);
    expect([connections, lookups.length]).toStrictEqual([1, 2]);
  });

  it('a redirect leads nowhere', async () => {
    for (const [index, status] of [301, 302, 303, 307, 308].entries()) {
      says = `HTTP/1.1 ${status} Go\r\nlocation: http://127.0.0.1:${port}/inside\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;
      await register(open, `127.0.0.1:${port}`);
      expect(connections).toBe(index + 1);
    }
  });
});
