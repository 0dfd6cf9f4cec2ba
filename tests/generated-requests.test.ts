import fc from 'fast-check';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ignoreFailures } from '../server/platform/failure.ts';
import { silentLog } from '../server/platform/log.ts';
import { createRouteTable, type RouteTable } from '../server/platform/http/router.ts';
import { checkReply, generatedRequests, type GeneratedRequest } from './support/generated-requests.ts';
import type { Reply } from './support/http.ts';
import { documentOf, type OpenApi } from './support/openapi.ts';
import { SeenIds, SEEN_ID_PLACEHOLDER } from './support/schema-arbitrary.ts';
import { storeFile } from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser } from './support/users.ts';

// Sends requests that are generated from the OpenAPI document, including hostile ones. The server runs in strict mode,
// so an undeclared response becomes a 500, and no request may cause one.

const REQUEST_COUNT = Number(process.env['PDA_REQUESTS'] ?? 480);
const REQUESTS_PER_ROUND = 40;
const CONCURRENT_REQUESTS = 8;
/** Timeout of the whole run. Failures are not shrunk, so only hanging requests reach it, even on a slow machine. */
const TIMEOUT_MS = 600_000 + REQUEST_COUNT * 20;
/** Minimum number of requests per operation that does not end the session; the other requests are random. */
const MIN_PER_OPERATION = 3;
/**
 * Fraction of the operations that must succeed. Many depend on resources that random requests rarely create. A short
 * run usually reaches 0.35 to 0.4.
 */
const SUCCESS_FRACTION = REQUEST_COUNT < 2000 ? 0.3 : 0.45;

/** Operations that can end the session of the caller, so each request needs a new sign-in. */
const SESSION_ENDING_OPERATIONS =
  /^(?:post \/api\/v2\.6\/owner\/sign-out|delete \/api\/v2\.6\/owner\/sessions|delete \/users\/access_token)/u;
const ENDLESS_PATH = '/api/v2.6/owner/events';

let pda: TestPda;
let document: OpenApi;
let router: RouteTable;
const seenIds = new SeenIds();
const counts = new Map<string, number>();

/** Minimum number of requests of a run that checks the memory growth. */
const MEMORY_CHECK_REQUESTS = 100_000;
/** Permitted memory growth after the first fifth of the requests. */
const MAX_GROWTH_BYTES = 150_000_000;
const PROGRESS_INTERVAL_REQUESTS = 10_000;
const printProgress = (): void =>
  void process.stdout.write(`${responseCount} responses, ${Math.round(process.memoryUsage.rss() / 1e6)} MB\n`);
let responseCount = 0;
let earlyRssBytes: number | undefined;

beforeAll(async () => {
  // Prints the errors behind 500 responses.
  const error = (...line: unknown[]): void => void process.stdout.write(`${inspect(line)}\n`);
  pda = await startTestPda({ log: { ...silentLog(), error } });
  document = await documentOf(pda);
  router = createRouteTable(pda.pda.routes, () => () => undefined);
  // Random requests create neither valid passwords nor signed URLs.
  for (const name of ['bo', 'cleo', 'dora', 'eve']) seenIds.collect(JSON.stringify(await addUser(pda, name)));
  for (let number = 0; number < 20; number += 1)
    seenIds.collect(JSON.stringify(await storeFile(pda, `${number}.txt`, `content ${number}`)));
});
afterAll(() => pda.close());

const requests = (): fc.Arbitrary<GeneratedRequest> =>
  generatedRequests({ document, endlessPath: ENDLESS_PATH }, (operation) =>
    SESSION_ENDING_OPERATIONS.test(operation) ? 1 : 40,
  );

const requestsOfEachOperation = (): fc.Arbitrary<GeneratedRequest[]> =>
  fc.tuple(
    ...Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        if (SESSION_ENDING_OPERATIONS.test(`${method} ${path}`)) return [];
        const paths = { [path]: { [method]: operation } };
        return [generatedRequests({ document: { ...document, paths }, endlessPath: ENDLESS_PATH }, () => 1)];
      }),
    ),
  );

