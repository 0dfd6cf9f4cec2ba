import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ALLOCATOR_SETTINGS } from '../main/server/launch.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { tokenResponseSchema } from '../server/wire/owner.ts';
import { sharedViewSchema } from '../server/wire/shared-views.ts';
import { userSchema } from '../server/wire/users.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { aContract } from './support/contracts.ts';
import { startContractsService, type ContractsStandIn } from './support/contracts-service.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { HOSTILE_COMBINATORS, entriesOf } from './support/hostile-combinators.ts';
import {
  HOSTILE_RECORDS,
  HOSTILE_REQUEST_COUNTS,
  HOSTILE_RECORD_NAMES,
  storeAgain,
  tableQueries,
} from './support/hostile-records.ts';
import { openRequest } from './support/http.ts';
import { killProcesses, newHome, removeFolders, startServer, type ServerProcess } from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';
import { USER_PASSWORD } from './support/users.ts';
import {
  HAS_PROC,
  HEALTH_RESPONSE_MAX_MS,
  RESIDENT_BYTES_MAX,
  watchHealth,
  type HealthWatch,
} from './support/watch-health.ts';
import { UNTESTED_READ_ROUTES } from './support/hostile-read-routes.ts';

// Stores the most expensive records that the limits allow, stores equal ones with `skipErrors`, which the PDA compares
// with the existing records, and calls every read route except those in UNTESTED_READ_ROUTES: as an application with
// all rights, as one with a single namespace, as a contract, as a user or as the owner. Meanwhile another process polls
// `/healthz`, which must stay fast.

/** Query parameters for the whole world as an area. */
const WORLD = 'west=-180&south=-90&east=180&north=90';

/** Returns map queries for the whole world on fields with expensive values. */
const mapQueries = (endpoint: string): string[] => {
  const position = `${endpoint}&latitude=a&longitude=s`;
  return [
    `maps/extent?${position}`,
    `maps/clusters?${position}&title=s&zoom=3&${WORLD}`,
    `maps/lines?${endpoint}&geometry=a&zoom=3&${WORLD}`,
    `maps/records?${position}&title=s&${WORLD}`,
  ];
};

const READ_ONLY_POST_ROUTES = new Set([
  'POST /api/v2.6/contract-data/read/{namespace}/{endpoint}',
  'POST /api/v2.6/files/search',
  'POST /api/v2.6/owner/files/tag-counts',
  'POST /api/v2.6/owner/files/place-counts',
  'POST /api/v2.6/owner/debits/{key}/preview',
]);

let server: ServerProcess;
let contracts: ContractsStandIn;
let token: string;
let ownerToken: string;
/** Token of an application that may read one namespace. */
let readerToken: string;
/** Token of a user with whom one file is shared, and the id of the user. */
let userToken: string;
let userId: string;
let fileId: string;
const fileIds: string[] = [];
let health: HealthWatch;
/** Slowest response of `/healthz` in milliseconds while the records were stored, by record name. */
const slowestHealthMs: Record<string, number> = {};

/** Read routes of the OpenAPI document; those with the most fixed segments come first. */
const readRoutes: { route: string; pattern: RegExp }[] = [];
const testedRoutes = new Set<string>();

const markTested = (method: string, address: string): void => {
  const call = `${method} ${address.split('?', 1)[0] ?? ''}`;
  const readRoute = readRoutes.find(({ pattern }) => pattern.test(call));
  if (readRoute !== undefined) testedRoutes.add(readRoute.route);
};

const documentSchema = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });
const findReadRoutes = async (): Promise<void> => {
  const { paths } = documentSchema.parse((await server.call('GET', '/api/v2.6/openapi.json')).json);
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const countFixedSegments = (route: string): number =>
    route.split('/').filter((segment) => !segment.startsWith('{')).length;
  for (const route of routes.toSorted((a, b) => countFixedSegments(b) - countFixedSegments(a) || b.length - a.length)) {
    if (!route.startsWith('GET ') && !READ_ONLY_POST_ROUTES.has(route)) continue;
    const source = route.replaceAll(/[.]/gu, '\\.').replaceAll(/\{[^}]+\}/gu, '.+');
    readRoutes.push({ route, pattern: new RegExp(`^${source}$`, 'u') });
  }
};

