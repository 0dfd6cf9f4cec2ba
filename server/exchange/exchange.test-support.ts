import { Agent, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { send, serve, type Call, type Reply } from '../../tests/support/http.ts';
import { PATIENT_DATABASE_LIMITS } from '../platform/postgres/server-client.test-support.ts';
import { sharedKey, type TestKey } from '../../tests/support/keys.ts';
import { createTestClock, type TestClock } from '../../tests/support/test-pda.ts';
import { silentLog, type Log } from '../platform/log.ts';
import { signPdaToken } from '../platform/auth/pda-token.ts';
import { uuidV7 } from '../platform/postgres/uuid-v7.ts';
import type { AccountRole } from '../wire/exchange.ts';
import { createExchange, type Exchange, type ExchangeOptions } from './exchange.ts';

export const PASSWORD = 'correct horse battery staple';

export type TestAccount = { userId: string; name: string; token: string };

export type TestExchange = {
  readonly exchange: Exchange;
  readonly clock: TestClock;
  readonly port: number;
  readonly url: string;
  /** host[:port]. */
  readonly host: string;
  /** Sends a request, without a token unless `call` has one. */
  call(method: string, path: string, call?: Call): Promise<Reply>;
  /** Creates an account and signs in. */
  createAccount(roles: readonly AccountRole[], name?: string): Promise<TestAccount>;
  /** Inserts a registered PDA into the database. No server listens at its address. */
  insertRegisteredPda(address?: string): Promise<RegisteredTestPda>;
  /** Starts a server that acts as an unregistered PDA. */
  startFakePda(options?: { name?: string; key?: TestKey }): Promise<FakePda>;
  close(): Promise<void>;
};

export type RegisteredTestPda = {
  pdaId: string;
  address: string;
  publicKey: string;
  token(accessScope?: string): Promise<string>;
};

export type FakePda = {
  address: string;
  url: string;
  /** Key that the PDA serves and signs with. Tests can replace it. */
  key: TestKey;
  /** If set, this key also signs the proof, as after a key change. */
  previousKey: TestKey | undefined;
  /** Host of the exchange that the PDA's owner chose. */
  exchangeHost: string;
  calls: { method: string; path: string; token: string | undefined; json: unknown }[];
  /** Overrides the response. Returns true if it responded. */
  respond: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  register(): Promise<Reply>;
  token(accessScope?: string): Promise<string>;
  close(): Promise<void>;
};

export const startTestExchange = async (options: {
  /** The result of `createDatabase()`, or ':memory:'. */
  database: string;
  clock?: TestClock;
  log?: Log;
  publicUrls?: readonly string[];
  network?: NonNullable<ExchangeOptions['network']>;
  pages?: string;
  proxies?: number;
  minReportingPdas?: number;
  compactionIntervalMs?: number;
}): Promise<TestExchange> => {
  const clock = options.clock ?? createTestClock();
  const exchange = await createExchange({
    log: silentLog(),
    strict: true,
    databaseLimits: PATIENT_DATABASE_LIMITS,
    ...options,
    clock,
    network: { allowLoopback: true, ...options.network },
  });
  const { port, url } = await exchange.listen(0);
  const host = `127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 100 });
  const pdaServers: { close(): Promise<void> }[] = [];
  let count = 0;

  const call: TestExchange['call'] = (method, path, options = {}) => send(port, agent, method, path, options);

  return {
    exchange,
    clock,
    port,
    url,
    host,
    call,

    async createAccount(roles, name = `account${(count += 1)}`) {
      const { userId } = await exchange.accounts.create({ name, password: PASSWORD, roles }, 'test');
      // A new address per sign-in: the login throttle counts per network, and the test clock stands still.
      const origin = { address: `198.51.100.${(count += 1)}`, host, local: false };
      const { token } = await exchange.accounts.signIn(name, PASSWORD, origin);
      return { userId, name, token };
    },

    async insertRegisteredPda(address = `pda${(count += 1)}.example.org`) {
      const key = sharedKey();
      const pdaId = uuidV7(clock.now());
      const now = clock.now();
      await exchange.database.run((db) =>
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

    async startFakePda({ name, key = sharedKey() } = {}) {
      const server = await serve((request, response) => {
        void respondAsPda(pda, clock, request, response);
      });
      const { port: pdaPort } = new URL(server.url);
      pdaServers.push(server);
      const address = name === undefined ? `127.0.0.1:${pdaPort}` : `${name}.localhost:${pdaPort}`;
      const pda: FakePda = {
        address,
        url: `http://${address}`,
        key,
        previousKey: undefined,
        exchangeHost: host,
        calls: [],
        respond: undefined,
        register: () => call('POST', '/api/users/registerPda', { json: { pdaAddress: address } }),
        token: (accessScope = 'validate') =>
          signPdaToken(pda.key, { iss: address, resource: host, accessScope }, clock),
        close: server.close,
      };
      return pda;
    },

    async close() {
      await exchange.close();
      agent.destroy();
      await Promise.all(pdaServers.map((server) => server.close()));
    },
  };
};

const respondAsPda = async (
  pda: FakePda,
  clock: TestClock,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const text = (await buffer(request)).toString();
  const json: unknown = text === '' ? undefined : JSON.parse(text);
  const token = request.headers['x-auth-token'];
  const path = request.url ?? '';
  pda.calls.push({ method: request.method ?? '', path, token: typeof token === 'string' ? token : undefined, json });
  if (pda.respond?.(request, response) === true) return;
  if (path === '/publickey') {
    response.end(pda.key.publicPem);
    return;
  }
  const sendJson = (value: unknown): void => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  };
  if (path !== '/api/v2.6/exchange/proof') {
    sendJson({ message: 'ok' });
    return;
  }
  const challenge =
    typeof json === 'object' && json !== null && 'challenge' in json && typeof json.challenge === 'string'
      ? json.challenge
      : '';
  const claims = { iss: pda.address, resource: pda.exchangeHost, accessScope: 'proof', challenge };
  const proof = await signPdaToken(pda.key, claims, clock);
  const previousProof = pda.previousKey === undefined ? undefined : await signPdaToken(pda.previousKey, claims, clock);
  sendJson(previousProof === undefined ? { token: proof } : { token: proof, previous: previousProof });
};
