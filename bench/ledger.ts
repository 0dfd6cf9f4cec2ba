import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { signIn, NAME, PASSWORD, type Benchmark, type Figure } from './support/context.ts';
import { APPLICATIONS, CONTRACTS, DEBITS, HIDDEN_RECORDS, RARE_APPLICATION } from './support/ledger-rows.ts';
import { runToCompletion, startProcess } from './support/processes.ts';
import { ENDPOINTS } from './support/records.ts';
import { median, toFixed2, formatRounded } from './support/stats.ts';

const MAX_SEARCH_MS = 50;
const RECORDS = 200_000;
const RUNS_PER_SEARCH = 5;

type Searches = Record<string, readonly string[]>;

/** Returns IDs of records that are read often, rarely and never. */
const findRecordIds = (
  database: string,
): { old: string; middle: string; newest: string; hidden: string; unseen: string } => {
  const db = new Sqlite(database, { readonly: true });
  const id = db
    .prepare<[string, number], string>(
      'SELECT id FROM records WHERE endpoint = (SELECT id FROM endpoints WHERE path = ?) ORDER BY seq LIMIT 1 OFFSET ?',
    )
    .pluck();
  const idAt = (offset: number): string => id.get(ENDPOINTS.large, offset) ?? '';
  const ids = {
    old: idAt(10),
    middle: idAt(RECORDS / 2),
    newest: idAt(RECORDS - HIDDEN_RECORDS - 1),
    hidden: idAt(RECORDS - HIDDEN_RECORDS + 2),
    unseen: idAt(RECORDS - 1),
  };
  db.close();
  return ids;
};

/** Returns searches of each kind for frequent, rare and missing values. */
const searchesOf = (database: string): Searches => {
  const ids = findRecordIds(database);
  const [busiest, quietest] = [APPLICATIONS[0], APPLICATIONS.at(-1)];
  const yearMs = 365 * 86_400_000;
  const isoTime = (ageMs: number): string => new Date(Date.now() - ageMs).toISOString();
  const records = Object.values(ids).map((id) => `record=${id}`);
  const applications = [busiest, quietest, RARE_APPLICATION, 'unknown'].map((name) => `application=${name}`);
  const debits = [DEBITS[0], DEBITS.at(-1), 'none'].map((key) => `debit=${key}`);
  const contracts = [CONTRACTS[0], 'none'].map((name) => `contract=${name}`);
  const outcomes = ['outcome=allowed', 'outcome=refused'];
  const times = [
    `from=${isoTime(yearMs)}`,
    `to=${isoTime(yearMs)}`,
    `from=${isoTime(yearMs)}&to=${isoTime(yearMs - 60_000)}`,
    `to=${isoTime(9 * yearMs)}`,
  ];
  const combine = (lefts: readonly string[], rights: readonly string[]): string[] =>
    lefts.flatMap((leftValue) => rights.map((rightValue) => `${leftValue}&${rightValue}`));
  return {
    'no filter': ['', 'take=999'],
    application: applications,
    debit: debits,
    contract: contracts,
    outcome: outcomes,
    time: times,
    record: [...records, ...records.map((record) => `${record}&take=999`)],
    'two fields': [
      ...combine(applications, [...debits, ...contracts, ...outcomes, ...times]),
      ...combine(debits, [...contracts, ...outcomes, ...times]),
      ...combine(contracts, [...outcomes, ...times]),
      ...combine(outcomes, times),
    ],
    'a record and one field': combine(records, [...applications, ...debits, ...contracts, ...outcomes, ...times]),
    'a record and three fields': combine(combine(records, applications), combine([...debits, ...outcomes], times)),
  };
};

/** Runs all searches several times against a server on this home. @returns the slowest search of each kind */
const runSearches = async (home: string, rows: number): Promise<Figure[]> => {
  const pda = await startProcess('server/pda/cli/main.ts', ['serve', '--home', home]);
  try {
    const headers = { 'x-auth-token': await signIn(pda.url) };
    const measureSearch = async (query: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(`${pda.url}/api/v2.6/owner/ledger?${query}`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`search ${query} failed: ${response.status}`);
      return performance.now() - startedAt;
    };
    const figures: Figure[] = [];
    for (const [kind, queries] of Object.entries(searchesOf(join(home, 'pda.sqlite')))) {
      let slowest = { ms: 0, query: '', first: 0 };
      let longest = 0;
      for (const query of queries) {
        const durations: number[] = [];
        for (let run = 0; run < RUNS_PER_SEARCH; run += 1) durations.push(await measureSearch(query));
        longest = Math.max(longest, ...durations);
        const ms = median(durations);
        if (ms > slowest.ms) slowest = { ms, query, first: durations[0] ?? 0 };
      }
      figures.push({
        label: `First page of the access log with ${formatRounded(rows)} entries, slowest search by ${kind}`,
        value: slowest.ms,
        target: MAX_SEARCH_MS,
        better: 'less',
        unit: 'ms',
        detail:
          `${queries.length} searches, median of ${RUNS_PER_SEARCH} each; slowest \`${slowest.query}\`, its first run ${toFixed2(slowest.first)} ms; ` +
          `longest run of all searches ${toFixed2(longest)} ms`,
      });
    }
    return figures;
  } finally {
    await pda.stop();
  }
};

/** Measures the first page of each kind of search in a large access log. */
export const ledger: Benchmark = async (context) => {
  const rows = context.quick ? 200_000 : 1_000_000;
  const home = join(context.folder, 'ledger-home');
  const database = join(home, 'pda.sqlite');
  runToCompletion('bench/support/prepare-home.ts', [home, NAME, PASSWORD, String(RECORDS)]);
  const before = statSync(database).size;
  runToCompletion('bench/support/fill-ledger.ts', [home, String(rows)]);
  const bytesPerRow = (statSync(database).size - before) / rows;
  const figures = await runSearches(home, rows);
  const last = figures.at(-1);
  if (last !== undefined)
    last.detail += `; an entry takes ${formatRounded(bytesPerRow)} bytes on average, including its indexes`;
  return figures;
};
