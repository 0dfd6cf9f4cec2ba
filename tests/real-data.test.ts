import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInconsistencies } from './support/database-check.ts';
import { runInProcess } from './support/run-command.ts';
import {
  waitForImport,
  exportEndpoint,
  parseImportJob,
  readImportJob,
  startImport,
  uploadImport,
} from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import type { RunningPda } from './support/test-pda.ts';
import { newHome, pause, removeFolders } from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Imports public data sets, and compares the results with independent computations.

const DATA = join(import.meta.dirname, '../node_modules/vega-datasets/data');
const FLIGHTS = join(DATA, 'flights-200k.json');
const MOVIES = join(DATA, 'movies.json');

type Flight = { delay: number; distance: number; time: number };
type Movie = Record<string, string | number | null>;

const flightsText = readFileSync(FLIGHTS, 'utf8');
const flights = JSON.parse(flightsText) as Flight[];
/** The flights, one per line. The file is one array without spaces, and its elements are stored byte for byte. */
const flightLines = `${flightsText.trim().slice(1, -1).replaceAll('},{', '}\n{')}\n`;
/** Number of flights that are imported over HTTP. */
const HTTP_RECORDS = 80_000;
const httpLines = flightLines.split('\n').slice(0, HTTP_RECORDS);
const movies = JSON.parse(readFileSync(MOVIES, 'utf8')) as Movie[];

let home: string;
let server: RunningPda;

beforeAll(async () => {
  home = await newHome();
  const args = ['import', '--home', home, '--endpoint'];
  const [flightsImport, moviesImport] = [
    await runInProcess([...args, 'air/flights', FLIGHTS]),
    await runInProcess([...args, 'film/movies', MOVIES]),
  ];
  expect(flightsImport).toMatchObject({ code: 0, stdout: `${flights.length} added, 0 already present\n` });
  expect(moviesImport).toMatchObject({ code: 0, stdout: `${movies.length} added, 0 already present\n` });
  server = await openHome(home);
});
afterAll(async () => {
  await closeHomes();
  removeFolders();
});

const readCounts = async (): Promise<Record<string, number>> => {
  const list = (await server.call('GET', '/api/v2.6/owner/endpoints')).json as { endpoint: string; records: number }[];
  return Object.fromEntries(list.map(({ endpoint, records }) => [endpoint, records]));
};

type Records = { endpoint: string; data: Record<string, unknown> }[];
const queryCombinator = async (name: string, entries: unknown, query = 'take=1000000'): Promise<Records> => {
  expect((await server.call('PUT', `/api/v2.6/combinator/${name}`, { json: entries })).status).toBe(200);
  const reply = await server.call('GET', `/api/v2.6/combinator/${name}?${query}`);
  expect(reply.status).toBe(200);
  return reply.json as Records;
};