/** Reads a response to its end without storing it. Returns the status. */
const drain = async (path: string, callerToken?: string, method = 'GET', body?: unknown): Promise<number> => {
  markTested(method, path);
  // Guest pages authenticate with a cookie.
  const credentials = path.startsWith('/guest')
    ? { accept: 'text/html', cookie: `pda-guest=${callerToken ?? ''}` }
    : { 'x-auth-token': callerToken ?? token };
  const headers = { ...credentials, 'content-type': 'application/json' };
  const response = await openRequest(
    `http://127.0.0.1:${server.port}${path}`,
    { method, headers },
    body === undefined ? undefined : JSON.stringify(body),
  );
  response.resume();
  await new Promise<void>((resolve) => response.once('close', resolve));
  return response.statusCode ?? 0;
};

/** Creates files that are expensive to search, and a user with whom one of them is shared. */
const addFiles = async (): Promise<void> => {
  const tags = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(150, 'x'));
  for (let index = 0; index < 300; index += 1) {
    const json = {
      name: `${index}.txt`,
      source: 'worst',
      tags,
      title: 'e\u0301'.repeat(400),
      description: 'y'.repeat(900),
    };
    const reply = await server.call('POST', '/api/v2.6/files/upload', { json });
    if (reply.status !== 200) throw new Error(`creating a file: ${reply.status} ${reply.text}`);
    ({ fileId } = z.object({ fileId: z.string() }).parse(reply.json));
    fileIds.push(fileId);
  }
  const userReply = await server.call('POST', '/users/user', { json: { name: 'guest', password: USER_PASSWORD } });
  ({ userId } = userSchema.parse(userReply.json));
  const shareReply = await server.call('GET', `/api/v2.6/files/allowAccess/${fileId}/${userId}?content=true`);
  if (shareReply.status !== 200) throw new Error(`sharing: ${shareReply.status} ${shareReply.text}`);
  const headers = { 'x-auth-token': '', username: 'guest', password: encodeURIComponent(USER_PASSWORD) };
  userToken = tokenResponseSchema.parse(
    (await server.call('GET', '/users/access_token', { headers })).json,
  ).accessToken;
};

beforeAll(async () => {
  if (!IS_THOROUGH_RUN) return;
  const home = await newHome();
  contracts = await startContractsService({ now: () => Date.now() });
  const applications = [
    anApplication({ id: 'notes', roles: [{ role: 'owner' }] }),
    anApplication({ id: 'reader', roles: [{ role: 'namespaceread', detail: 'worst' }], data: ['worst/one-string'] }),
    aContract('worst-study', [['namespaceread', 'worst']]),
  ];
  const config = { applications, contracts: { url: contracts.url }, development: { allowLoopback: true } };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  server = await startServer(home, { env: { ...process.env, ...ALLOCATOR_SETTINGS } });
  const credentials = { 'x-auth-token': '', username: OWNER.name, password: encodeURIComponent(OWNER.password) };
  const signInReply = await server.call('GET', '/users/access_token', { headers: credentials });
  ownerToken = tokenResponseSchema.parse(signInReply.json).accessToken;
  token = await setUpApplication(server, 'notes');
  readerToken = await setUpApplication(server, 'reader');
  const joinReply = await server.call('GET', '/api/v2.6/applications/worst-study/setup');
  if (joinReply.status !== 200) throw new Error(`joining: ${joinReply.status} ${joinReply.text}`);
  await findReadRoutes();
  await addFiles();
  if (HAS_PROC) health = await watchHealth(server);
  for (const [name, createBody] of Object.entries(HOSTILE_RECORDS)) {
    for (let request = 0; request < (HOSTILE_REQUEST_COUNTS[name] ?? 1); request += 1) {
      const reply = await server.call('POST', `/api/v2.6/data/worst/${name}`, { body: createBody() });
      if (reply.status !== 201) throw new Error(`${name}: ${reply.status} ${reply.text.slice(0, 300)}`);
    }
    if (HAS_PROC) slowestHealthMs[name] = await health.slowest();
  }
}, 300_000);

