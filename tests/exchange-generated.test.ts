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
import { createPgliteFolder } from '../server/platform/postgres/database.test-support.ts';
import { newOffer } from '../server/exchange/offers/offers.test-support.ts';
import { createRouteTable, type RouteTable } from '../server/platform/http/router.ts';
import { anApplication } from './support/applications.ts';
import { checkReply, generatedRequests, type GeneratedRequest } from './support/generated-requests.ts';
import { documentOf, type OpenApi } from './support/openapi.ts';
import { SeenIds, SEEN_ID_PLACEHOLDER } from './support/schema-arbitrary.ts';

// Sends requests to the exchange that are generated from its OpenAPI document, including hostile ones. The server runs
// in strict mode, so an undeclared response becomes a 500, and no request may cause one.

const REQUEST_COUNT = Number(process.env['EXCHANGE_REQUESTS'] ?? 280);
const EXTRA_ROUNDS_MAX = 60;
const REQUESTS_PER_ROUND = 40;
const CONCURRENT_REQUESTS = 8;
/** Timeout of the whole run. Failures are not shrunk, so only hanging requests reach it, even on a slow machine. */
const TIMEOUT_MS = 600_000 + REQUEST_COUNT * 30;

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
  // The database is in a folder, because an in-memory database deadlocks when requests wait for each other.
  folder = await createPgliteFolder();
  exchange = await startTestExchange({ database: folder });
  document = await documentOf(exchange, '/api/openapi.json');
  router = createRouteTable(exchange.exchange.routes, () => () => undefined);
  admin = await exchange.createAccount(['administrator'], 'root');
  pdas = [await exchange.insertRegisteredPda()];
  fakePda = await exchange.startFakePda();
  seenIds.collect(JSON.stringify(await exchange.createAccount(['dataPlug'], 'plugger')));
  seenIds.collect(JSON.stringify(await exchange.createAccount(['developer', 'marketPlace'])));
});
afterAll(async () => {
  await exchange.close();
  rmSync(folder, { recursive: true });
});

/** These routes invalidate the caller's token, so each request uses a new caller. */
const LEAVE_OPERATION = 'delete /api/pdas/self';
const SIGN_OUT_OPERATION = 'delete /api/users/access_token';
const isForPdas = (template: string): boolean =>
  document.paths[template.split(' ')[1] ?? '']?.[template.split(' ')[0] ?? '']?.description?.includes('PDAs, with') ===
  true;

const tokenFor = async ({ template, call }: GeneratedRequest): Promise<string | null> => {
  if (call.token === null) return null;
  if (template === LEAVE_OPERATION) return (await exchange.insertRegisteredPda()).token();
  if (template === SIGN_OUT_OPERATION) return (await exchange.createAccount(['developer'])).token;
  if (isForPdas(template)) return pdas[counts.size % pdas.length]?.token() ?? null;
  return admin.token;
};

const insertSeenIds = (text: string): string =>
  text.replaceAll(SEEN_ID_PLACEHOLDER, (_, name: string, number: string) => seenIds.at(name, Number(number)));

/** Ids that requests share, so that they find the Offers and applications of earlier requests. */
const OFFERS = ['steps', 'sleep', 'food', 'mood'];
const APPLICATIONS = ['notes', 'walks', 'plug1'];
const LINK = 'https://example.com/x';
const HASH = `$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$${'a'.repeat(43)}`;

/**
 * Valid bodies, in which at most one member is replaced by a generated one. Fully generated bodies are mostly refused
 * early.
 */
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

/** Returns an id for a path: a name that other requests also use, or an id from a response; undefined if none fits. */
const chooseId = (path: string): string | undefined => {
  if (path.includes('/offer')) return OFFERS[requestIndex % OFFERS.length];
  if (/\/v2\/applications|update-application/u.test(path)) return APPLICATIONS[requestIndex % APPLICATIONS.length];
  if (path.includes('/dataplugs'))
    return path.includes('{') ? seenIds.at('plugId', requestIndex) : `plug${requestIndex % 7}`;
  if (path.includes('/pdas/{')) return seenIds.at('pdaId', requestIndex);
  return path.includes('/accounts/{') ? seenIds.at('userId', requestIndex) : undefined;
};
/** Directs every second request at existing resources, with a body that is valid except for at most one member. */
const makePlausible = (request: GeneratedRequest): GeneratedRequest => {
  requestIndex += 1;
  const { template, path, call } = request;
  if (requestIndex % 2 === 0 || path.includes('%') || path.includes('..')) return request;
  const [method = '', pathTemplate = ''] = template.split(' ');
  const id = chooseId(pathTemplate);
  const namedPath = id === undefined ? path : pathTemplate.replace('{id}', id);
  if (template === 'put /api/v2/offer/{id}' && requestIndex % 4 === 1) {
    const { body: _, ...callWithoutBody } = call;
    return { ...request, path: namedPath, query: '?status=approved', call: callWithoutBody };
  }
  if (pathTemplate.endsWith('/registerClaim')) {
    return { ...request, path: namedPath, query: `?pda=${pdas[requestIndex % pdas.length]?.address ?? ''}` };
  }
  const validBody = VALID_BODIES[`${method} ${pathTemplate}`]?.(id ?? 'notes', exchange.clock.now());
  if (validBody === undefined || typeof call.body !== 'string') return { ...request, path: namedPath };
  const members = Object.entries(objectOf(call.body) ?? {});
  const member = members[requestIndex % Math.max(1, members.length)];
  const mixedBody =
    requestIndex % 3 === 0 || member === undefined ? validBody : { ...validBody, [member[0]]: member[1] };
  return { ...request, path: namedPath, call: { ...call, body: JSON.stringify(mixedBody) } };
};