describe('flights and movies imported on the command line', () => {
  it('are complete, and the flights are exported as imported', async () => {
    expect(await readCounts()).toMatchObject({ 'air/flights': flights.length, 'film/movies': movies.length });
    expect((await exportEndpoint(server, 'air/flights')) === flightLines).toBe(true);
  });

  it('are exported as CSV that an independent parser reads (movies)', async () => {
    const columns = [...new Set(movies.flatMap((movie) => Object.keys(movie)))];
    const expected = movies.map((movie) => columns.map((column) => String(movie[column] ?? '')));
    const table = parse(await exportEndpoint(server, 'film/movies', 'csv'));
    expect(table[0]).toEqual(columns);
    // Cells that a spreadsheet would run as a formula begin with an apostrophe.
    const unescapedRows = table.slice(1).map((row) => row.map((cell) => cell.replace(/^'(?=[=+\-@])/u, '')));
    expect(unescapedRows).toEqual(expected);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'give the same results as a plain loop when filtered by number, list and word',
    async () => {
      const lateFilter = { field: 'delay', operator: { operator: 'between', lower: 99, upper: 200 } };
      const result = await queryCombinator('late', [{ endpoint: 'air/flights', filters: [lateFilter] }]);
      expect(result.map((record) => record.data)).toEqual(flights.filter(({ delay }) => delay > 99 && delay < 200));

      const genreFilter = { field: 'Major Genre', operator: { operator: 'in', value: ['Comedy', 'Drama'] } };
      const ratingFilter = { field: 'IMDB Rating', operator: { operator: 'between', lower: 7.5, upper: 10 } };
      const expected = movies.filter(
        (movie) =>
          ['Comedy', 'Drama'].includes(String(movie['Major Genre'])) && Number(movie['IMDB Rating'] ?? 0) > 7.5,
      );
      expect(expected.length).toBeGreaterThan(50);
      const filters = [genreFilter, ratingFilter];
      const goodMovies = await queryCombinator('good', [{ endpoint: 'film/movies', filters }]);
      expect(goodMovies.map((record) => record.data)).toEqual(expected);

      const wordFilter = {
        field: 'Title',
        transformation: { transformation: 'searchable' },
        operator: { operator: 'find', search: 'LOVE' },
      };
      const moviesWithWord = movies.filter(({ Title }) =>
        /(?<![\p{L}\p{N}])love(?![\p{L}\p{N}])/iu.test(String(Title)),
      );
      expect(
        (await queryCombinator('love', [{ endpoint: 'film/movies', filters: [wordFilter] }])).map(
          (record) => record.data,
        ),
      ).toEqual(moviesWithWord);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('are merged in a bundle, ordered by a field to which both are mapped', async () => {
    const bundle = {
      longest: {
        endpoints: [
          {
            endpoint: 'air/flights',
            mapping: { size: 'distance' },
            filters: [{ field: 'delay', operator: { operator: 'between', lower: 400, upper: 100_000 } }],
          },
          { endpoint: 'film/movies', mapping: { size: 'Running Time min', title: 'Title' } },
        ],
        orderBy: 'size',
        ordering: 'descending',
        limit: 500,
      },
    };
    const reply = await server.call('POST', '/api/v2.6/data-bundle/longest', { json: bundle });
    expect(reply.status).toBe(200);
    const sizes = (reply.json as { longest: Records }).longest.map(({ data }) => data['size'] ?? null);
    const expected = [
      ...flights.filter(({ delay }) => delay > 400).map(({ distance }) => distance),
      ...movies.map((movie) => movie['Running Time min'] ?? null),
    ]
      .filter((size) => typeof size === 'number')
      .toSorted((a, b) => b - a)
      .slice(0, 500);
    expect(sizes).toEqual(expected);
  });
});

describe('imports over HTTP', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'report their progress while other requests read, and add nothing when repeated',
    async () => {
      const content = Buffer.from(`[${httpLines.join(',')}]`);
      const { importId } = await uploadImport(server, 'flights.json', content, 2_000_000);
      const firstMovie = (await server.call('GET', '/api/v2.6/data/film/movies?take=1')).json as { recordId: string }[];
      const importRun = await startImport(server, importId, { endpoint: 'air/again', format: 'json' });
      expect(importRun.status).toBe(202);
      expect(parseImportJob(importRun)).toMatchObject({ state: 'running', endpoint: 'air/again' });

      const times: number[] = [];
      const progress: number[] = [];
      for (let isRunning = true; isRunning;) {
        const start = performance.now();
        const reply = await server.call('GET', `/api/v2.6/data-record/${firstMovie[0]?.recordId ?? ''}`);
        times.push(performance.now() - start);
        expect(reply.status).toBe(200);
        // Reads as often as a page would, not as fast as possible.
        await pause(5);
        if (times.length % 3 !== 0) continue;
        const job = await readImportJob(server, importId);
        progress.push(job.added);
        isRunning = job.state === 'running';
      }
      const sortedTimes = times.toSorted((a, b) => a - b);
      const percentile = (share: number): string =>
        (sortedTimes[Math.floor(sortedTimes.length * share)] ?? 0).toFixed(1);
      console.log(
        `${times.length} reads while ${HTTP_RECORDS} records were imported: p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, max ${percentile(1 - 1e-9)} ms`,
      );

      expect(await readImportJob(server, importId)).toMatchObject({
        state: 'done',
        added: HTTP_RECORDS,
        skipped: 0,
        error: null,
      });
      expect(progress).toEqual(progress.toSorted((a, b) => a - b));
      expect(new Set(progress).size, 'number of distinct progress values').toBeGreaterThan(2);
      expect(await readCounts()).toMatchObject({ 'air/flights': flights.length, 'air/again': HTTP_RECORDS });
      expect((await exportEndpoint(server, 'air/again')) === `${httpLines.join('\n')}\n`).toBe(true);

      const movieFile = readFileSync(MOVIES);
      for (const [endpoint, added] of [
        ['film/again', movies.length],
        ['film/again', 0],
        ['film/movies', 0],
      ] as const) {
        const movieImport = await uploadImport(server, 'movies.json', movieFile);
        await startImport(server, movieImport.importId, { endpoint, format: 'json' });
        const skipped = movies.length - added;
        expect(await waitForImport(server, movieImport.importId)).toMatchObject({ state: 'done', added, skipped });
      }
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});
