import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { z } from 'zod';
import {
  functionConfigurationSchema,
  functionRunPageSchema,
  ownerFunctionSchema,
  type FunctionConfiguration,
  type FunctionRun,
  type FunctionTrigger,
  type OwnerFunction,
} from '../../wire/functions.ts';
import type { Bundle } from '../../wire/query.ts';
import { startTestPda, type TestPda, type TestPdaOptions } from '../../../tests/support/test-pda.ts';
import type { SchedulerTiming } from './scheduler/due-times.ts';
import type { FunctionHost, FunctionSession, Step, StepOutcome } from './runs/function-host.ts';

export const FAST_TIMING: Partial<SchedulerTiming> = {
  gatherMs: 20,
  gatherMaxMs: 60,
  pollMs: 40,
  backoff: [30, 60, 90],
};

export type FunctionInput = {
  functionConfiguration: FunctionConfiguration;
  request: { data: Record<string, { endpoint: string; recordId: string; data: unknown }[]> };
};

const functionInputSchema = z.looseObject({
  functionConfiguration: functionConfigurationSchema,
  request: z.strictObject({
    data: z.record(
      z.string(),
      z.array(z.strictObject({ endpoint: z.string(), recordId: z.uuid(), data: z.unknown() })),
    ),
  }),
});

/** A function implemented in the test. */
export type FakeFunction = {
  id: string;
  reads?: string[];
  writes?: string;
  trigger?: FunctionTrigger;
  version?: string;
  /** True if each run reads the whole bundle instead of only new records. */
  readsAll?: boolean;
  publishedBundle?: unknown;
  /** Returns the bundle that a run requests. */
  bundle?: (window: { fromDate?: string; untilDate: string }) => unknown;
  /** Returns the output data, or the complete output as text; throws FakeFailure to fail. */
  process?: (input: FunctionInput, signal: AbortSignal | undefined) => unknown;
};

export class FakeFailure extends Error {
  readonly outcome: Exclude<StepOutcome, 'done'>;
  constructor(outcome: Exclude<StepOutcome, 'done'>) {
    super(`the outcome is ${outcome}`);
    this.outcome = outcome;
  }
}

export const bundleOf = (endpoints: readonly string[]): Bundle =>
  Object.fromEntries(endpoints.map((endpoint, index) => [`p${index}`, { endpoints: [{ endpoint }] }]));

export const publishedConfigurationOf = ({
  id,
  reads = ['data/in'],
  trigger,
  publishedBundle,
  version = '1.0.0',
}: FakeFunction) => ({
  id,
  info: {
    version,
    versionReleaseDate: '2026-01-01T00:00:00.000Z',
    updateNotes: { header: 'First' },
    name: `The ${id}`,
    headline: 'Does something',
    description: { text: 'Does something with what is there.' },
    termsUrl: 'https://example.com/terms',
    supportContact: 'help@example.com',
    graphics: { banner: { normal: '' }, logo: { normal: '' }, screenshots: [] },
  },
  developer: { id: 'd', name: 'Dev', url: 'https://example.com' },
  trigger: trigger ?? { triggerType: 'individual' as const },
  dataBundle: publishedBundle ?? { name: id, bundle: bundleOf(reads) },
});

const writesOf = ({ id, writes }: FakeFunction): string => writes ?? `made/${id}`;

/** Fake functions, and a host that runs them and records the input of each run. */
export type FakeFunctions = {
  host: FunctionHost;
  set(fake: FakeFunction): void;
  /** Inputs by function id, in order. */
  readonly inputs: Map<string, FunctionInput[]>;
  readonly peakConcurrentRuns: number;
};

export const createFakeFunctions = (...fakeList: FakeFunction[]): FakeFunctions => {
  const fakesById = new Map(fakeList.map((fake) => [fake.id, fake]));
  const inputs = new Map<string, FunctionInput[]>();
  let runningCount = 0;
  let peakConcurrentRuns = 0;

  const open: FunctionHost['open'] = ({ id }, signal): FunctionSession => {
    const fake = fakesById.get(id);
    const startedAt = performance.now();
    const step = async (work: (fakeFunction: FakeFunction) => unknown): Promise<Step> => {
      const isStopped = (): boolean => signal?.aborted ?? false;
      if (isStopped()) return { outcome: 'crashed', message: 'stopped' };
      if (fake === undefined) return { outcome: 'error', message: 'there is no such function' };
      try {
        const value = await work(fake);
        if (isStopped()) return { outcome: 'crashed', message: 'stopped' };
        return { outcome: 'done', text: typeof value === 'string' ? value : JSON.stringify(value) };
      } catch (error) {
        if (error instanceof FakeFailure) return { outcome: error.outcome, message: error.message };
        throw error;
      }
    };
    return {
      configuration: () => step(publishedConfigurationOf),
      dataBundle: (window) =>
        step(
          (fakeFunction) =>
            fakeFunction.bundle?.(window) ?? { name: id, bundle: bundleOf(fakeFunction.reads ?? ['data/in']) },
        ),
      process: (text) =>
        step(async (fakeFunction) => {
          const request = functionInputSchema.parse(JSON.parse(text)) as FunctionInput;
          const earlierInputs = inputs.get(id) ?? [];
          inputs.set(id, [...earlierInputs, request]);
          runningCount += 1;
          peakConcurrentRuns = Math.max(peakConcurrentRuns, runningCount);
          try {
            const output = await (fakeFunction.process ?? (() => []))(request, signal);
            if (typeof output === 'string') return output;
            const [namespace = '', ...nameParts] = writesOf(fakeFunction).split('/');
            return [{ namespace, endpoint: nameParts.join('/'), data: output }];
          } finally {
            runningCount -= 1;
          }
        }),
      close: () =>
        Promise.resolve({
          peakMemoryBytes: 1_000_000,
          log: [`hello from ${id}`],
          durationMs: Math.round(performance.now() - startedAt),
        }),
    };
  };
  return {
    host: { open },
    set: (fake) => void fakesById.set(fake.id, fake),
    inputs,
    get peakConcurrentRuns() {
      return peakConcurrentRuns;
    },
  };
};

