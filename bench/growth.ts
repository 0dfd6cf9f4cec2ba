import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { picture, type Curve } from './growth/picture.ts';
import { NAME, PASSWORD, signIn } from './support/context.ts';
import { waitForIndexes } from './support/database.ts';
import { runToCompletion, start, type BenchmarkProcess } from './support/processes.ts';
import { ENDPOINTS } from './support/records.ts';
import { median, formatRounded } from './support/stats.ts';

/**
 * npm run bench:growth -- [--most N] [--out FOLDER]
 *
 * Measures an account while it grows from ten thousand to ten million records (`--most`). Writes performance.md and its
 * chart into docs/ (`--out`).
 */

const ROOT = dirname(import.meta.dirname);
const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const CALLS = 200;
const STARTS = 5;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({ options: { most: { type: 'string' }, out: { type: 'string' } } });
const most = Number(values.most ?? SIZES.at(-1));
const out = values.out ?? join(ROOT, 'docs');

type Row = {
  records: number;
  /** Inserted records per second, with both indexes maintained, among the records that this size added. */
  inserted: number;
  /** Milliseconds, medians. */
  latest: number;
  deep: number;
  between: number;
  search: number;
  startMs: number;
  /** Resident bytes after these measurements. */
  memory: number;
};

const COMBINATORS: Readonly<Record<string, unknown>> = {
  'growth-between': { field: 'n', operator: { operator: 'between', lower: 4999, upper: 5001 } },
  'growth-search': {
    field: 'place',
    transformation: { transformation: 'searchable' },
    operator: { operator: 'find', search: '17' },
  },
};

/** Registers the combinators in the empty home, so that the indexes exist from the first record on. */
const register = async (home: string): Promise<void> => {
  const server = await start('server/pda/cli/main.ts', ['serve', '--home', home]);
  const headers = { 'x-auth-token': await signIn(server.url) };

  for (const [name, filter] of Object.entries(COMBINATORS)) {
    const response = await fetch(`${server.url}/api/v2.6/combinator/${name}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify([{ endpoint: ENDPOINTS.large, filters: [filter] }]),
    });
    if (!response.ok) throw new Error(`combinator: ${response.status} ${await response.text()}`);
  }
  await server.stop();
};

/** Returns the median milliseconds of sequential calls after a warm-up. */
const measureCalls = async (url: string, headers: Record<string, string>, records: number): Promise<number> => {
  const took: number[] = [];
  for (let call = -10; call < CALLS; call += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    const rows: unknown = await response.json();
    if (!response.ok || !Array.isArray(rows) || rows.length !== records)
      throw new Error(`${url}: ${response.status}, ${Array.isArray(rows) ? rows.length : 'no'} records of ${records}`);
    if (call >= 0) took.push(performance.now() - startedAt);
  }
  return median(took);
};

const startOnce = async (home: string): Promise<{ server: BenchmarkProcess; ms: number }> => {
  const startedAt = performance.now();
  const server = await start('server/pda/cli/main.ts', ['serve', '--home', home]);
  const response = await fetch(`${server.url}/healthz`);
  await response.arrayBuffer();
  return { server, ms: performance.now() - startedAt };
};

const measureAt = async (home: string, records: number, inserted: number): Promise<Row> => {
  const starts: number[] = [];
  for (let turn = 0; turn < STARTS; turn += 1) {
    const { server, ms } = await startOnce(home);
    starts.push(ms);
    await server.stop();
  }
  const { server } = await startOnce(home);
  try {
    const headers = { 'x-auth-token': await signIn(server.url) };
    await waitForIndexes(home, Object.keys(COMBINATORS).length);
    const data = `${server.url}/api/v2.6/data/${ENDPOINTS.large}?take=100&ordering=descending`;
    const combinator = `${server.url}/api/v2.6/combinator`;
    return {
      records,
      inserted,
      latest: await measureCalls(data, headers, 100),
      deep: await measureCalls(`${data}&skip=${records / 2}`, headers, 100),
      between: await measureCalls(`${combinator}/growth-between`, headers, 1),
      search: await measureCalls(`${combinator}/growth-search?take=20`, headers, 20),
      startMs: median(starts),
      memory: server.rss(),
    };
  } finally {
    await server.stop();
  }
};

const curvesOf = (rows: readonly Row[]): readonly Curve[] => {
  const curve = (title: string, unit: string, value: (row: Row) => number): Curve => ({
    title,
    unit,
    points: rows.map((row) => [row.records, value(row)]),
  });
  return [
    curve('Insert, 1,000 at once', 'records/s', ({ inserted }) => inserted),
    curve('Read the newest 100', 'ms', ({ latest }) => latest),
    curve('Read 100 from the middle', 'ms', ({ deep }) => deep),
    curve('Filter, between', 'ms', ({ between }) => between),
    curve('Search, newest 20', 'ms', ({ search }) => search),
    curve('Start to first response', 'ms', ({ startMs }) => startMs),
    curve('Memory after all of it', 'MB', ({ memory }) => memory / MEGABYTE),
  ];
};

const page = (rows: readonly Row[]): string => {
  const ms = (value: number): string => value.toFixed(2);
  return [
    '# How it grows',
    '',
    'Written by `npm run bench:growth`; do not edit. One account is filled with records of 200 bytes at one endpoint. Two registered combinators',
    '(`between` and `find`) maintain two indexes. Calls are sequential; values are medians of 200. Absolute values depend on the machine. `newest 100` and',
    '`between` stay nearly constant; `find` grows with the number of matching records. The first deep page of an endpoint counts the records before it in',
    'steps of 10,000, between which other requests are served; later pages start from the stored counts. Ratios to the bare stack are in',
    '[bench/RESULTS.md](../bench/RESULTS.md).',
    '',
    '![Curves over the number of records](pictures/growth.svg)',
    '',
    '| records | inserted/s | newest 100 | 100 from the middle | `between` | `find` | start | memory |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${formatRounded(row.records)} | ${formatRounded(row.inserted)} | ${ms(row.latest)} ms | ${ms(row.deep)} ms | ${ms(row.between)} ms | ${ms(row.search)} ms | ${formatRounded(row.startMs)} ms | ${formatRounded(row.memory / MEGABYTE)} MB |`,
    ),
    '',
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}.`,
    '',
  ].join('\n');
};

const folder = mkdtempSync(join(tmpdir(), 'pda-growth-'));
try {
  const home = join(folder, 'home');
  runToCompletion('bench/growth/grow-home.ts', [home, NAME, PASSWORD]);
  await register(home);
  const rows: Row[] = [];
  let filled = 0;
  for (const size of SIZES.filter((records) => records <= most)) {
    const output = runToCompletion('bench/growth/grow-home.ts', [home, NAME, PASSWORD, String(filled), String(size)]);
    const { seconds } = JSON.parse(output) as { seconds: number };
    const row = await measureAt(home, size, (size - filled) / seconds);
    process.stdout.write(`${JSON.stringify(row)}\n`);
    rows.push(row);
    filled = size;
  }
  mkdirSync(join(out, 'pictures'), { recursive: true });
  writeFileSync(join(out, 'performance.md'), page(rows));
  writeFileSync(join(out, 'pictures/growth.svg'), picture(curvesOf(rows)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
