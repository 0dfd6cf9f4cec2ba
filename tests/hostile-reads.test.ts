import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApplication, tokenOf } from './support/applications.ts';
import { HOSTILE_RECORDS } from './support/hostile-records.ts';
import { begin } from './support/http.ts';
import {
  endProcesses,
  newHome,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';

/**
 * The costliest records that the limits allow, and every kind of read over them, by an application and by the owner. Meanwhile another
 * process asks for `/healthz`, and must get its answers.
 */

const NODE = join(import.meta.dirname, '../node_modules/node/bin/node');
/** Milliseconds in which `/healthz` has to answer, the time in which other programs have the processor left out. */
const HEALTH_MS = 250;
const RESIDENT_BYTES_MAX = 600_000_000;
const HAS_PROC = existsSync('/proc/self/schedstat');

const NAMES = Object.keys(HOSTILE_RECORDS);
const entriesOf = (filters?: unknown) =>
  NAMES.map((name) => ({ endpoint: `worst/${name}`, ...(filters === undefined ? {} : { filters }) }));
const filter = (operator: unknown, transformation?: unknown, field = 'a') => [{ field, operator, transformation }];
/** A combinator is at most 64 kB. */
const huge = 'z'.repeat(1500);

/** Name -> entries of a combinator. */
const COMBINATORS: Readonly<Record<string, unknown>> = {
  all: entriesOf(),
  'same-100': Array.from({ length: 100 }, () => ({ endpoint: 'worst/one-string' })),
  in: entriesOf(filter({ operator: 'in', value: [huge, 1, ['']] })),
  contains: entriesOf(filter({ operator: 'contains', value: [''] })),
  between: entriesOf(filter({ operator: 'between', lower: huge, upper: `${huge}z` })),
  'between-arrays': entriesOf(
    filter({ operator: 'between', lower: [''], upper: Array.from({ length: 500 }, () => '') }),
  ),
  find: entriesOf(filter({ operator: 'find', search: 'zebra' }, { transformation: 'searchable' })),
  timestamps: entriesOf(filter({ operator: 'in', value: 7 }, { transformation: 'timestampExtract', part: 'hour' })),
  dates: entriesOf(filter({ operator: 'in', value: 7 }, { transformation: 'datetimeExtract', part: 'hour' })),
  'deep-path': entriesOf(filter({ operator: 'contains', value: 1 }, undefined, `a${'[0]'.repeat(90)}`)),
  'own-functions': entriesOf(filter({ operator: 'contains', value: 1 }, undefined, 'a"b.c')),
  'fifty-filters': entriesOf(
    Array.from({ length: 50 }, (_, at) => filter({ operator: 'contains', value: [`${at}`] })[0]),
  ),
  mapped: NAMES.map((name) => ({ endpoint: `worst/${name}`, mapping: { 'out.a': 'a', again: 'a' } })),
  'mapped-1000': NAMES.map((name) => ({
    endpoint: `worst/${name}`,
    mapping: Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`f${at}`, 'a'])),
  })),
  nested: NAMES.map((name) => ({
    endpoint: `worst/${name}`,
    mapping: {
      'items[]': {
        source: 'a[]',
        mappings: Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`n${at}`, '[0]'])),
      },
    },
  })),
};

let server: ServerProcess;
let token: string;
let prober: ChildProcess;

const longest = async (): Promise<{ longest: number; count: number }> => {
  const reply = once(prober, 'message');
  prober.send('report');
  const [message] = (await reply) as [{ longest: number; count: number }];
  return message;
};

/** Reads an answer to its end without keeping it. An answer that is broken off has no status of its own. */
const drain = async (path: string, by?: string, method = 'GET', body?: unknown): Promise<number> => {
  const headers = { 'x-auth-token': by ?? token, 'content-type': 'application/json' };
  const response = await begin(
    `http://127.0.0.1:${server.port}${path}`,
    { method, headers },
    body === undefined ? undefined : JSON.stringify(body),
  );
  response.resume();
  await new Promise<void>((resolve) => response.once('close', resolve));
  return response.statusCode ?? 0;
};

const residentPeak = (): number =>
  Number(/VmHWM:\s+(\d+) kB/u.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]) * 1024;

