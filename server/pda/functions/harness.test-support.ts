import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
import type { Pace } from './scheduler/due-times.ts';
import type { FunctionHost, FunctionSession, Outcome, Step } from './runs/function-host.ts';

/** What the engine waits for is a matter of milliseconds here. */
export const QUICK: Partial<Pace> = { gather: 20, gatherAtMost: 60, look: 40, backoff: [30, 60, 90] };

export type Given = {
  functionConfiguration: FunctionConfiguration;
  request: { data: Record<string, { endpoint: string; recordId: string; data: unknown }[]> };
};

const givenSchema = z.looseObject({
  functionConfiguration: functionConfigurationSchema,
  request: z.strictObject({
    data: z.record(
      z.string(),
      z.array(z.strictObject({ endpoint: z.string(), recordId: z.uuid(), data: z.unknown() })),
    ),
  }),
});

/** A function that lives in the test. */
export type Played = {
  id: string;
  reads?: string[];
  writes?: string;
  trigger?: FunctionTrigger;
  version?: string;
  all?: boolean;
  /** The bundle that it publishes. */
  published?: unknown;
  bundle?: (window: { fromDate?: string; untilDate: string }) => unknown;
  /** The data that it answers; or the whole answer as text; or how it fails. */
  process?: (given: Given, signal: AbortSignal | undefined) => unknown;
};

export class Fails extends Error {
  readonly outcome: Exclude<Outcome, 'done'>;
  constructor(outcome: Exclude<Outcome, 'done'>) {
    super(`it is ${outcome}`);
    this.outcome = outcome;
  }
}

export const bundleOf = (endpoints: readonly string[]): Bundle =>
  Object.fromEntries(endpoints.map((endpoint, index) => [`p${index}`, { endpoints: [{ endpoint }] }]));

export const publishedBy = ({ id, reads = ['data/in'], trigger, published, version = '1.0.0' }: Played) => ({
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
  dataBundle: published ?? { name: id, bundle: bundleOf(reads) },
});

export const writesOf = ({ id, writes }: Played): string => writes ?? `made/${id}`;

/** Everything that a played function was given, run by run. */
export type Stage = {
  host: FunctionHost;
  play(played: Played): void;
  /** By function, in order. */
  readonly given: Map<string, Given[]>;
  /** How many ran at once at most. */
  readonly mostAtOnce: number;
};

export const createStage = (...cast: Played[]): Stage => {
  const all = new Map(cast.map((played) => [played.id, played]));
  const given = new Map<string, Given[]>();
  let now = 0;
  let most = 0;

  const open: FunctionHost['open'] = ({ id }, signal): FunctionSession => {
    const played = all.get(id);
    const begun = performance.now();
    const step = async (work: (one: Played) => unknown): Promise<Step> => {
      const isStopped = (): boolean => signal?.aborted ?? false;
      if (isStopped()) return { outcome: 'crashed', message: 'stopped' };
      if (played === undefined) return { outcome: 'error', message: 'there is no such function' };
      try {
        const value = await work(played);
        if (isStopped()) return { outcome: 'crashed', message: 'stopped' };
        return { outcome: 'done', text: typeof value === 'string' ? value : JSON.stringify(value) };
      } catch (error) {
        if (error instanceof Fails) return { outcome: error.outcome, message: error.message };
        throw error;
      }
    };
    return {
      configuration: () => step(publishedBy),
      dataBundle: (window) =>
        step((one) => one.bundle?.(window) ?? { name: id, bundle: bundleOf(one.reads ?? ['data/in']) }),
      process: (text) =>
        step(async (one) => {
          const request = givenSchema.parse(JSON.parse(text)) as Given;
          const known = given.get(id) ?? [];
          given.set(id, [...known, request]);
          now += 1;
          most = Math.max(most, now);
          try {
            const answer = await (one.process ?? (() => []))(request, signal);
            if (typeof answer === 'string') return answer;
            const [namespace = '', ...rest] = writesOf(one).split('/');
            return [{ namespace, endpoint: rest.join('/'), data: answer }];
          } finally {
            now -= 1;
          }
        }),
      close: () =>
        Promise.resolve({
          peakMemoryBytes: 1_000_000,
          log: [`hello of ${id}`],
          durationMs: Math.round(performance.now() - begun),
        }),
    };
  };
  return {
    host: { open },
    play: (played) => void all.set(played.id, played),
    given,
    get mostAtOnce() {
      return most;
    },
  };
};

