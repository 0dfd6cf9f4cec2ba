import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  PASSWORD,
  startTestExchange,
  type RegisteredTestPda,
  type FakePda,
  type TestAccount,
  type TestExchange,
} from '../server/exchange/exchange.test-support.ts';
import { freshFolder } from '../server/platform/postgres/database.test-support.ts';
import { newOffer } from '../server/exchange/offers/offers.test-support.ts';
import { createRouteTable, type RouteTable } from '../server/platform/http/router.ts';
import { anApplication } from './support/applications.ts';
import { checkReply, generatedRequests, type GeneratedRequest } from './support/generated.ts';
import { documentOf, type OpenApi } from './support/openapi.ts';
import { SeenIds, SEEN_ID_PLACEHOLDER } from './support/schema-arbitrary.ts';

/**
 * Requests to the exchange generated from its OpenAPI document, including hostile ones. The server runs in strict
 * mode, so an undeclared response becomes a 500, and no request may cause one.
 */

const REQUESTS = Number(process.env['EXCHANGE_REQUESTS'] ?? 560);
/** Maximum number of additional rounds. */
const MORE_ROUNDS = 10;
/** Number of requests per round, and how many of them run at the same time. */
const ROUND = 40;
const AT_ONCE = 8;

let exchange: TestExchange;
let folder: string;
let document: OpenApi;
let router: RouteTable;
let admin: TestAccount;
let pdas: RegisteredTestPda[];
let fakePda: FakePda;
const seenIds = new SeenIds();
const counts = new Map<string, number>();

beforeAll(async () => {
  // In a folder, because an in-memory database deadlocks when requests wait for each other.
  folder = await freshFolder();
  exchange = await startTestExchange({ database: folder });
  document = await documentOf(exchange, '/api/openapi.json');
  router = createRouteTable(exchange.exchange.routes, () => () => undefined);
  admin = await exchange.account(['administrator'], 'root');
  pdas = [await exchange.registeredPda()];
  fakePda = await exchange.fakePda();
  seenIds.collect(JSON.stringify(await exchange.account(['dataPlug'], 'plugger')));
  seenIds.collect(JSON.stringify(await exchange.account(['developer', 'marketPlace'])));
});
afterAll(async () => {
  await exchange.close();
  rmSync(folder, { recursive: true });
});

/** These routes end the caller's token, so each uses a new caller. */
const LEAVES = 'delete /api/pdas/self';
const SIGNS_OUT = 'delete /api/users/access_token';
const forPdas = (template: string): boolean =>
  document.paths[template.split(' ')[1] ?? '']?.[template.split(' ')[0] ?? '']?.description?.includes('PDAs, with') ===
  true;

const tokenFor = async ({ template, call }: GeneratedRequest): Promise<string | null> => {
  if (call.token === null) return null;
  if (template === LEAVES) return (await exchange.registeredPda()).token();
  if (template === SIGNS_OUT) return (await exchange.account(['developer'])).token;
  if (forPdas(template)) return pdas[counts.size % pdas.length]?.token() ?? null;
  return admin.token;
};

const withIds = (text: string): string =>
  text.replaceAll(SEEN_ID_PLACEHOLDER, (_, name: string, number: string) => seenIds.at(name, Number(number)));

