import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { renderCharts, type Curve } from './growth/picture.ts';
import { waitForIndexes } from './support/database.ts';
import { call, fillHome, serveHome, signIn, startAndMeasure } from './support/pda.ts';
import { ROOT } from './support/processes.ts';
import { ENDPOINTS } from './support/records.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

// npm run bench:growth -- [--max-records N] [--out FOLDER]
//
// Measures an account with each number of records in `SIZES`, up to N. Updates the table of docs/performance.md and its
// charts (docs/pictures/growth.svg); with --out, writes both files below FOLDER instead.

const SIZES = [10_000, 100_000, 1_000_000, 10_000_000];
const CALL_COUNT = 200;
const WARM_UP_CALLS = 10;
const STARTS = 5;
const MEGABYTE = 1_000_000;

const { values } = parseArgs({ options: { 'max-records': { type: 'string' }, out: { type: 'string' } } });
const maxRecords = Number(values['max-records'] ?? SIZES.at(-1));
const outFolder = values.out ?? join(ROOT, 'docs');

/** Measurements of one account size. Durations are medians, of calls or of starts. */
type Row = {
  records: number;
  insertedPerSecond: number;
  latestMs: number;
  deepMs: number;
  betweenMs: number;
  searchMs: number;
  startMs: number;
  memoryBytes: number;
};

/** The filter of each combinator, by the combinator's name. */
const COMBINATOR_FILTERS: Readonly<Record<string, unknown>> = {
  'growth-between': { field: 'n', operator: { operator: 'between', lower: 4999, upper: 5001 } },
  'growth-search': {
    field: 'place',
    transformation: { transformation: 'searchable' },
    operator: { operator: 'find', search: '17' },
  },
};

/** Registers the combinators before the first record, so that inserts maintain their indexes. */
const registerCombinators = async (home: string): Promise<void> => {
  const pda = await serveHome(home);
  for (const [name, filter] of Object.entries(COMBINATOR_FILTERS))
    await call(pda, 'PUT', `combinator/${name}`, [{ endpoint: ENDPOINTS.large, filters: [filter] }]);
  await pda.stop();
};

const measureCalls = async (url: string, headers: Record<string, string>, expectedCount: number): Promise<number> => {
  const durations: number[] = [];
  for (let index = -WARM_UP_CALLS; index < CALL_COUNT; index += 1) {
    const startedAt = performance.now();
    const response = await fetch(url, { headers });
    const rows: unknown = await response.json();
    if (!response.ok || !Array.isArray(rows) || rows.length !== expectedCount)
      throw new Error(
        `${url}: ${response.status}, ${Array.isArray(rows) ? rows.length : 'no'} records instead of ${expectedCount}`,
      );
    if (index >= 0) durations.push(performance.now() - startedAt);
  }
  return median(durations);
};

const measureAt = async (home: string, records: number, insertedPerSecond: number): Promise<Row> => {
  const starts: number[] = [];
  for (let round = 0; round < STARTS; round += 1) {
    const { server, ms } = await startAndMeasure(home);
    starts.push(ms);
    await server.stop();
  }
  const { server } = await startAndMeasure(home);
  try {
    const headers = await signIn(server.url);
    await waitForIndexes(home, Object.keys(COMBINATOR_FILTERS).length);
    const dataUrl = `${server.url}/api/v2.6/data/${ENDPOINTS.large}?take=100&ordering=descending`;
    const combinatorUrl = `${server.url}/api/v2.6/combinator`;
    return {
      records,
      insertedPerSecond,
      latestMs: await measureCalls(dataUrl, headers, 100),
      deepMs: await measureCalls(`${dataUrl}&skip=${records / 2}`, headers, 100),
      betweenMs: await measureCalls(`${combinatorUrl}/growth-between`, headers, 1),
      searchMs: await measureCalls(`${combinatorUrl}/growth-search?take=20`, headers, 20),
      startMs: median(starts),
      memoryBytes: server.rss(),
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
    curve('Insert, batches of 1,000', 'records/s', ({ insertedPerSecond }) => insertedPerSecond),
    curve('Read the newest 100', 'ms', ({ latestMs }) => latestMs),
    curve('Read 100 from the middle', 'ms', ({ deepMs }) => deepMs),
    curve('Filter, between', 'ms', ({ betweenMs }) => betweenMs),
    curve('Search, oldest 20', 'ms', ({ searchMs }) => searchMs),
    curve('Start to first response', 'ms', ({ startMs }) => startMs),
    curve('Memory after all measurements', 'MB', ({ memoryBytes }) => memoryBytes / MEGABYTE),
  ];
};

const renderTable = (rows: readonly Row[]): string =>
  [
    '| records | inserted/s | newest 100 | 100 from the middle | `between` | `find` | start | memory |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map(
      (row) =>
        `| ${formatRounded(row.records)} | ${formatRounded(row.insertedPerSecond)} | ${toFixed2(row.latestMs)} ms | ${toFixed2(row.deepMs)} ms | ${toFixed2(row.betweenMs)} ms | ${toFixed2(row.searchMs)} ms | ${formatRounded(row.startMs)} ms | ${formatRounded(row.memoryBytes / MEGABYTE)} MB |`,
    ),
    '',
    `${new Date().toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}, Node ${process.versions.node}.`,
  ].join('\n');

/** The table and the line below it. The rest of the page is written by hand. */
const TABLE = /^\| records \|[\s\S]+?, Node [\d.]+\.$/mu;

const withTable = (page: string, rows: readonly Row[]): string => {
  if (!TABLE.test(page)) throw new Error('docs/performance.md does not contain the table of measurements');
  return page.replace(TABLE, () => renderTable(rows));
};

const folder = mkdtempSync(join(tmpdir(), 'pda-growth-'));
try {
  const home = join(folder, 'home');
  fillHome(home, 0, 0, []);
  await registerCombinators(home);
  const rows: Row[] = [];
  let recordCount = 0;
  for (const size of SIZES.filter((records) => records <= maxRecords)) {
    const seconds = fillHome(home, recordCount, size, [ENDPOINTS.large]);
    const row = await measureAt(home, size, (size - recordCount) / seconds);
    process.stdout.write(`${JSON.stringify(row)}\n`);
    rows.push(row);
    recordCount = size;
  }
  mkdirSync(join(outFolder, 'pictures'), { recursive: true });
  const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
  writeFileSync(join(outFolder, 'performance.md'), withTable(page, rows));
  writeFileSync(join(outFolder, 'pictures/growth.svg'), renderCharts(curvesOf(rows)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
