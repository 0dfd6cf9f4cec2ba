import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { anApplication, setUpApplication } from '../../../../tests/support/applications.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { createSafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { ledgerPageSchema } from '../../../wire/ledger.ts';
import {
  MAX_FUNCTION_OUTPUT_BYTES,
  MAX_FUNCTION_PUBLISHED_BYTES,
  MAX_FUNCTION_REQUEST_BYTES,
} from '../../../wire/limits.ts';
import {
  bundleOf,
  enable,
  FUNCTIONS,
  ownerView,
  publishedConfigurationOf,
  FAST_TIMING,
  runsOf,
  store,
  type FunctionInput,
} from '../harness.test-support.ts';
import { createRemoteHost } from './host.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

/** Handles one operation of the test web service. */
type Handler = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void | Promise<void>;

let webService: Server;
let base: string;
let calls: { method: string; url: string; bytes: number }[];
let handlers: { configuration: Handler; bundle: Handler; process: Handler };
let publishedConfiguration: unknown;

const respond =
  (value: unknown, status = 200): Handler =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

beforeEach(async () => {
  calls = [];
  publishedConfiguration = publishedConfigurationOf({ id: 'far', trigger: { triggerType: 'manual' } });
  handlers = {
    configuration: (...call) => respond(publishedConfiguration)(...call),
    bundle: respond({ name: 'far', bundle: bundleOf(['data/in']) }),
    process(request, response, body) {
      const { request: input } = JSON.parse(body.toString()) as FunctionInput;
      const data = Object.values(input.data).flatMap((records) => records.map((record) => record.data));
      return respond([{ namespace: 'made', endpoint: 'far', data }])(request, response, body);
    },
  };
  webService = createServer((request, response) => {
    void (async () => {
      const body = await buffer(request);
      const { method = '', url = '' } = request;
      calls.push({ method, url, bytes: body.length });
      if (method === 'GET' && url === '/fn/far/1.0.0/configuration')
        await handlers.configuration(request, response, body);
      else if (method === 'GET' && url.startsWith('/fn/far/1.0.0/data-bundle?'))
        await handlers.bundle(request, response, body);
      else if (method === 'POST' && url === '/fn/far/1.0.0') await handlers.process(request, response, body);
      else response.writeHead(404).end();
    })();
  });
  await new Promise<void>((resolve) => webService.listen(0, '127.0.0.1', resolve));
  const address = webService.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/fn/`;
});

let pda: TestPda | undefined;
const open = async (expectedState: 'configuration' | 'problem' = 'configuration'): Promise<TestPda> => {
  const browser = anApplication({ id: 'browser', roles: [{ role: 'owner' }] });
  const functions = [{ id: 'far', version: '1.0.0', baseUrl: base, namespace: 'made', endpoint: 'far' }];
  pda = await startTestPda({
    config: { functions, applications: [browser] },
    network: { allowLoopback: true },
    functions: { timing: FAST_TIMING },
  });
  await expect.poll(async () => (await ownerView(pda as TestPda, 'far'))[expectedState]).not.toBeNull();
  return pda;
};
afterEach(async () => {
  await pda?.close();
  pda = undefined;
  webService.closeAllConnections();
  await new Promise((resolve) => webService.close(resolve));
});

const ledgerRows = async (testPda: TestPda) =>
  ledgerPageSchema.parse((await testPda.call('GET', '/api/v2.6/owner/ledger?function=far')).json).rows;

describe('a function that is a web service', () => {
  it('is called for three operations, and its output is stored', async () => {
    const { call } = await open();
    const view = await ownerView(pda as TestPda, 'far');
    expect(view).toMatchObject({
      place: { kind: 'elsewhere', host: new URL(base).host },
      limits: { memoryMb: null, timeoutMs: 300_000 },
      configuration: { status: { available: true, enabled: false } },
    });
    await enable(pda as TestPda, 'far');
    await store(pda as TestPda, 'data/in', 1, 2);
    expect((await call('GET', `${FUNCTIONS}/far/trigger`)).status).toBe(200);
    expect(await dataAt(pda as TestPda, 'made/far')).toStrictEqual([1, 2]);
    expect(calls.map(({ method, url }) => `${method} ${url.replace(/untilDate=.*/u, 'untilDate=')}`)).toStrictEqual([
      'GET /fn/far/1.0.0/configuration',
      'GET /fn/far/1.0.0/data-bundle?fromDate=1970-01-01T00%3A00%3A00.000Z&untilDate=',
      'POST /fn/far/1.0.0',
    ]);
    expect((await runsOf(pda as TestPda, 'far'))[0]).toMatchObject({
      outcome: 'done',
      peakMemoryBytes: null,
      recordsIn: 2,
    });
  });

  it('has its input logged before it is sent', async () => {
    const testPda = await open();
    await enable(testPda, 'far');
    await store(testPda, 'data/in', 1, 2);
    let rowsBeforeRequest = -1;
    const processRequest = handlers.process;
    handlers.process = async (...call) => {
      rowsBeforeRequest = (await ledgerRows(testPda)).length;
      await processRequest(...call);
    };
    expect((await testPda.call('GET', `${FUNCTIONS}/far/trigger`)).status).toBe(200);
    expect(rowsBeforeRequest).toBe(1);
    const [row] = await ledgerRows(testPda);
    expect(row).toMatchObject({
      who: { kind: 'function', name: 'far' },
      action: 'function run',
      outcome: 'allowed',
      consent: { kind: 'function', name: 'far', detail: '1.0.0' },
      endpoints: ['data/in'],
      records: 2,
      fields: null,
      bytes: calls.at(-1)?.bytes,
      address: new URL(base).host,
    });
  });

  it('receives the input of a dry run only if the owner requests it, and the input is logged', async () => {
    const testPda = await open();
    await store(testPda, 'data/in', 1);
    const previewReply = await testPda.call('POST', `${FUNCTIONS}/far/dry-run`, { json: {} });
    expect(previewReply.json).toMatchObject({
      outcome: null,
      recordsIn: 1,
      output: null,
      records: [],
      input: { request: { data: { p0: [{ endpoint: 'data/in', data: 1 }] } } },
    });
    expect(calls.filter(({ method }) => method === 'POST')).toStrictEqual([]);
    expect(await ledgerRows(testPda)).toStrictEqual([]);
    const dryRun = await testPda.call('POST', `${FUNCTIONS}/far/dry-run`, { json: { send: true } });
    expect(dryRun.json).toMatchObject({ outcome: 'done', records: [{ endpoint: 'made/far', data: 1 }] });
    expect(await ledgerRows(testPda)).toHaveLength(1);
    expect(await dataAt(testPda, 'made/far')).toStrictEqual([]);
  });

  it('cannot be enabled or disabled by an application with owner rights', async () => {
    const testPda = await open();
    const token = await setUpApplication(testPda, 'browser');
    for (const action of ['enable', 'disable']) {
      const reply = await testPda.call('GET', `${FUNCTIONS}/far/${action}`, { token });
      expect([reply.status, errorOf(reply).error]).toStrictEqual([403, 'forbidden']);
    }
    expect((await testPda.call('GET', `${FUNCTIONS}/far`, { token })).status).toBe(200);
  });

  it('is not enabled if its published bundle exceeds what the owner reviewed', async () => {
    const testPda = await open();
    const { configuration } = await ownerView(testPda, 'far');
    const reviewed = { version: '1.0.0', dataBundle: configuration?.dataBundle };
    publishedConfiguration = publishedConfigurationOf({
      id: 'far',
      reads: ['data/in', 'data/secret'],
      trigger: { triggerType: 'manual' },
    });
    await testPda.restart();
    await expect
      .poll(async () => Object.keys((await ownerView(testPda, 'far')).configuration?.dataBundle.bundle ?? {}).length)
      .toBe(2);
    const reply = await testPda.call('POST', '/api/v2.6/owner/functions/far/enable', { json: reviewed });
    expect([reply.status, errorOf(reply).error]).toStrictEqual([409, 'wrong_state']);
  });

  it('keeps its configuration and reports the problem if its web service is down at start', async () => {
    const testPda = await open();
    await enable(testPda, 'far');
    handlers.configuration = (_, response) => void response.destroy();
    await testPda.restart();
    await expect.poll(async () => (await ownerView(testPda, 'far')).problem).toContain('could not be reached');
    expect((await ownerView(testPda, 'far')).configuration?.status).toMatchObject({ available: true, enabled: true });
  });

  it.each([
    ['has a different id', { id: 'near' }, 'has the id near'],
    [
      'has a different version',
      { info: { ...publishedConfigurationOf({ id: 'far' }).info, version: '1.0.1' } },
      'version 1.0.1, but the function is registered as 1.0.0',
    ],
    [
      'has no name',
      { info: { ...publishedConfigurationOf({ id: 'far' }).info, name: undefined } },
      'The configuration is invalid: info.name: is missing',
    ],
    ['is too large', { more: 'x'.repeat(MAX_FUNCTION_PUBLISHED_BYTES) }, 'more than the limit of 1000000'],
  ])('is unavailable if its configuration %s', async (_, changes, problem) => {
    publishedConfiguration = { ...publishedConfigurationOf({ id: 'far' }), ...changes };
    const testPda = await open('problem');
    const view = await ownerView(testPda, 'far');
    expect([view.configuration, view.problem]).toStrictEqual([null, expect.stringContaining(problem)]);
    const reply = await testPda.call('GET', `${FUNCTIONS}/far/enable`);
    expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'function_not_available']);
    expect(errorOf(reply).cause).toContain(problem);
  });

  it('has error messages of a single line with a limited length', async () => {
    const testPda = await open();
    await enable(testPda, 'far');
    handlers.process = respond({ error: 'memory', cause: 'a\u0000\r\n\u2028b\u202e' }, 500);
    const shortError = errorOf(await testPda.call('GET', `${FUNCTIONS}/far/trigger`));
    expect([shortError.error, shortError.cause]).toStrictEqual(['memory', 'The web service returned 500: a b ']);
    handlers.process = respond({ error: 'memory', cause: 'x'.repeat(20_000) }, 500);
    const longError = errorOf(await testPda.call('GET', `${FUNCTIONS}/far/trigger`));
    expect([longError.error, longError.cause]).toStrictEqual(['error', 'The web service returned 500.']);
    handlers.bundle = respond({ name: 'far', bundle: bundleOf(['data/in']), [`a\n${'x'.repeat(100_000)}`]: 1 });
    const { cause } = errorOf(await testPda.call('GET', `${FUNCTIONS}/far/trigger`));
    expect(cause).toMatch(/is invalid: has the unknown property "a\\nx+$/u);
    expect(cause?.length).toBeLessThanOrEqual(1000);
  });

  it('fails on errors and invalid responses, and stores nothing', async () => {
    const invalidResponses: [label: string, handler: Handler, code: string, cause: string][] = [
      ['reports a memory failure', respond({ error: 'memory', cause: 'too much' }, 502), 'memory', 'too much'],
      ['returns an error', respond({ whatever: 1 }, 500), 'error', 'returned 500'],
      ['returns an HTML page', (_, response) => void response.writeHead(503).end('<html>'), 'error', 'returned 503'],
      ['redirects', (_, response) => void response.writeHead(302, { location: '/x' }).end(), 'error', 'redirects'],
      ['closes the connection', (_, response) => void response.destroy(), 'crashed', 'could not be reached'],
      [
        'closes the connection during the response',
        (_, response) => void response.write('[', () => response.destroy()),
        'crashed',
        'reached',
      ],
      ['returns invalid JSON', (_, response) => void response.end('[{'), 'output', 'cannot be stored'],
      ['returns invalid UTF-8', (_, response) => void response.end(Buffer.from([0xff])), 'output', 'UTF-8'],
      [
        'returns records for another endpoint',
        respond([{ namespace: 'data', endpoint: 'in', data: [1] }]),
        'output',
        'may store only at',
      ],
      [
        'returns more than the size limit',
        (_, response) => void response.end(Buffer.alloc(MAX_FUNCTION_OUTPUT_BYTES + 1, ' ')),
        'output',
        'larger',
      ],
    ];
    const testPda = await open();
    await enable(testPda, 'far');
    await store(testPda, 'data/in', 1);
    for (const [label, handler, code, cause] of invalidResponses) {
      handlers.process = handler;
      const reply = await testPda.call('GET', `${FUNCTIONS}/far/trigger`);
      expect([label, reply.status, errorOf(reply).error]).toStrictEqual([label, 502, code]);
      expect(errorOf(reply).cause, label).toContain(cause);
      expect(await dataAt(testPda, 'made/far'), label).toStrictEqual([]);
    }
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'receives new records in requests of at most six megabytes, and no larger request with the whole bundle',
    async () => {
      const testPda = await open();
      await enable(testPda, 'far');
      const text = 'x'.repeat(1_000_000);
      for (let n = 0; n < 8; n += 1) await store(testPda, 'data/in', { n, text });
      handlers.process = respond([]);
      expect((await testPda.call('GET', `${FUNCTIONS}/far/trigger`)).status).toBe(200);
      const sizes = calls.filter(({ method }) => method === 'POST').map(({ bytes }) => bytes);
      expect(sizes).toHaveLength(2);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_FUNCTION_REQUEST_BYTES);
      const fullRun = await testPda.call('GET', `${FUNCTIONS}/far/trigger?useAll=true`);
      expect([fullRun.status, errorOf(fullRun).error]).toStrictEqual([502, 'error']);
      expect(errorOf(fullRun).cause).toContain(String(MAX_FUNCTION_REQUEST_BYTES));
    },
  );
});

describe('a session of a web service', () => {
  const target = { id: 'far', version: '1.0.0', memoryMb: 128, timeoutMs: 600_000, location: '' };

  it('has one time limit for the whole run', async () => {
    // The clock of the session stands still until the test advances it.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const safeFetch = createSafeFetch({ allowLoopback: true });
    handlers.process = () => undefined;
    const session = createRemoteHost(safeFetch).open({ ...target, location: base });
    expect((await session.dataBundle({ untilDate: '2026-01-01T00:00:00.000Z' })).outcome).toBe('done');
    vi.advanceTimersByTime(target.timeoutMs - 300);
    expect((await session.process('{}')).outcome).toBe('time');
    expect((await session.configuration()).outcome).toBe('time');
    expect((await session.close()).durationMs).toBe(target.timeoutMs - 300);
    await safeFetch.close();
  });

  it('contacts only public addresses outside development', async () => {
    const safeFetch = createSafeFetch({ allowLoopback: false });
    const session = createRemoteHost(safeFetch).open({ ...target, location: base });
    expect((await session.configuration()).outcome).toBe('error');
    expect(calls).toStrictEqual([]);
    await session.close();
    await safeFetch.close();
  });

  it('is aborted with the run', async () => {
    const safeFetch = createSafeFetch({ allowLoopback: true });
    const controller = new AbortController();
    handlers.process = () => controller.abort();
    const session = createRemoteHost(safeFetch).open({ ...target, location: base }, controller.signal);
    expect((await session.process('{}')).outcome).toBe('crashed');
    await session.close();
    await safeFetch.close();
  });
});