beforeAll(async () => {
  const home = await newHome();
  const applications = [anApplication({ id: 'notes', roles: [{ role: 'owner' }] })];
  writeFileSync(join(home, 'config.json'), JSON.stringify({ applications }));
  // As the desktop app starts it (main/server-run.ts) and README says of a server on Linux.
  server = await startServer(home, { env: { ...process.env, MALLOC_MMAP_THRESHOLD_: '262144' } });
  token = await tokenOf(server, 'notes');
  prober = fork(join(import.meta.dirname, 'support/health-probe.ts'), [String(server.port), String(server.pid)], {
    execPath: NODE,
    execArgv: [],
  });
  for (const [name, make] of Object.entries(HOSTILE_RECORDS)) {
    const reply = await server.call('POST', `/api/v2.6/data/worst/${name}`, { body: make() });
    if (reply.status !== 201) throw new Error(`${name}: ${reply.status} ${reply.text.slice(0, 300)}`);
  }
  await until(async () => (await longest()).count > 0, 'the server answers');
}, 300_000);

afterAll(async () => {
  prober.kill();
  await endProcesses();
  removeFolders();
});

/** Statuses of reads: done, or refused in words. Nothing else is an answer. */
const ANSWERS = [200, 400, 429];

const check = async (read: () => Promise<number>): Promise<void> => {
  await longest();
  const status = await read();
  const { longest: ms } = await longest();
  expect(ANSWERS, server.errors()).toContain(status);
  expect(ms, 'milliseconds of the slowest /healthz').toBeLessThan(HEALTH_MS);
};

describe.skipIf(!HAS_PROC)('over the costliest records that the limits allow', { timeout: 300_000 }, () => {
  it.each(NAMES)('reads of %s keep the server available', async (name) => {
    const path = `/api/v2.6/data/worst/${name}`;
    for (const query of [
      '',
      '?take=1&orderBy=a',
      '?orderBy=a&ordering=descending&meta=true',
      '?orderBy=s&skip=1',
      '?orderBy=a%22b',
      `?orderBy=${'a[0].'.repeat(80)}x`,
    ])
      await check(() => drain(`${path}${query}`));
  });

  it.each(Object.entries(COMBINATORS))('the combinator %s keeps it available', async (name, entries) => {
    await check(() => drain(`/api/v2.6/combinator/${name}`, undefined, 'PUT', entries));
    await check(() => drain(`/api/v2.6/combinator/${name}?take=1000`));
    await check(() => drain(`/api/v2.6/combinator/${name}?take=5&orderBy=a`));
  });

  it('a bundle of all of them keeps it available', async () => {
    const bundle = Object.fromEntries(
      ['all', 'find', 'contains', 'mapped', 'deep-path'].map((name) => [
        name,
        { endpoints: COMBINATORS[name], orderBy: 'a', limit: 100 },
      ]),
    );
    await check(() => drain('/api/v2.6/data-bundle/worst', undefined, 'PUT', bundle));
    await check(() => drain('/api/v2.6/data-bundle/worst'));
  });

  it('the feed, the sources and the owner’s pages keep it available', async () => {
    for (const path of ['she/feed', 'she/feed/worst/feed-items', 'data/sources'])
      await check(() => drain(`/api/v2.6/${path}`));
    for (const name of NAMES)
      for (const query of ['take=50', 'take=50&search=zebra', 'take=50&orderBy=a'])
        await check(
          async () => (await server.call('GET', `/api/v2.6/owner/records?endpoint=worst/${name}&${query}`)).status,
        );
  });

  it('the preview and the values of a Data Debit keep it available', async () => {
    const key = 'worst-debit';
    const bundle = {
      name: 'worst-debit',
      bundle: {
        all: { endpoints: entriesOf(), limit: 50 },
        mapped: { endpoints: COMBINATORS['mapped'], orderBy: 'a' },
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
    const made = await server.call('POST', `/api/v2.6/data-debit/${key}`, {
      json: request,
      headers: { 'x-auth-token': token },
    });
    expect(made.status, made.text).toBe(201);
    const { permissionsLatest } = made.json as { permissionsLatest: { permissionId: string } };
    const { permissionId } = permissionsLatest;
    await check(
      async () =>
        (
          await server.call('POST', `/api/v2.6/owner/debits/${key}/preview`, {
            json: { permissionId, skip: 0, take: 20 },
          })
        ).status,
    );
    expect((await server.call('GET', `/api/v2.6/data-debit/${key}/enable`)).status).toBe(200);
    await check(() => drain(`/api/v2.6/data-debit/${key}/values`));
  });

  it('many long reads of one application at once keep it available', async () => {
    await check(async () => {
      const paths = Array.from(
        { length: 20 },
        (_, at) => `/api/v2.6/data/worst/${NAMES[at % NAMES.length]}?orderBy=a${at}`,
      );
      const statuses = await Promise.all(paths.map((path) => drain(path)));
      expect(statuses).toContain(429);
      return 200;
    });
  });

  it('and the process stays small', () => {
    expect(server.errors()).not.toContain('heap');
    expect(residentPeak()).toBeLessThan(RESIDENT_BYTES_MAX);
  });
});
