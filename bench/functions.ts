import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSampler } from './reads-under-load.ts';
import type { Benchmark, Figure } from './support/context.ts';
import { call, callJson } from './support/pda.ts';
import { runToCompletion } from './support/processes.ts';
import { median, percentile, toFixed2, formatRounded } from './support/stats.ts';

const RECORDS = 100;
/** Maximum duration of a run, as a multiple of the time that bare Node takes to start. */
const MAX_NODE_STARTS = 4;
const MAX_DELAY_MS = 5000;
const MAX_IDLE_RATIO = 2;
const MEMORY_LIMIT_MIB = 128;
const MAX_MEMORY_RATIO = 1.25;
const ABUSE_MS = 3000;
const ABUSE_ROUNDS = 5;
const POLL_MS = 10;

const PACKAGES = {
  trivial: {
    reads: 'bench-functions/in',
    trigger: 'manual',
    processSource: `({ request }) => [{ namespace: 'bench-trivial', endpoint: 'out', data: request.data.all.map(({ data }) => ({ n: data.n })) }]`,
  },
  individual: {
    reads: 'bench-functions/individual',
    trigger: 'individual',
    processSource: `() => [{ namespace: 'bench-individual', endpoint: 'out', data: [{ ran: true }] }]`,
  },
  loop: { reads: 'bench-functions/in', trigger: 'manual', processSource: `() => { for (;;); }` },
  allocate: {
    reads: 'bench-functions/in',
    trigger: 'manual',
    processSource: `() => { const all = new Map(); for (let n = 0; ; n += 1) all.set(n, { n, text: 'x'.repeat(50) + n }); }`,
  },
} as const;
type FunctionName = keyof typeof PACKAGES;

const installFunction = (home: string, folder: string, name: FunctionName): void => {
  const { reads, trigger, processSource } = PACKAGES[name];
  const packageFolder = join(folder, name);
  const bundle = `{ name: 'bench-${name}', bundle: { all: { endpoints: [{ endpoint: '${reads}' }] } } }`;
  mkdirSync(packageFolder, { recursive: true });
  writeFileSync(
    join(packageFolder, 'manifest.json'),
    JSON.stringify({
      id: `bench-${name}`,
      version: '1.0.0',
      memoryMb: MEMORY_LIMIT_MIB,
      timeoutMs: ABUSE_MS,
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
export const process = ${processSource};
`,
  );
  runToCompletion('server/pda/cli/main.js', ['function', 'install', packageFolder, '--home', home]);
};

const measureNodeStart = (): number => {
  const startedAt = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedAt;
};

export const functions: Benchmark = async (context) => {
  await context.stopPda();
  for (const name of Object.keys(PACKAGES) as FunctionName[])
    installFunction(context.prepareHome(), join(context.folder, 'functions'), name);
  const pda = await context.startPda();
  const figures: Figure[] = [];
  for (const name of ['trivial', 'individual', 'loop', 'allocate'])
    await call(pda, 'GET', `she/function/bench-${name}/enable`);
  await call(
    pda,
    'POST',
    'data/bench-functions/in',
    Array.from({ length: RECORDS }, (_, n) => ({ n, text: `record number ${n}` })),
  );

  const nodeStartMs: number[] = [];
  const runTimes: number[] = [];
  for (let round = -1; round < (context.quick ? 5 : 11); round += 1) {
    const nodeMs = measureNodeStart();
    const startedAt = performance.now();
    await call(pda, 'GET', 'she/function/bench-trivial/trigger');
    const runMs = performance.now() - startedAt;
    if (round < 0) continue;
    nodeStartMs.push(nodeMs);
    runTimes.push(runMs);
  }
  figures.push({
    label: `One local run over ${RECORDS} records, from start to stored output (allowed: ${MAX_NODE_STARTS} × \`node -e 0\`)`,
    value: median(runTimes),
    target: MAX_NODE_STARTS * median(nodeStartMs),
    better: 'less',
    unit: 'ms',
    detail: `${runTimes.length} runs, ${formatRounded(Math.min(...runTimes))} to ${formatRounded(Math.max(...runTimes))} ms; \`node -e 0\` ${formatRounded(median(nodeStartMs))} ms`,
  });

  const postedAt = performance.now();
  await call(pda, 'POST', 'data/bench-functions/individual', [{ n: 1 }]);
  while ((await call(pda, 'GET', 'data/bench-individual/out')) === '[]') {
    if (performance.now() - postedAt > 10 * MAX_DELAY_MS) throw new Error('the function did not run');
    await sleep(POLL_MS);
  }
  figures.push({
    label: 'From new data to the output of an `individual` function',
    value: performance.now() - postedAt,
    target: MAX_DELAY_MS,
    better: 'less',
    unit: 'ms',
    detail: 'one record, polled every 10 ms',
  });

  const sampler = startSampler(pda, context);
  try {
    for (const [name, code] of [
      ['loop', 'time'],
      ['allocate', 'memory'],
    ] as const) {
      const idleP99: number[] = [];
      const abuseP99: number[] = [];
      let readCount = 0;
      for (let round = 0; round < ABUSE_ROUNDS; round += 1) {
        await sleep(1000);
        await sampler.take();
        await sleep(ABUSE_MS);
        idleP99.push(percentile(await sampler.take(), 0.99));
        const deadline = performance.now() + ABUSE_MS;
        // Short runs are repeated, because a 99th percentile needs enough reads.
        do {
          const triggerUrl = `${pda.url}/api/v2.6/she/function/bench-${name}/trigger`;
          const response = await fetch(triggerUrl, { headers: pda.headers });
          const text = await response.text();
          if (response.status !== 502 || !text.includes(`"${code}"`))
            throw new Error(`bench-${name}: ${response.status} ${text}`);
        } while (performance.now() < deadline);
        const samples = await sampler.take();
        readCount += samples.length;
        abuseP99.push(percentile(samples, 0.99));
      }
      // Values below a millisecond are indistinguishable from the sampler's jitter.
      const ratios = abuseP99.map((ms, round) => ms / Math.max(1, idleP99[round] ?? 1));
      figures.push({
        label: `p99 of a single-record GET while a function ${name === 'loop' ? 'loops' : 'allocates memory without limit'}, compared with idle`,
        value: median(ratios),
        target: MAX_IDLE_RATIO,
        better: 'less',
        unit: 'ratio',
        detail:
          `${formatRounded(readCount)} reads; ${ratios.map(toFixed2).join(', ')} in ${ABUSE_ROUNDS} alternating rounds, ` +
          `p99 ${toFixed2(median(abuseP99))} ms; idle ${toFixed2(median(idleP99))} ms`,
      });
    }
  } finally {
    sampler.stop();
  }
  const { runs: history } = await callJson<{ runs: { peakMemoryBytes: number | null }[] }>(
    pda,
    'GET',
    'she/function/bench-allocate/runs',
  );
  const peak = Math.max(...history.map(({ peakMemoryBytes }) => peakMemoryBytes ?? 0));
  figures.push({
    label: `Peak memory of the process of a function that allocates without limit (allowed: ${MAX_MEMORY_RATIO} × ${MEMORY_LIMIT_MIB} MiB)`,
    value: peak / 1_000_000,
    target: (MAX_MEMORY_RATIO * MEMORY_LIMIT_MIB * 1024 * 1024) / 1_000_000,
    better: 'less',
    unit: 'MB',
    detail: 'as measured by the watchdog',
  });
  for (const name of Object.keys(PACKAGES)) await call(pda, 'GET', `she/function/bench-${name}/disable`);
  return figures;
};