const perform = async (generated: GeneratedRequest): Promise<void> => {
  const request = makePlausible(generated);
  const { method, call, template } = request;
  const body = typeof call.body === 'string' ? insertSeenIds(call.body) : call.body;
  const path = insertSeenIds(request.path + request.query);
  const token = await tokenFor(request);
  const reply = await exchange.call(method, path, { ...call, token, ...(body === undefined ? {} : { body }) });
  checkReply({ document, router }, request, path, reply);
  seenIds.collect(reply.text.replaceAll('"uuid"', '"plugId"'));
  const key = `${template} ${reply.status}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

const performRound = async (list: readonly GeneratedRequest[]): Promise<void> => {
  const waitingRequests = [...list];
  const work = async (): Promise<void> => {
    for (let request = waitingRequests.shift(); request !== undefined; request = waitingRequests.shift())
      await perform(request);
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
  exchange.clock.advance(30_000);
  // The requests may change the administrator's password.
  if ((await exchange.call('GET', '/api/accounts/self', { token: admin.token })).status === 401) {
    await exchange.exchange.accounts.resetPassword('root', PASSWORD, 'test');
    const client = { address: '192.0.2.1', host: exchange.host, local: false };
    admin = { ...admin, ...(await exchange.exchange.accounts.signIn('root', PASSWORD, client)) };
  }
  // The requests may remove PDAs.
  pdas = [await exchange.insertRegisteredPda(), await exchange.insertRegisteredPda()];
};

const listOperations = (): string[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
const listOperationsWithStatus = (status: string): string[] =>
  listOperations().filter((operation) => [...counts.keys()].some((key) => key.startsWith(`${operation} ${status}`)));
const countRequiredSuccesses = (): number => listOperations().length * 0.7;

describe(`${REQUEST_COUNT} requests generated from the OpenAPI document of the exchange`, () => {
  it(
    'yield only declared responses and errors, and no 5xx',
    async () => {
      const rareOperations = new Set([LEAVE_OPERATION, SIGN_OUT_OPERATION]);
      const requests = generatedRequests({ document }, (operation) => (rareOperations.has(operation) ? 2 : 40));
      const rounds = fc.asyncProperty(
        fc.array(requests, { minLength: REQUESTS_PER_ROUND, maxLength: REQUESTS_PER_ROUND }),
        performRound,
      );
      const options = { endOnFailure: true, interruptAfterTimeLimit: TIMEOUT_MS };
      await fc.assert(rounds, { ...options, numRuns: Math.ceil(REQUEST_COUNT / REQUESTS_PER_ROUND) });
      // Many requests need resources that earlier requests created. If these were created late, further rounds follow.
      for (
        let round = 0;
        round < EXTRA_ROUNDS_MAX && listOperationsWithStatus('2').length <= countRequiredSuccesses();
        round += 1
      )
        await fc.assert(rounds, { ...options, numRuns: 1 });
    },
    TIMEOUT_MS,
  );

  it('reach every operation that does not invalidate the token, many of them successfully', () => {
    expect(
      listOperations().filter(
        (operation) =>
          !listOperationsWithStatus('').includes(operation) &&
          operation !== SIGN_OUT_OPERATION &&
          operation !== LEAVE_OPERATION,
      ),
    ).toStrictEqual([]);
    if (process.env['EXCHANGE_REQUESTS'] !== undefined) {
      const lines = [...counts].map(([key, count]) => `${key}: ${count}\n`);
      process.stdout.write(lines.toSorted((line, other) => (line < other ? -1 : 1)).join(''));
    }
    expect(listOperationsWithStatus('2').length).toBeGreaterThan(countRequiredSuccesses());
  });
});