/** Values of all records that a run got. */
export const valuesIn = ({ request }: Given): unknown[] =>
  Object.values(request.data).flatMap((records) => records.map(({ data }) => data));

export const manifestFor = (played: Played, more: Record<string, unknown> = {}): Record<string, unknown> => {
  const [namespace = '', ...rest] = writesOf(played).split('/');
  return {
    id: played.id,
    version: played.version ?? '1.0.0',
    memoryMb: 128,
    timeoutMs: 10_000,
    namespace,
    endpoint: rest.join('/'),
    reads: (played.all ?? false) ? 'all' : 'new',
    ...more,
  };
};

const folders: string[] = [];
export const removeFolders = (): void => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
};
export const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'pda-function-'));
  folders.push(folder);
  return folder;
};

/** A package folder; its module is not what runs where a stage stands in. */
export const packageFolder = (
  manifest: unknown,
  module = 'export const configuration = () => ({});\n',
  name = 'index.mjs',
): string => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, name), module);
  return folder;
};

/** A PDA whose functions are played on this stage, and that waits for nothing long. */
export const startWithStage = (
  stage: Pick<Stage, 'host'>,
  options: Omit<TestPdaOptions, 'functions'> = {},
): Promise<TestPda> => startTestPda({ ...options, functions: { host: stage.host, pace: QUICK } });

export const install = (pda: TestPda, played: Played): Promise<OwnerFunction> =>
  pda.pda.functions.install(packageFolder(manifestFor(played)));

export const FUNCTIONS = '/api/v2.6/she/function';

export const enable = async (pda: TestPda, id: string): Promise<void> => {
  const reply = await pda.call('GET', `${FUNCTIONS}/${id}/enable`);
  if (reply.status !== 200) throw new Error(`${id} was not enabled: ${reply.text}`);
};

export const installAndEnable = async (pda: TestPda, ...cast: Played[]): Promise<void> => {
  for (const played of cast) {
    await install(pda, played);
    await enable(pda, played.id);
  }
};

export const statusOf = async (pda: TestPda, id: string): Promise<FunctionConfiguration['status']> =>
  functionConfigurationSchema.parse((await pda.call('GET', `${FUNCTIONS}/${id}`)).json).status;

export const ownerView = async (pda: TestPda, id: string): Promise<OwnerFunction> =>
  ownerFunctionSchema.parse((await pda.call('GET', `/api/v2.6/owner/functions/${id}`)).json);

/** Newest first. */
export const runsOf = async (pda: TestPda, id: string): Promise<FunctionRun[]> =>
  functionRunPageSchema.parse((await pda.call('GET', `${FUNCTIONS}/${id}/runs?take=200`)).json).runs;

export const store = async (pda: TestPda, endpoint: string, ...values: unknown[]): Promise<void> => {
  const reply = await pda.call('POST', `/api/v2.6/data/${endpoint}`, { json: values });
  if (reply.status !== 201) throw new Error(reply.text);
};

/** A function by which `looked` sees that the engine has looked at all functions. */
export const MARKER: Played = { id: 'marker', reads: ['data/marker'] };

/** Waits until the engine, which plays and has enabled MARKER, has looked at all functions twice: whatever was due has begun. */
export const looked = async (pda: TestPda, stage: Stage): Promise<void> => {
  const runs = (): number => stage.given.get(MARKER.id)?.length ?? 0;
  for (const before of [runs(), runs() + 1]) {
    await store(pda, 'data/marker', before);
    await expect.poll(runs).toBeGreaterThan(before);
  }
};

/** Waits until none of these functions runs, is queued or has something to run for. */
export const settled = async (pda: TestPda, ...ids: string[]): Promise<void> => {
  const isBusy = async (id: string): Promise<boolean> => {
    const { waiting, queued, configuration } = await ownerView(pda, id);
    return waiting || queued || configuration?.status.executionStarted !== undefined;
  };
  await expect.poll(async () => (await Promise.all(ids.map(isBusy))).includes(true)).toBe(false);
};