const insertSeenIds = (text: string): string =>
  text.replaceAll(SEEN_ID_PLACEHOLDER, (_, name: string, number: string) => seenIds.at(name, Number(number)));

/**
 * Signs in. Generated requests with wrong passwords exhaust the login throttle, so the clock advances until the
 * throttle admits the sign-in.
 */
const signIn = async (): Promise<string> => {
  for (;;) {
    try {
      return await pda.signIn();
    } catch (error) {
      ignoreFailures('rate_limited')(error);
      pda.clock.advance(3000);
    }
  }
};

const perform = async (request: GeneratedRequest): Promise<Reply> => {
  const { method, call } = request;
  const body = typeof call.body === 'string' ? insertSeenIds(call.body) : call.body;
  const token =
    SESSION_ENDING_OPERATIONS.test(request.template) && call.token === undefined ? { token: await signIn() } : {};
  const path = insertSeenIds(request.path + request.query);
  const reply = await pda.call(method, path, { ...call, ...token, ...(body === undefined ? {} : { body }) });
  checkReply({ document, router }, request, path, reply);
  return reply;
};

const performRound = async (list: readonly GeneratedRequest[]): Promise<void> => {
  const waitingRequests = [...list];
  const work = async (): Promise<void> => {
    for (let request = waitingRequests.shift(); request !== undefined; request = waitingRequests.shift()) {
      const reply = await perform(request);
      seenIds.collect(reply.text);
      responseCount += 1;
      if (responseCount >= REQUEST_COUNT / 5) earlyRssBytes ??= process.memoryUsage.rss();
      if (REQUEST_COUNT >= MEMORY_CHECK_REQUESTS && responseCount % PROGRESS_INTERVAL_REQUESTS === 0) printProgress();
      const key = `${request.template} ${reply.status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work));
  // Some requests sign out everywhere.
  pda.clock.advance(3000);
  if ((await pda.call('GET', '/users/access_token/validate')).status === 401) pda.token = await signIn();
};

describe(`${REQUEST_COUNT} requests generated from the OpenAPI document`, () => {
  it(
    'yield only declared responses and errors, and no 5xx',
    async () => {
      const options = { endOnFailure: true, interruptAfterTimeLimit: TIMEOUT_MS };
      const everyOperation = fc.asyncProperty(requestsOfEachOperation(), performRound);
      await fc.assert(everyOperation, { ...options, numRuns: MIN_PER_OPERATION });
      await fc.assert(
        fc.asyncProperty(
          fc.array(requests(), { minLength: REQUESTS_PER_ROUND, maxLength: REQUESTS_PER_ROUND }),
          performRound,
        ),
        // The rounds with every operation may already have sent `REQUEST_COUNT` requests.
        { ...options, numRuns: Math.max(1, Math.ceil((REQUEST_COUNT - responseCount) / REQUESTS_PER_ROUND)) },
      );
      expect(await pda.pda.verify()).toStrictEqual([]);
      const growthBytes = process.memoryUsage.rss() - (earlyRssBytes ?? 0);
      if (REQUEST_COUNT >= MEMORY_CHECK_REQUESTS) expect(growthBytes).toBeLessThan(MAX_GROWTH_BYTES);
    },
    TIMEOUT_MS,
  );

  it('reach every operation that does not end the session, many of them successfully', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const reachedOperations = new Set([...counts.keys()].map((key) => key.split(' ').slice(0, 2).join(' ')));
    const repeatableOperations = operations.filter((operation) => !SESSION_ENDING_OPERATIONS.test(operation));
    expect(repeatableOperations.filter((operation) => !reachedOperations.has(operation))).toStrictEqual([]);
    const succeededOperations = repeatableOperations.filter((operation) =>
      [...counts.keys()].some((key) => key.startsWith(`${operation} 2`)),
    );
    if (process.env['PDA_REQUESTS'] !== undefined) {
      const lines = [...counts].map(([key, count]) => `${key}: ${count}\n`);
      process.stdout.write(lines.toSorted((a, b) => (a < b ? -1 : 1)).join(''));
    }
    // The other operations need a password, folder, device or key that random requests cannot supply.
    expect(succeededOperations.length).toBeGreaterThan(operations.length * SUCCESS_FRACTION);
  });
});
