import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  enable,
  FUNCTIONS,
  ownerView,
  FAST_TIMING,
  runsOf,
  statusOf,
  store,
} from '../server/pda/functions/harness.test-support.ts';
import { dryRunSchema, type RunOutcome } from '../server/wire/functions.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { findInconsistencies } from './support/database-check.ts';
import { hasPerl, startWebService, type WebService, type FunctionOperation } from './support/function-web-service.ts';
import { until } from './support/server-process.ts';
import { dataAt, errorOf, startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Tests remote functions in another language: one that behaves correctly, and many that misbehave.

/**
 * Deadlines of remote functions in milliseconds, instead of five minutes: one for functions that run until their
 * deadline, and one for functions that end long before.
 */
const SHORT_DEADLINE_MS = 1500;
const LONG_DEADLINE_MS = 600_000;

const isPerlMissing = !hasPerl();
if (isPerlMissing) console.warn('Functions in another language are not tested: Perl is not installed.');

let webService: WebService;
let pda: TestPda;
let options: { timing: typeof FAST_TIMING; remoteTimeoutMs: number };

const start = async (ids: readonly string[]): Promise<void> => {
  webService = await startWebService();
  const functions = ids.map((id) => ({
    id,
    version: '1.0.0',
    baseUrl: webService.base,
    namespace: 'made',
    endpoint: id,
  }));
  options = { timing: FAST_TIMING, remoteTimeoutMs: LONG_DEADLINE_MS };
  pda = await startTestPda({ config: { functions }, network: { allowLoopback: true }, functions: options });
};
const stop = async (): Promise<void> => {
  const inconsistencies = findInconsistencies(pda.home);
  await pda.close();
  await webService.close();
  expect(inconsistencies).toStrictEqual([]);
};

/** Waits until the PDA has requested the function's description, successfully or not. */
const waitForDescription = (id: string): Promise<unknown> =>
  until(async () => {
    const { configuration, problem } = await ownerView(pda, id);
    return configuration !== null || problem !== null;
  }, `the PDA has requested the description of ${id}`);

const readLedgerRows = async (id: string) =>
  ledgerPageSchema.parse((await pda.call('GET', `/api/v2.6/owner/ledger?function=${id}`)).json).rows;

type FailureCase = {
  misbehaviour: string;
  outcome: Exclude<RunOutcome, 'done' | 'stopped'>;
  message: RegExp;
  onlyAt?: FunctionOperation;
};

const FAILURE_CASES: FailureCase[] = [
  { misbehaviour: 'endless', outcome: 'time', message: /No response in time/u },
  { misbehaviour: 'drip', outcome: 'time', message: /No response in time/u },
  { misbehaviour: 'stuck', outcome: 'time', message: /No response in time/u },
  { misbehaviour: 'hangup', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'half', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'cut', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'no-http', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'heads', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'hints', outcome: 'crashed', message: /could not be reached/u },
  { misbehaviour: 'huge', outcome: 'output', message: /larger than/u },
  { misbehaviour: 'refuses', outcome: 'error', message: /^The web service returned 500\.$/u },
  { misbehaviour: 'refuses-hugely', outcome: 'output', message: /larger than/u },
  { misbehaviour: 'refuses-deeply', outcome: 'error', message: /^The web service returned 500\.$/u },
  { misbehaviour: 'refuses-badly', outcome: 'error', message: /^The web service returned 500: <b> \[2J y+$/u },
  { misbehaviour: 'refuses-by-name', outcome: 'memory', message: /^The web service returned 502: too much$/u },
  { misbehaviour: 'redirects', outcome: 'error', message: /redirects to another/u },
  { misbehaviour: 'redirects-on', outcome: 'error', message: /redirects to another/u },
  { misbehaviour: 'redirects-away', outcome: 'error', message: /redirects to another/u },
  { misbehaviour: 'not-json', outcome: 'output', message: /is not valid JSON|cannot be stored/u },
  { misbehaviour: 'nothing', outcome: 'output', message: /is not valid JSON|cannot be stored/u },
  { misbehaviour: 'no-content', outcome: 'output', message: /is not valid JSON|cannot be stored/u },
  { misbehaviour: 'no-utf8', outcome: 'output', message: /not valid UTF-8/u },
  { misbehaviour: 'packed', outcome: 'output', message: /not valid UTF-8/u },
  { misbehaviour: 'deep', outcome: 'output', message: /is not valid JSON|cannot be stored/u },
  { misbehaviour: 'proto', outcome: 'output', message: /(?:is not valid JSON|cannot be stored).*__proto__/u },
  { misbehaviour: 'twice-keyed', outcome: 'output', message: /is not valid JSON|cannot be stored/u },
  {
    misbehaviour: 'null',
    outcome: 'output',
    message: /an object is expected|(?:configuration|bundle) is invalid|is not a list/u,
  },
  {
    misbehaviour: 'number',
    outcome: 'output',
    message: /an object is expected|(?:configuration|bundle) is invalid|is not a list/u,
  },
  { misbehaviour: 'other-shape', outcome: 'output', message: /(?:configuration|bundle) is invalid|without namespace/u },
  { misbehaviour: 'other-id', outcome: 'output', message: /has the id another-function/u, onlyAt: 'configuration' },
  { misbehaviour: 'other-version', outcome: 'output', message: /9\.9\.9/u, onlyAt: 'configuration' },
  { misbehaviour: 'fat', outcome: 'output', message: /more than/u, onlyAt: 'configuration' },
  { misbehaviour: 'fat', outcome: 'output', message: /more than/u, onlyAt: 'data-bundle' },
  { misbehaviour: 'asks-elsewhere', outcome: 'error', message: /requested data\/secret/u, onlyAt: 'data-bundle' },
  {
    misbehaviour: 'asks-for-all',
    outcome: 'error',
    message: /requested entire records of data\/in/u,
    onlyAt: 'data-bundle',
  },
  { misbehaviour: 'asks-for-more', outcome: 'error', message: /requested pin of data\/in/u, onlyAt: 'data-bundle' },
  {
    misbehaviour: 'odd-key',
    outcome: 'output',
    message: /has the unknown property "a\\u0000\\r\\n x+$/u,
    onlyAt: 'data-bundle',
  },
  { misbehaviour: 'odd-namespace', outcome: 'output', message: /is for a x+/u, onlyAt: 'process' },
  { misbehaviour: 'other-namespace', outcome: 'output', message: /is for data\/in,/u, onlyAt: 'process' },
  { misbehaviour: 'climbs', outcome: 'output', message: /is for made\/\.\.\/data\/in,/u, onlyAt: 'process' },
  { misbehaviour: 'half-elsewhere', outcome: 'output', message: /is for data\/in,/u, onlyAt: 'process' },
  { misbehaviour: 'too-many', outcome: 'output', message: /more than 10000 records/u, onlyAt: 'process' },
];

const OPERATIONS = ['configuration', 'data-bundle', 'process'] as const;
/** Each failure at its `onlyAt`, or else at one of the operations in turn; in thorough runs, at all of them. */
const testedFailures = FAILURE_CASES.flatMap((failureCase, index) =>
  OPERATIONS.filter((operation, operationIndex) =>
    failureCase.onlyAt === undefined
      ? IS_THOROUGH_RUN || index % 3 === operationIndex
      : failureCase.onlyAt === operation,
  ).map((operation) => ({ ...failureCase, operation, id: `${failureCase.misbehaviour}.${operation}` })),
);
/** Checks that an error message is displayable on a single line. */
const expectDisplayable = (message: string | null | undefined, pattern: RegExp): void => {
  expect(message).toMatch(pattern);
  expect(message?.length).toBeLessThan(1001);
  expect(message).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
};

describe.skipIf(isPerlMissing).each([
  ['runs until its deadline', SHORT_DEADLINE_MS, (outcome: string) => outcome === 'time'],
  ['misbehaves', LONG_DEADLINE_MS, (outcome: string) => outcome !== 'time'],
] as const)('a function in another language that %s', (_, limitMs, isSelected) => {
  const selectedFailures = testedFailures.filter(({ outcome }) => isSelected(outcome));
  const descriptionFailures = selectedFailures.filter(({ operation }) => operation === 'configuration');
  const runFailures = selectedFailures.filter(({ operation }) => operation !== 'configuration');

  beforeAll(async () => {
    await start(selectedFailures.map(({ id }) => id));
    if (limitMs !== LONG_DEADLINE_MS) {
      // On a slow machine, a description may take longer than the short deadline. The PDA keeps it across the restart.
      for (const { id } of runFailures) await waitForDescription(id);
      options.remoteTimeoutMs = limitMs;
      await pda.restart();
    }
    await store(pda, 'data/in', { text: 'one two', pin: 1234 }, { text: 'three', pin: 1 });
    await store(pda, 'data/secret', { text: 'private' });
  });
  afterAll(stop);

  it.each(descriptionFailures)(
    'is unavailable with a reason if its description fails: $misbehaviour',
    async ({ id, message }) => {
      await waitForDescription(id);
      const { configuration, problem } = await ownerView(pda, id);
      expect(configuration).toBeNull();
      expectDisplayable(problem, message);
      for (const path of ['enable', 'trigger']) {
        const reply = await pda.call('GET', `${FUNCTIONS}/${id}/${path}`);
        expect([reply.status, errorOf(reply).error]).toStrictEqual([400, 'function_not_available']);
      }
      expect(webService.requestsTo(id).every(({ operation }) => operation === 'configuration')).toBe(true);
      expect(await readLedgerRows(id)).toStrictEqual([]);
    },
  );

  it.each(runFailures)('$id ends with the outcome $outcome and stores nothing', async ({ id, outcome, message }) => {
    await waitForDescription(id);
    await enable(pda, id);
    const reply = await pda.call('GET', `${FUNCTIONS}/${id}/trigger`);
    expect([reply.status, errorOf(reply).error]).toStrictEqual([502, outcome]);
    expectDisplayable(errorOf(reply).cause, message);

    expect(await statusOf(pda, id)).toStrictEqual({ available: true, enabled: true });
    const [run, ...otherRuns] = await runsOf(pda, id);
    expect(otherRuns).toStrictEqual([]);
    expect(run).toMatchObject({ outcome, recordsOut: 0, finished: expect.any(String) as string });
    expectDisplayable(run?.message, message);

    // Every request with input is in the access log, whatever the result.
    const processRequests = webService.requestsTo(id).filter(({ operation }) => operation === 'process');
    const rows = await readLedgerRows(id);
    expect(rows.map(({ bytes }) => bytes)).toEqual(expect.arrayContaining(processRequests.map(({ bytes }) => bytes)));
    // With a short deadline, the run may end before the input is sent.
    if (limitMs === LONG_DEADLINE_MS)
      expect([rows.length, processRequests.length]).toStrictEqual(id.endsWith('.process') ? [1, 1] : [0, 0]);
    for (const row of rows) expect(row).toMatchObject({ endpoints: ['data/in'], records: 2, fields: ['text'] });

    expect(await dataAt(pda, `made/${id}`)).toStrictEqual([]);
  });

  it('cannot redirect the PDA, store data or modify prototypes', async () => {
    expect(webService.unknownRequests()).toStrictEqual([]);
    expect(await dataAt(pda, 'data/in')).toHaveLength(2);
    expect({}).not.toHaveProperty('bad');
    const listReply = await pda.call('GET', FUNCTIONS);
    expect(listReply.status).toBe(200);
    expect(listReply.body.length).toBeLessThan(200_000);
  });
});

describe.skipIf(isPerlMissing)('a function in another language that does not respond', () => {
  const ID = 'stuck.process';
  beforeAll(() => start([ID]));
  afterAll(stop);

  it('blocks no other request, and is cancelled when it is disabled', async () => {
    await waitForDescription(ID);
    await enable(pda, ID);
    await store(pda, 'data/in', { text: 'one two' });
    const pendingReply = pda.call('GET', `${FUNCTIONS}/${ID}/trigger`);
    await expect.poll(() => webService.requestsTo(ID).map(({ operation }) => operation)).toContain('process');
    expect(await dataAt(pda, 'data/in')).toHaveLength(1);
    expect(await statusOf(pda, ID)).toMatchObject({ executionStarted: expect.any(String) as string });
    expect((await pda.call('GET', `${FUNCTIONS}/${ID}/disable`)).status).toBe(200);
    const reply = await pendingReply;
    expect([reply.status, errorOf(reply).error]).toStrictEqual([502, 'crashed']);
  });
});

describe.skipIf(isPerlMissing)('a function in another language with harmless deviations', () => {
  const IDS = [
    ...OPERATIONS.map((operation) => `as-a-page.${operation}`),
    'constructor.configuration',
    'constructor.process',
  ];
  beforeAll(() => start(IDS));
  afterAll(stop);

  it.each(IDS)('%s is accepted', async (id) => {
    await waitForDescription(id);
    await enable(pda, id);
    await store(pda, 'data/in', { text: 'four five six' });
    expect((await pda.call('GET', `${FUNCTIONS}/${id}/trigger`)).status).toBe(200);
    expect((await dataAt(pda, `made/${id}`)).at(-1)).toMatchObject({ words: 3 });
    expect({}).not.toHaveProperty('bad');
  });
});

describe.skipIf(isPerlMissing)('a function in another language that behaves correctly', () => {
  const [MANUAL_ID, INDIVIDUAL_ID, PERIODIC_ID, FLAKY_ID] = [
    'well..manual',
    'well..individual',
    'well..periodic',
    'flaky.process.individual',
  ];
  beforeAll(() => start([MANUAL_ID, INDIVIDUAL_ID, PERIODIC_ID, FLAKY_ID]));
  afterAll(stop);

  const outputOf = async (id: string): Promise<unknown[]> =>
    (await dataAt(pda, `made/${id}`)).map((data) => (data as { words: number }).words);
  const waitForOutput = (id: string, wordCounts: readonly number[]): Promise<unknown> =>
    expect.poll(() => outputOf(id), { interval: 20 }).toStrictEqual(wordCounts);

  it('saves nothing in a dry run, which sends its input only on request', async () => {
    await waitForDescription(MANUAL_ID);
    await store(pda, 'data/in', { text: 'Grüße "aus" \\u0041 𝄞', pin: 1 }, { pin: 2 });
    const dryRun = async (json: unknown) =>
      dryRunSchema.parse((await pda.call('POST', `${FUNCTIONS}/${MANUAL_ID}/dry-run`, { json })).json);
    const unsentRun = await dryRun({});
    expect(unsentRun).toMatchObject({ outcome: null, recordsIn: 2, records: [], output: null });
    expect(JSON.stringify(unsentRun.input)).not.toContain('"pin"');
    expect(webService.requestsTo(MANUAL_ID).map(({ operation }) => operation)).toStrictEqual([
      'configuration',
      'data-bundle',
    ]);
    expect(await readLedgerRows(MANUAL_ID)).toStrictEqual([]);
    const sentRun = await dryRun({ send: true });
    expect(sentRun).toMatchObject({ outcome: 'done', records: [{ data: { words: 4 } }, { data: { words: 0 } }] });
    expect(sentRun.bytesIn).toBe(webService.requestsTo(MANUAL_ID).at(-1)?.bytes);
    expect(await readLedgerRows(MANUAL_ID)).toHaveLength(1);
    expect(await outputOf(MANUAL_ID)).toStrictEqual([]);
    expect(await runsOf(pda, MANUAL_ID)).toStrictEqual([]);
  });

  it('is approved with the reviewed bundle, and runs on demand', async () => {
    await waitForDescription(MANUAL_ID);
    expect((await pda.call('GET', `${FUNCTIONS}/${MANUAL_ID}/trigger`)).status).toBe(400);
    const { configuration } = await ownerView(pda, MANUAL_ID);
    const reviewedVersion = { version: '1.0.0', dataBundle: configuration?.dataBundle };
    const approval = await pda.call('POST', `/api/v2.6/owner/functions/${MANUAL_ID}/enable`, { json: reviewedVersion });
    expect(approval.json).toMatchObject({ approved: reviewedVersion, nextRun: { kind: 'by hand' } });
    const triggerReply = await pda.call('GET', `${FUNCTIONS}/${MANUAL_ID}/trigger`);
    expect(triggerReply.json).toMatchObject({ status: { lastExecution: expect.any(String) as string } });
    expect(await outputOf(MANUAL_ID)).toStrictEqual([4, 0]);
    await store(pda, 'data/in', { text: 'just one more' });
    expect((await pda.call('GET', `${FUNCTIONS}/${MANUAL_ID}/trigger`)).status).toBe(200);
    expect(await outputOf(MANUAL_ID)).toStrictEqual([4, 0, 3]);
    const fromDates = webService.requestsTo(MANUAL_ID).flatMap(({ operation, path }) => {
      const { searchParams } = new URL(path, webService.base);
      if (operation !== 'data-bundle') return [];
      expect([...searchParams.keys()]).toStrictEqual(['fromDate', 'untilDate']);
      return [searchParams.get('fromDate')];
    });
    expect(fromDates.map((fromDate) => fromDate === '1970-01-01T00:00:00.000Z')).toStrictEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('can have its last run undone', async () => {
    const [lastRun] = await runsOf(pda, MANUAL_ID);
    expect((await pda.call('POST', `${FUNCTIONS}/${MANUAL_ID}/runs/${lastRun?.runId}/undo`)).status).toBe(200);
    expect(await outputOf(MANUAL_ID)).toStrictEqual([4, 0]);
    expect(await runsOf(pda, MANUAL_ID)).toMatchObject([{ undone: expect.any(String) as string }, { undone: null }]);
  });

  it('runs on new data, and processes each record once', async () => {
    await waitForDescription(INDIVIDUAL_ID);
    await enable(pda, INDIVIDUAL_ID);
    await store(pda, 'data/in', { text: 'a b c d e' });
    // The first run reads all existing records.
    await waitForOutput(INDIVIDUAL_ID, [4, 0, 3, 5]);
    await store(pda, 'data/in', { text: 'six' });
    await waitForOutput(INDIVIDUAL_ID, [4, 0, 3, 5, 1]);
    expect((await runsOf(pda, INDIVIDUAL_ID)).map(({ reason, outcome }) => [reason, outcome])).toStrictEqual([
      ['individual', 'done'],
      ['individual', 'done'],
    ]);
  });

  it('runs after its period if there is new data', async () => {
    await waitForDescription(PERIODIC_ID);
    await enable(pda, PERIODIC_ID);
    await store(pda, 'data/in', { text: 'on the first day' });
    await waitForOutput(PERIODIC_ID, [4, 0, 3, 5, 1, 4]);
    await store(pda, 'data/in', { text: 'later' });
    await expect
      .poll(() => ownerView(pda, PERIODIC_ID))
      .toMatchObject({ waiting: true, nextRun: { kind: 'at', onlyWithData: false } });
    expect(await outputOf(PERIODIC_ID)).toHaveLength(6);
    pda.clock.advance(86_400_000);
    await waitForOutput(PERIODIC_ID, [4, 0, 3, 5, 1, 4, 1]);
    expect((await runsOf(pda, PERIODIC_ID)).map(({ reason }) => reason)).toStrictEqual(['periodic', 'periodic']);
  });

  it('is retried after a failure, with an access log entry per attempt', async () => {
    await waitForDescription(FLAKY_ID);
    await enable(pda, FLAKY_ID);
    await store(pda, 'data/in', { text: 'try again' });
    await waitForOutput(FLAKY_ID, [4, 0, 3, 5, 1, 4, 1, 2]);
    expect((await runsOf(pda, FLAKY_ID)).map(({ reason, outcome }) => [reason, outcome])).toStrictEqual([
      ['retry', 'done'],
      ['retry', 'error'],
      ['individual', 'error'],
    ]);
    expect(await readLedgerRows(FLAKY_ID)).toHaveLength(3);
    expect(await ownerView(pda, FLAKY_ID)).toMatchObject({ failures: 0 });
  });
});
