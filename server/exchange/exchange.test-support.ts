import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { callsTo, serve, type Call, type Reply } from '../../tests/support/http.ts';
import { sharedKey, type TestKey } from '../../tests/support/keys.ts';
import { createTestClock, type TestClock } from '../../tests/support/test-pda.ts';
import { silentLog, type Log } from '../platform/log.ts';
import { signPdaToken } from '../platform/pda-proof.ts';
import { uuidV7 } from '../platform/postgres/uuid-v7.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';

/** How tests start an exchange, with accounts and with stand-ins for PDAs. */

export const PASSWORD = 'correct horse battery staple';

type Role = 'developer' | 'dataPlug' | 'marketPlace' | 'management' | 'administrator';
export type TestAccount = { userId: string; name: string; token: string };

export type TestExchange = {
  readonly exchange: Exchange;
  readonly clock: TestClock;
  readonly port: number;
  readonly url: string;
  /** host[:port] under which it is called. */
  readonly host: string;
  /** Without a token unless the call has one. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** A new account with these roles, signed in. */
  account(roles: readonly Role[], name?: string): Promise<TestAccount>;
  /** A registered PDA of which nothing answers: it was put into the database. */
  knownPda(address?: string): Promise<KnownPda>;
  /** A PDA that answers, at an address of its own; not registered yet. */
  standIn(options?: { name?: string; key?: TestKey }): Promise<StandInPda>;
  close(): Promise<void>;
};

export type KnownPda = {
  pdaId: string;
  address: string;
  publicKey: string;
  /** A token for calls of this PDA to the exchange. */
  token(accessScope?: string): Promise<string>;
};

export type StandInPda = {
  address: string;
  url: string;
  /** Can be changed: it is what the PDA shows and signs with from then on. */
  key: TestKey;
  /** Sent along with a proof, when the key was changed. */
  previous: TestKey | undefined;
  /** The host of the exchange that its owner chose. */
  exchange: string;
  /** Every call that it got: `POST /api/v2.6/exchange/claims` with its body and token. */
  calls: { method: string; path: string; token: string | undefined; json: unknown }[];
  /** Set to answer a call otherwise; true when it did. */
  answer: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  register(): Promise<Reply>;
  token(accessScope?: string): Promise<string>;
  close(): Promise<void>;
};

export const startTestExchange = async (options: {
  /** Of `fresh()`, or ':memory:'. */
  database: string;
  clock?: TestClock;
  log?: Log;
  publicUrls?: readonly string[];
  network?: NonNullable<ExchangeOptions['network']>;
  pages?: string;
  proxies?: number;
  fewestPdas?: number;
  compactEveryMs?: number;
}): Promise<TestExchange> => {
  const clock = options.clock ?? createTestClock();
  const exchange = await createExchange({
    log: silentLog(),
    strict: true,
    ...options,
    clock,
    network: { allowLoopback: true, ...options.network },
  });
  const { port, url } = await exchange.listen(0);
  const host = `127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const far: { close(): Promise<void> }[] = [];
  let count = 0;

  const call = callsTo(port, agent, (token) => ({ 'x-auth-token': token }));

  return {
    exchange,
    clock,
    port,
    url,
    host,
    call,

    async account(roles, name) {
      const called = name ?? `account${(count += 1)}`;
      const { userId } = await exchange.accounts.create({ name: called, password: PASSWORD, roles }, 'test');
      // Each from an address of its own: tries are limited, and the clock stands still.
      const from = { address: `198.51.100.${(count += 1)}`, host, local: false };
      const { token } = await exchange.accounts.signIn(called, PASSWORD, from);
      return { userId, name: called, token };
    },

    async knownPda(address = `pda${(count += 1)}.example.org`) {
      const key = sharedKey();
      const pdaId = uuidV7(clock.now());
      const now = clock.now();
      await exchange.database.read((db) =>
        db
          .insertInto('pdas')
          .values({
            id: pdaId,
            address,
            public_key: key.publicPem,
            waiting_key: null,
            registered: now,
            refreshed: now,
            last_seen: null,
          })
          .execute(),
      );
      return {
        pdaId,
        address,
        publicKey: key.publicPem,
        token: (accessScope = 'validate') => signPdaToken(key, { iss: address, resource: host, accessScope }, clock),
      };
    },

    async standIn({ name, key = sharedKey() } = {}) {
      const served = await serve((request, response) => {
        void answerAsPda(pda, clock, request, response);
      });
      const { port: farPort } = new URL(served.url);
      far.push(served);
      const address = name === undefined ? `127.0.0.1:${farPort}` : `${name}.localhost:${farPort}`;
      const pda: StandInPda = {
        address,
        url: `http://${address}`,
        key,
        previous: undefined,
        exchange: host,
        calls: [],
        answer: undefined,
        register: () => call('POST', '/api/users/registerPda', { json: { pdaAddress: address } }),
        token: (accessScope = 'validate') =>
          signPdaToken(pda.key, { iss: address, resource: host, accessScope }, clock),
        close: served.close,
      };
      return pda;
    },

    async close() {
      await exchange.close();
      agent.destroy();
      await Promise.all(far.map((server) => server.close()));
    },
  };
};

const answerAsPda = async (
  pda: StandInPda,
  clock: TestClock,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const text = (await buffer(request)).toString();
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  const token = request.headers['x-auth-token'];
  const path = request.url ?? '';
  pda.calls.push({ method: request.method ?? '', path, token: typeof token === 'string' ? token : undefined, json });
  if (pda.answer?.(request, response) === true) return;
  if (path === '/publickey') {
    response.end(pda.key.publicPem);
    return;
  }
  const answer = (value: unknown): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  };
  if (path !== '/api/v2.6/exchange/proof') {
    answer({ message: 'ok' });
    return;
  }
  const challenge =
    typeof json === 'object' && json !== null && 'challenge' in json && typeof json.challenge === 'string'
      ? json.challenge
      : '';
  const claims = { iss: pda.address, resource: pda.exchange, accessScope: 'proof', challenge };
  const proof = await signPdaToken(pda.key, claims, clock);
  const previous = pda.previous === undefined ? undefined : await signPdaToken(pda.previous, claims, clock);
  answer(previous === undefined ? { token: proof } : { token: proof, previous });
};
