import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleIds, startSampler } from './reads-under-load.ts';
import type { Benchmark, Figure, Pda } from './support/context.ts';
import { runToCompletion } from './support/processes.ts';
import { median, percentile, two, formatRounded } from './support/stats.ts';

const RECORDS = 100;
const TIMES_NODE = 4;
const WITHIN_MS = 5000;
const TIMES_QUIET = 2;
const MEMORY_SHARE = 1.25;
const BOMB_MS = 3000;
const BOMB_ROUNDS = 5;
const POLL_MS = 10;

/** Test functions: input endpoint, trigger and code. */
const PACKAGES = {
  trivial: {
    reads: 'bench-functions/in',
    trigger: 'manual',
    process: `({ request }) => [{ namespace: 'bench-trivial', endpoint: 'out', data: request.data.all.map(({ data }) => ({ n: data.n })) }]`,
  },
  prompt: {
    reads: 'bench-functions/prompt',
    trigger: 'individual',
    process: `() => [{ namespace: 'bench-prompt', endpoint: 'out', data: [{ ran: true }] }]`,
  },
  loop: { reads: 'bench-functions/in', trigger: 'manual', process: `() => { for (;;); }` },
  hoard: {
    reads: 'bench-functions/in',
    trigger: 'manual',
    process: `() => { const all = new Map(); for (let n = 0; ; n += 1) all.set(n, { n, text: 'x'.repeat(50) + n }); }`,
  },
} as const;
type Name = keyof typeof PACKAGES;

/** Writes a package and installs it through the command line. */
const install = (home: string, folder: string, name: Name): void => {
  const { reads, trigger, process } = PACKAGES[name];
  const packageFolder = join(folder, name);
  const bundle = `{ name: 'bench-${name}', bundle: { all: { endpoints: [{ endpoint: '${reads}' }] } } }`;
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(
    join(packageFolder, 'manifest.json'),
    JSON.stringify({
      id: `bench-${name}`,
      version: '1.0.0',
      memoryMb: 128,
      timeoutMs: BOMB_MS,
      namespace: `bench-${name}`,
      endpoint: 'out',
      reads: 'all',
    }),
  );
  writeFileSync(
    join(packageFolder, 'function.js'),
    `const bundle = ${bundle};
export const configuration = () => ({
  id: 'bench-${name}',
  info: { version: '1.0.0', name: '${name}', headline: '', description: { text: '' } },
  trigger: { triggerType: '${trigger}' },
  dataBundle: bundle,
});
export const dataBundle = () => bundle;
export const process = ${process};
`,
  );
  runToCompletion('server/pda/cli/main.ts', ['function', 'install', packageFolder, '--home', home]);
};