export const valuesIn = ({ request }: FunctionInput): unknown[] =>
  Object.values(request.data).flatMap((records) => records.map(({ data }) => data));

export const manifestFor = (fake: FakeFunction, members: Record<string, unknown> = {}): Record<string, unknown> => {
  const [namespace = '', ...nameParts] = writesOf(fake).split('/');
  return {
    id: fake.id,
    version: fake.version ?? '1.0.0',
    memoryMb: 128,
    timeoutMs: 10_000,
    namespace,
    endpoint: nameParts.join('/'),
    reads: (fake.readsAll ?? false) ? 'all' : 'new',
    ...members,
  };
};

const folders: string[] = [];
export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};
export const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-function-'));
  folders.push(folder);
  return folder;
};

/** Creates the folder of a package. A host of fake functions does not execute the module. */
export const createPackageFolder = (
  manifest: unknown,
  module = 'export const configuration = () => ({});\n',
  name = 'index.mjs',
): string => {
  const folder = createFolder();
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, name), module);
  return folder;
};

export const startWithFakes = (
  fakes: Pick<FakeFunctions, 'host'>,
  options: Omit<TestPdaOptions, 'functions'> = {},
): Promise<TestPda> => startTestPda({ ...options, functions: { host: fakes.host, timing: FAST_TIMING } });

export const install = (pda: TestPda, fake: FakeFunction): Promise<OwnerFunction> =>
  pda.pda.functions.install(createPackageFolder(manifestFor(fake)));

export const FUNCTIONS = '/api/v2.6/she/function';

export const enable = async (pda: TestPda, id: string): Promise<void> => {
  const reply = await pda.call('GET', `${FUNCTIONS}/${id}/enable`);
  if (reply.status !== 200) throw new Error(`${id} was not enabled: ${reply.text}`);
};

export const installAndEnable = async (pda: TestPda, ...fakeList: FakeFunction[]): Promise<void> => {
  for (const fake of fakeList) {
    await install(pda, fake);
    await enable(pda, fake.id);
  }
};

export const statusOf = async (pda: TestPda, id: string): Promise<FunctionConfiguration['status']> =>
  functionConfigurationSchema.parse((await pda.call('GET', `${FUNCTIONS}/${id}`)).json).status;

export const ownerView = async (pda: TestPda, id: string): Promise<OwnerFunction> =>
  ownerFunctionSchema.parse((await pda.call('GET', `/api/v2.6/owner/functions/${id}`)).json);

/** Returns up to 200 runs, newest first. */
export const runsOf = async (pda: TestPda, id: string): Promise<FunctionRun[]> =>
  functionRunPageSchema.parse((await pda.call('GET', `${FUNCTIONS}/${id}/runs?take=200`)).json).runs;

export const store = async (pda: TestPda, endpoint: string, ...values: unknown[]): Promise<void> => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values });
  if (reply.status !== 201) throw new Error(reply.text);
};

/** Function whose runs show `waitForScheduler` that the scheduler has run. */
export const MARKER: FakeFunction = { id: 'marker', reads: ['data/marker'] };

/** Waits for two runs of MARKER, which must be enabled. By then, the scheduler has started all due runs. */
export const waitForScheduler = async (pda: TestPda, fakes: FakeFunctions): Promise<void> => {
  const runs = (): number => fakes.inputs.get(MARKER.id)?.length ?? 0;
  for (const runCount of [runs(), runs() + 1]) {
    await store(pda, 'data/marker', runCount);
    await expect.poll(runs).toBeGreaterThan(runCount);
  }
};

/** Waits until none of these functions is running, is queued or has pending input. */
export const waitUntilIdle = async (pda: TestPda, ...ids: string[]): Promise<void> => {
  const isBusy = async (id: string): Promise<boolean> => {
    const { waiting, queued, configuration } = await ownerView(pda, id);
    return waiting || queued || configuration?.status.executionStarted !== undefined;
  };
  await expect.poll(async () => (await Promise.all(ids.map(isBusy))).includes(true)).toBe(false);
};