/** Names shared by requests, so that they find what others stored. */
const OFFERS = ['steps', 'sleep', 'food', 'mood'];
const APPLICATIONS = ['notes', 'walks', 'plug1'];
const LINK = 'https://example.com/x';
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'a'.repeat(43)}`;

/** Valid bodies. One generated member is put into them, because fully generated bodies are mostly refused early. */
const VALID_BODIES: Record<string, (id: string, now: number) => object> = {
  'post /api/v2/offer': (id, now) => newOffer(id, { starts: now - 1000, expires: now + 10_000_000 }),
  'put /api/v2/offer/{id}': (id, now) => newOffer(id, { starts: now - 1000, expires: now + 10_000_000 }),
  'post /api/v2/applications': (id) => anApplication({ id }),
  'put /api/v2/applications/{id}': (id) => anApplication({ id, version: `1.${Math.floor(Math.random() * 9)}.0` }),
  'post /api/dataplugs': (id) => ({
    name: id,
    description: 'A plug',
    url: LINK,
    illustrationUrl: LINK,
    passwordHash: HASH,
    approved: true,
    owner: 'plugger',
  }),
  'put /api/dataplugs/{id}': () => ({ description: 'Another' }),
  'post /api/users/registerPda': () => ({ pdaAddress: fakePda.address }),
  'post /api/users/update-application': (id) => ({
    title: id,
    namespace: 'x',
    description: 'd',
    logoUrl: '',
    url: LINK,
    authUrl: '',
    browser: false,
    category: 'app',
    setup: false,
    loginAvailable: true,
  }),
};

const objectOf = (text: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
};

let requestIndex = 0;

/** Returns a name for a path: one that other requests use, or an id from an earlier response. */
const nameFor = (path: string): string | undefined => {
  if (path.includes('/offer')) return OFFERS[requestIndex % OFFERS.length];
  if (/\/v2\/applications|update-application/u.test(path)) return APPLICATIONS[requestIndex % APPLICATIONS.length];
  if (path.includes('/dataplugs'))
    return path.includes('{') ? seenIds.at('plugId', requestIndex) : `plug${requestIndex % 7}`;
  if (path.includes('/pdas/{')) return seenIds.at('pdaId', requestIndex);
  return path.includes('/accounts/{') ? seenIds.at('userId', requestIndex) : undefined;
};
/** Makes every second request concern existing resources, with a body that is valid except for one member. */
const makePlausible = (request: GeneratedRequest): GeneratedRequest => {
  requestIndex += 1;
  const { template, path, call } = request;
  if (requestIndex % 2 === 0 || path.includes('%') || path.includes('..')) return request;
  const [method = '', where = ''] = template.split(' ');
  const id = nameFor(where);
  const named = id === undefined ? path : where.replace('{id}', id);
  if (template === 'put /api/v2/offer/{id}' && requestIndex % 4 === 1) {
    const { body: _, ...rest } = call;
    return { ...request, path: named, query: '?status=approved', call: rest };
  }
  if (where.endsWith('/registerClaim')) {
    return { ...request, path: named, query: `?pda=${pdas[requestIndex % pdas.length]?.address ?? ''}` };
  }
  const sensible = VALID_BODIES[`${method} ${where}`]?.(id ?? 'notes', exchange.clock.now());
  if (sensible === undefined || typeof call.body !== 'string') return { ...request, path: named };
  const members = Object.entries(objectOf(call.body) ?? {});
  const member = members[requestIndex % Math.max(1, members.length)];
  const mixed = requestIndex % 3 === 0 || member === undefined ? sensible : { ...sensible, [member[0]]: member[1] };
  return { ...request, path: named, call: { ...call, body: JSON.stringify(mixed) } };
};

const perform = async (generated: GeneratedRequest): Promise<void> => {
  const request = makePlausible(generated);
  const { method, call, template } = request;
  const body = typeof call.body === 'string' ? withIds(call.body) : call.body;
  const path = withIds(request.path + request.query);
  const token = await tokenFor(request);
  const reply = await exchange.call(method, path, { ...call, token, ...(body === undefined ? {} : { body }) });
  checkReply({ document, router }, request, path, reply);
  seenIds.collect(reply.text.replaceAll('"uuid"', '"plugId"'));
  const key = `${template} ${reply.status}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const inTurns = async (list: readonly GeneratedRequest[]): Promise<void> => {
  const waiting = [...list];
  const work = async (): Promise<void> => {
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) await perform(request);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  exchange.clock.advance(30_000);
  // The requests may change the administrator's password.
  if ((await exchange.call('GET', '/api/accounts/self', { token: admin.token })).status === 401) {
    await exchange.exchange.accounts.resetPassword('root', PASSWORD, 'test');
    const from = { address: '192.0.2.1', host: exchange.host, local: false };
    admin = { ...admin, ...(await exchange.exchange.accounts.signIn('root', PASSWORD, from)) };
  }
  // The requests remove PDAs.
  pdas = [await exchange.registeredPda(), await exchange.registeredPda()];
};

const operations = (): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
/** Returns the operations that responded with a status of this class. */
const reached = (status: string): string[] =>
  operations().filter((operation) => [...counts.keys()].some((key) => key.startsWith(`${operation} ${status}`)));
const wantedSuccesses = (): number => operations().length * 0.7;

describe(`${REQUESTS} requests generated from the OpenAPI document of the exchange`, () => {
  it(
    'yield only declared responses and errors, and no 5xx',
    async () => {
      const rare = new Set([LEAVES, SIGNS_OUT]);
      const requests = generatedRequests({ document }, (operation) => (rare.has(operation) ? 2 : 40));
      const rounds = fc.asyncProperty(fc.array(requests, { minLength: ROUND, maxLength: ROUND }), inTurns);
      await fc.assert(rounds, { numRuns: Math.ceil(REQUESTS / ROUND), endOnFailure: true });
      // Random requests sometimes need more rounds to create what others depend on.
      for (let round = 0; round < MORE_ROUNDS && reached('2').length <= wantedSuccesses(); round += 1)
        await fc.assert(rounds, { numRuns: 1, endOnFailure: true });
    },
    30_000 + REQUESTS * 30,
  );

  it('reach every operation, many of them successfully', () => {
    expect(
      operations().filter(
        (operation) => !reached('').includes(operation) && operation !== SIGNS_OUT && operation !== LEAVES,
      ),
    ).toStrictEqual([]);
    if (process.env['EXCHANGE_REQUESTS'] !== undefined) {
      const lines = [...counts].map(([key, count]) => `${key}: ${count}\n`);
      process.stdout.write(lines.toSorted((line, other) => (line < other ? -1 : 1)).join(''));
    }
    expect(reached('2').length).toBeGreaterThan(wantedSuccesses());
  });
});