const callApi = async (
  pda: Pda,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; text: string }> => {
  const response = await fetch(`${pda.url}/api/v2.6${path}`, {
    method,
    headers: { ...pda.headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
};
const callOrThrow = async (pda: Pda, method: string, path: string, body?: unknown): Promise<string> => {
  const { status, text } = await callApi(pda, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return text;
};

const measureNodeStart = (): number => {
  const begin = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - begin;
};

/** Measures the duration of a run, the delay after new data, and the effect of abusive functions on other requests. */
export const functions: Benchmark = async (context) => {
  await context.stopPda();
  for (const name of Object.keys(PACKAGES) as Name[]) install(context.home(), join(context.folder, 'functions'), name);
  const pda = await context.pda();
  const figures: Figure[] = [];
  for (const name of ['trivial', 'prompt', 'loop', 'hoard'])
    await callOrThrow(pda, 'GET', `/she/function/bench-${name}/enable`);
  await callOrThrow(
    pda,
    'POST',
    '/data/bench-functions/in',
    Array.from({ length: RECORDS }, (_, n) => ({ n, text: `record number ${n}` })),
  );

  const nodes: number[] = [];
  const runs: number[] = [];
  for (let round = -1; round < (context.quick ? 5 : 11); round += 1) {
    const node = measureNodeStart();
    const begin = performance.now();
    await callOrThrow(pda, 'GET', '/she/function/bench-trivial/trigger');
    const took = performance.now() - begin;
    if (round < 0) continue;
    nodes.push(node);
    runs.push(took);
  }
  figures.push({
    what: `One local run over ${RECORDS} records, start to saved (allowed: ${TIMES_NODE} × \`node -e 0\`)`,
    value: median(runs),
    target: TIMES_NODE * median(nodes),
    better: 'less',
    unit: 'ms',
    detail: `${runs.length} runs, ${formatRounded(Math.min(...runs))} to ${formatRounded(Math.max(...runs))} ms; \`node -e 0\` ${formatRounded(median(nodes))} ms`,
  });

  const begin = performance.now();
  await callOrThrow(pda, 'POST', '/data/bench-functions/prompt', [{ n: 1 }]);
  while ((await callOrThrow(pda, 'GET', '/data/bench-prompt/out')) === '[]') {
    if (performance.now() - begin > 10 * WITHIN_MS) throw new Error('the function was not run');
    await sleep(POLL_MS);
  }
  figures.push({
    what: 'From new data to what an `individual` function made of it',
    value: performance.now() - begin,
    target: WITHIN_MS,
    better: 'less',
    unit: 'ms',
    detail: 'one record, polled every 10 ms',
  });

  const sampler = startSampler(pda, sampleIds(context));
  try {
    for (const [name, code] of [
      ['loop', 'time'],
      ['hoard', 'memory'],
    ] as const) {
      const quiet: number[] = [];
      const during: number[] = [];
      let reads = 0;
      for (let round = 0; round < BOMB_ROUNDS; round += 1) {
        await sleep(1000);
        await sampler.take();
        await sleep(BOMB_MS);
        quiet.push(percentile(await sampler.take(), 0.99));
        const until = performance.now() + BOMB_MS;
        // Repeat short runs, because a 99th percentile needs enough reads.
        do {
          const { status, text } = await callApi(pda, 'GET', `/she/function/bench-${name}/trigger`);
          if (status !== 502 || !text.includes(`"${code}"`)) throw new Error(`bench-${name}: ${status} ${text}`);
        } while (performance.now() < until);
        const samples = await sampler.take();
        reads += samples.length;
        during.push(percentile(samples, 0.99));
      }
      // Values below a millisecond are indistinguishable from the jitter of the sampler.
      const ratios = during.map((ms, round) => ms / Math.max(1, quiet[round] ?? 1));
      figures.push({
        what: `p99 of a single-record GET while a function ${name === 'loop' ? 'loops' : 'hoards memory'}, against quiet`,
        value: median(ratios),
        target: TIMES_QUIET,
        better: 'less',
        unit: 'ratio',
        detail:
          `${formatRounded(reads)} reads; ${ratios.map(two).join(', ')} in ${BOMB_ROUNDS} rounds that took turns, ` +
          `p99 ${two(median(during))} ms; quiet ${two(median(quiet))} ms`,
      });
    }
  } finally {
    sampler.stop();
  }
  const { runs: history } = JSON.parse(await callOrThrow(pda, 'GET', '/she/function/bench-hoard/runs')) as {
    runs: { peakMemoryBytes: number | null }[];
  };
  const peak = Math.max(...history.map(({ peakMemoryBytes }) => peakMemoryBytes ?? 0));
  figures.push({
    what: `Most memory of a function that hoards, its whole process (allowed: ${MEMORY_SHARE} × 128 MB)`,
    value: peak / 1_000_000,
    target: (MEMORY_SHARE * 128 * 1024 * 1024) / 1_000_000,
    better: 'less',
    unit: 'MB',
    detail: 'as measured by the watchdog',
  });
  for (const name of Object.keys(PACKAGES)) await callOrThrow(pda, 'GET', `/she/function/bench-${name}/disable`);
  return figures;
};