afterAll(async () => {
  if (!IS_THOROUGH_RUN) return;
  if (HAS_PROC) health.end();
  await contracts.close();
  await killProcesses();
  removeFolders();
});

/** Permitted statuses: success, or a refusal (403: not readable by a user). */
const PERMITTED_STATUSES = [200, 201, 400, 403, 429];

const expectHealthyDuring = async (
  readOnce: () => Promise<number>,
  permittedStatuses = PERMITTED_STATUSES,
): Promise<void> => {
  await health.slowest();
  const status = await readOnce();
  const ms = await health.slowest();
  expect(permittedStatuses, server.stderr()).toContain(status);
  expect(ms, 'milliseconds of the slowest /healthz').toBeLessThan(HEALTH_RESPONSE_MAX_MS);
};

const checkExport = async (name: string, format: 'ndjson' | 'csv'): Promise<void> => {
  const ticket = await server.call('POST', '/api/v2.6/owner/exports', { json: { endpoint: `worst/${name}`, format } });
  const { url } = z.object({ url: z.string() }).parse(ticket.json);
  await expectHealthyDuring(() => drain(url));
};

describe.skipIf(!HAS_PROC || !IS_THOROUGH_RUN)(
  'a server with the most expensive records that the limits allow',
  { timeout: 300_000 },
  () => {
    it.for(HOSTILE_RECORD_NAMES)('stays available while %s are stored', (name) => {
      expect(slowestHealthMs[name], 'milliseconds of the slowest /healthz').toBeLessThan(HEALTH_RESPONSE_MAX_MS);
    });

    it.for(HOSTILE_RECORD_NAMES)(
      'stays available while %s are stored again and compared with the existing ones',
      async (name) => {
        // The first request builds the index of the endpoint.
        for (const callerToken of [ownerToken, token])
          await expectHealthyDuring(() => storeAgain(server, name, callerToken), [201]);
      },
    );

    it.for(HOSTILE_RECORD_NAMES)('stays available during reads of %s', async (name) => {
      const path = `/api/v2.6/data/worst/${name}`;
      for (const query of [
        '',
        '?take=1&orderBy=a',
        '?orderBy=a&ordering=descending&meta=true',
        '?orderBy=s&skip=1',
        '?orderBy=a%22b',
        `?orderBy=${'a[0].'.repeat(80)}x`,
        '?a=1&s=a',
      ])
        for (const callerToken of [token, readerToken])
          await expectHealthyDuring(() => drain(`${path}${query}`, callerToken));
      await expectHealthyDuring(() => drain(path, userToken));
      const firstReply = await server.call('GET', `${path}?take=1`);
      const [record] = recordListSchema.parse(firstReply.json);
      for (const callerToken of [token, readerToken, userToken])
        await expectHealthyDuring(() => drain(`/api/v2.6/data-record/${record?.recordId ?? ''}`, callerToken));
      await expectHealthyDuring(() => drain(`/api/v2.6/owner/records/${record?.recordId ?? ''}`, ownerToken));
    });

    it.for(HOSTILE_RECORD_NAMES)('stays available while field types and charts of %s are computed', async (name) => {
      const endpoint = `endpoint=worst/${name}`;
      for (const query of [
        `fields?${endpoint}`,
        `charts/series?${endpoint}&time=a&value=s`,
        `charts/distribution?${endpoint}&field=a`,
        `charts/values?${endpoint}&field=s`,
        ...mapQueries(endpoint),
        `calendar/extent?${endpoint}&start=a&end=s`,
        `calendar/days?${endpoint}&start=a&end=s&title=s&from=1970-01-01&to=1970-02-11`,
        'search?text=x%20worst',
        ...tableQueries(endpoint),
        'search-index',
        `charts/points?${endpoint}&x=a&y=${'a[0].'.repeat(80)}x`,
      ])
        await expectHealthyDuring(() => drain(`/api/v2.6/owner/${query}`, ownerToken));
    });

    it.for(HOSTILE_RECORD_NAMES)('stays available while a guest reads tables and charts of %s', async (name) => {
      const share = async (definition: unknown): Promise<string> => {
        const reply = await server.call('POST', '/api/v2.6/owner/shared-views', {
          json: { endpoint: `worst/${name}`, name: 'worst', userId, definition },
          headers: { 'x-auth-token': ownerToken },
        });
        expect(reply.status, reply.text).toBe(200);
        return sharedViewSchema.parse(reply.json).sharedViewId;
      };
      const paths = ['a', 's', '', 'a"b', `${'a[0].'.repeat(75)}x`, ...Array.from({ length: 35 }, (_, n) => `a[${n}]`)];
      const columns = paths.map((path, index) => ({ path, name: String(index) }));
      const filters = [{ is: 'contains', field: 's', text: 'z' }];
      for (const selection of [{}, { filters, search: 'z' }, { sorts: [{ field: 'a', descending: true }] }]) {
        const id = await share({ kind: 'table', selection, columns });
        for (const suffix of ['', '?page=2', '/csv'])
          await expectHealthyDuring(() => drain(`/guest/tables/${id}${suffix}`, userToken));
        await expectHealthyDuring(() =>
          drain(`/api/v2.6/owner/guests/${userId}/preview?path=/guest/tables/${id}`, ownerToken),
        );
      }
      const time = { kind: 'time', time: 'a', field: 's', aggregation: 'sum', per: 'day', mark: 'bar', compare: false };
      for (const chart of [
        time,
        { kind: 'heat', time: 'a', field: 's', aggregation: 'sum' },
        { kind: 'distribution', field: 'a' },
        { kind: 'values', field: 's' },
        { kind: 'scatter', field: 'a', second: 's' },
        { kind: 'calendar', time: 'a', second: 's', field: 's' },
        { kind: 'map', field: 'a', second: 's', time: 's', connect: true },
        { kind: 'map', field: 'a', connect: false },
      ]) {
        const id = await share({ kind: 'chart', chart });
        await expectHealthyDuring(() => drain(`/guest/charts/${id}`, userToken));
      }
      await expectHealthyDuring(() => drain('/api/v2.6/owner/shared-views', ownerToken));
    });

    it.for(HOSTILE_RECORD_NAMES)('stays available while a contract reads %s', async (name) => {
      const credentials = {
        token: await contracts.issueToken({
          sub: 'worst-study',
          namespaces: [{ namespace: 'worst', read: true, write: false }],
        }),
        contractId: 'worst-study',
        pdaName: 'ada',
      };
      const path = `/api/v2.6/contract-data/read/worst/${name}`;
      for (const paging of [{}, { take: 1, orderBy: 'a' }, { orderBy: 'a"b', ordering: 'descending' }]) {
        const body = { ...credentials, ...paging };
        await expectHealthyDuring(() => drain(path, '', 'POST', body));
      }
      expect(await drain(path, '', 'POST', { ...credentials, take: 1 })).toBe(200);
    });

    it.for(HOSTILE_RECORD_NAMES)('stays available during an export of %s', async (name) => {
      await checkExport(name, 'ndjson');
    });

    it('stays available while files are searched and counted', async () => {
      const templates = [
        {},
        { title: 'e\u0301'.repeat(400) },
        { tags: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(150, 'x')) },
        { description: 'y'.repeat(1000), source: 'worst' },
      ];
      for (const callerToken of [token, readerToken, userToken])
        for (const template of templates)
          await expectHealthyDuring(() => drain('/api/v2.6/files/search', callerToken, 'POST', template));
      await expectHealthyDuring(() => drain(`/api/v2.6/files/file/${fileId}`, userToken));
      const maps = ['/map/extent?search=xxx', `/map/clusters?zoom=3&${WORLD}`, `/map/pictures?search=xxx&${WORLD}`];
      for (const path of ['', '?search=xxx', '/months', '/months?search=xxx', ...maps])
        await expectHealthyDuring(() => drain(`/api/v2.6/owner/files${path}`, ownerToken));
      await expectHealthyDuring(() => drain('/api/v2.6/owner/files/tag-counts', ownerToken, 'POST', { fileIds }));
      await expectHealthyDuring(() => drain('/api/v2.6/owner/files/place-counts', ownerToken, 'POST', { fileIds }));
      await expectHealthyDuring(() =>
        drain('/api/v2.6/owner/files/place-counts', ownerToken, 'POST', { folder: 'worst' }),
      );
    });

    it.each(Object.entries(HOSTILE_COMBINATORS))(
      'stays available while the combinator %s is stored and read',
      async (name, entries) => {
        await expectHealthyDuring(() => drain(`/api/v2.6/combinator/${name}`, undefined, 'PUT', entries));
        await expectHealthyDuring(() => drain(`/api/v2.6/combinator/${name}?take=1000`));
        await expectHealthyDuring(() => drain(`/api/v2.6/combinator/${name}?take=5&orderBy=a`));
      },
    );

    it('stays available while a bundle of several combinators is stored and read', async () => {
      const bundle = Object.fromEntries(
        ['all', 'find', 'contains', 'mapped', 'deep-path'].map((name) => [
          name,
          { endpoints: HOSTILE_COMBINATORS[name], orderBy: 'a', limit: 100 },
        ]),
      );
      await expectHealthyDuring(() => drain('/api/v2.6/data-bundle/worst', undefined, 'PUT', bundle));
      await expectHealthyDuring(() => drain('/api/v2.6/data-bundle/worst'));
      for (const path of ['combinator', 'data-bundle', 'data-bundle/worst/structure'])
        await expectHealthyDuring(() => drain(`/api/v2.6/${path}`));
    });

    it("stays available during reads of the feed, the sources and the owner's routes", async () => {
      for (const path of ['she/feed', 'she/feed/worst/feed-items', 'data/sources'])
        await expectHealthyDuring(() => drain(`/api/v2.6/${path}`));
      for (const name of HOSTILE_RECORD_NAMES)
        for (const query of ['take=50', 'take=50&search=zebra', 'take=50&orderBy=a'])
          await expectHealthyDuring(() => drain(`/api/v2.6/owner/records?endpoint=worst/${name}&${query}`, ownerToken));
      const readAsOwner = (path: string): Promise<number> => drain(`/api/v2.6/owner/${path}`, ownerToken);
      for (const path of [
        'endpoints',
        'activity',
        'ledger',
        'ledger?search=worst%20zebra&act=read',
        'ledger-groups?timeZone=Europe/Berlin&endpoint=worst/one-string',
        'ledger-days',
        'deletions',
        'timeline',
        'timeline/days?month=1970-01',
        ...HOSTILE_RECORD_NAMES.map((name) => `timeline/items?source=worst/${name}&day=1970-01-01`),
        'timeline/search?text=x%20worst',
        'files/summary',
        'erasure-preview?kind=namespace&target=worst',
      ])
        await expectHealthyDuring(() => readAsOwner(path));
      const entryId = /"id":(?<id>\d+)/u.exec((await server.call('GET', '/api/v2.6/owner/ledger')).text)?.groups?.[
        'id'
      ];
      await expectHealthyDuring(() => readAsOwner(`ledger/${entryId ?? ''}/records`));
      await expectHealthyDuring(() => readAsOwner('applications/reader/view'));
      await expectHealthyDuring(() => readAsOwner(`files/file/${fileId}`));
      const [deletedRecord] = recordListSchema.parse(
        (await server.call('GET', '/api/v2.6/data/worst/records-of-a-page?take=1')).json,
      );
      await server.call('PUT', '/api/v2.6/data', { json: [{ ...deletedRecord, data: 'changed' }] });
      const versions = `records/${deletedRecord?.recordId ?? ''}/versions`;
      await expectHealthyDuring(() => readAsOwner(versions));
      const versionMatch = /"versionId":(?<id>\d+)/u.exec(
        (await server.call('GET', `/api/v2.6/owner/${versions}`)).text,
      );
      await expectHealthyDuring(() => readAsOwner(`${versions}/${versionMatch?.groups?.['id'] ?? ''}`));
      const deletionReply = await server.call('POST', '/api/v2.6/owner/deletions', {
        json: { records: [deletedRecord?.recordId] },
      });
      const { deletionId } = z.object({ deletionId: z.string() }).parse(deletionReply.json);
      await expectHealthyDuring(() => readAsOwner(`deletions/${deletionId}/records`));
    });

    it('stays available during the preview and reads of the values of a Data Debit', async () => {
      const key = 'worst-debit';
      const bundle = {
        name: 'worst-debit',
        bundle: {
          all: { endpoints: entriesOf(), limit: 50 },
          mapped: { endpoints: HOSTILE_COMBINATORS['mapped'], orderBy: 'a' },
        },
      };
      const request = {
        dataDebitKey: key,
        bundle,
        purpose: 'A test',
        cancelAtPeriodEnd: true,
        start: new Date().toISOString(),
        period: 86_400,
        requestClientName: 'A test',
        requestClientUrl: 'https://requester.example/',
        requestClientLogoUrl: 'https://requester.example/logo.png',
        termsUrl: 'https://requester.example/terms',
      };
      const reply = await server.call('POST', `/api/v2.6/data-debit/${key}`, {
        json: request,
        headers: { 'x-auth-token': token },
      });
      expect(reply.status, reply.text).toBe(201);
      const { permissionsLatest } = reply.json as { permissionsLatest: { permissionId: string } };
      const { permissionId } = permissionsLatest;
      await expectHealthyDuring(() =>
        drain(`/api/v2.6/owner/debits/${key}/preview`, ownerToken, 'POST', { permissionId, skip: 0, take: 20 }),
      );
      await expectHealthyDuring(() => drain(`/api/v2.6/data-debit/${key}/preview`, ownerToken));
      expect((await server.call('GET', `/api/v2.6/data-debit/${key}/enable`)).status).toBe(200);
      for (const path of ['data-debit', `data-debit/${key}`])
        await expectHealthyDuring(() => drain(`/api/v2.6/${path}`));
      for (const path of ['debits', `debits/${key}`])
        await expectHealthyDuring(() => drain(`/api/v2.6/owner/${path}`, ownerToken));
      await expectHealthyDuring(() => drain(`/api/v2.6/data-debit/${key}/values`));
    });

    it('stays available during many concurrent long reads by one application, and refuses some of them', async () => {
      await expectHealthyDuring(async () => {
        const paths = Array.from(
          { length: 20 },
          (_, index) =>
            `/api/v2.6/data/worst/${HOSTILE_RECORD_NAMES[index % HOSTILE_RECORD_NAMES.length]}?orderBy=a${index}`,
        );
        const statuses = await Promise.all(paths.map((path) => drain(path)));
        expect(statuses).toContain(429);
        return 200;
      });
    });

    it('receives a request on every read route except those in UNTESTED_READ_ROUTES', () => {
      const coveredRoutes = new Set([...testedRoutes, ...Object.values(UNTESTED_READ_ROUTES).flat()]);
      expect(readRoutes.map(({ route }) => route).filter((route) => !coveredRoutes.has(route))).toEqual([]);
      expect(
        Object.values(UNTESTED_READ_ROUTES)
          .flat()
          .filter((route) => testedRoutes.has(route)),
      ).toEqual([]);
    });

    it('stays below its memory limit', () => {
      expect(server.stderr()).not.toContain('heap');
      expect(health.residentPeak()).toBeLessThan(RESIDENT_BYTES_MAX);
    });

    // These tests run after the memory measurement, because a CSV export has a separate heap of up to 256 MB
    // (docs/performance.md).
    it.for(HOSTILE_RECORD_NAMES)('stays available during an export of %s as CSV', async (name) => {
      await checkExport(name, 'csv');
    });
  },
);
