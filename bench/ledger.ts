import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { signIn, NAME, PASSWORD, type Benchmark, type Figure } from './support/context.ts';
import { APPLICATIONS, CONTRACTS, DEBITS, HIDDEN, RARE } from './support/ledger-rows.ts';
import { runToCompletion, start } from './support/processes.ts';
import { ENDPOINTS } from './support/records.ts';
import { median, two, formatRounded } from './support/stats.ts';

const MAX_MS = 50;
const RECORDS = 200_000;
const TRIES = 5;

type Searches = Record<string, readonly string[]>;

const idsOf = (database: string): { old: string; middle: string; newest: string; hidden: string; unseen: string } => {
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
    newest: idAt(RECORDS - HIDDEN - 1),
    hidden: idAt(RECORDS - HIDDEN + 2),
    unseen: idAt(RECORDS - 1),
  };
  db.close();
  return ids;
};

/** Returns searches of each kind for frequent, rare and missing values. */
const searchesOf = (database: string): Searches => {
  const ids = idsOf(database);
  const [busy, quiet] = [APPLICATIONS[0], APPLICATIONS.at(-1)];
  const year = 365 * 86_400_000;
  const iso = (ago: number): string => new Date(Date.now() - ago).toISOString();
  const records = Object.values(ids).map((id) => `record=${id}`);
  const applications = [busy, quiet, RARE, 'unknown'].map((name) => `application=${name}`);
  const debits = [DEBITS[0], DEBITS.at(-1), 'none'].map((key) => `debit=${key}`);
  const contracts = [CONTRACTS[0], 'none'].map((name) => `contract=${name}`);
  const outcomes = ['outcome=allowed', 'outcome=refused'];
  const times = [
    `from=${iso(year)}`,
    `to=${iso(year)}`,
    `from=${iso(year)}&to=${iso(year - 60_000)}`,
    `to=${iso(9 * year)}`,
  ];
  const both = (lefts: readonly string[], right: readonly string[]): string[] =>
    lefts.flatMap((leftValue) => right.map((rightValue) => `${leftValue}&${rightValue}`));
  return {
    'no filter': ['', 'take=999'],
    application: applications,
    debit: debits,
    contract: contracts,
    outcome: outcomes,
    time: times,
    record: [...records, ...records.map((record) => `${record}&take=999`)],
    'two of them': [
      ...both(applications, [...debits, ...contracts, ...outcomes, ...times]),
      ...both(debits, [...contracts, ...outcomes, ...times]),
      ...both(contracts, [...outcomes, ...times]),
      ...both(outcomes, times),
    ],
    'a record and another': both(records, [...applications, ...debits, ...contracts, ...outcomes, ...times]),
    'a record and more': both(both(records, applications), both([...debits, ...outcomes], times)),
  };
};

/** Runs all searches against a server on that home, several times each. */
export const search = async (home: string, rows: number): Promise<Figure[]> => {
  const pda = await start('server/pda/cli/main.ts', ['serve', '--home', home]);
  try {
    const headers = { 'x-auth-token': await signIn(pda.url) };
    const ask = async (query: string): Promise<number> => {
      const startedAt = performance.now();
      const response = await fetch(`${pda.url}/api/v2.6/owner/ledger?${query}`, { headers });
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${query}: ${response.status}`);
      return performance.now() - startedAt;
    };
    const figures: Figure[] = [];
    for (const [kind, queries] of Object.entries(searchesOf(join(home, 'pda.sqlite')))) {
      let worst = { ms: 0, query: '', first: 0 };
      let longest = 0;
      for (const query of queries) {
        const durations: number[] = [];
        for (let turn = 0; turn < TRIES; turn += 1) durations.push(await ask(query));
        longest = Math.max(longest, ...durations);
        const ms = median(durations);
        if (ms > worst.ms) worst = { ms, query, first: durations[0] ?? 0 };
      }
      figures.push({
        what: `First page of the ledger with ${formatRounded(rows)} rows, worst search by ${kind}`,
        value: worst.ms,
        target: MAX_MS,
        better: 'less',
        unit: 'ms',
        detail:
          `${queries.length} searches, median of ${TRIES} each; the worst \`${worst.query}\`, the first time ${two(worst.first)} ms; ` +
          `longest of all ${two(longest)} ms`,
      });
    }
    return figures;
  } finally {
    await pda.stop();
  }
};

/** Measures the first page of every kind of access log search with a million entries. */
export const ledger: Benchmark = async (context) => {
  const rows = context.quick ? 200_000 : 1_000_000;
  const home = join(context.folder, 'ledger-home');
  const database = join(home, 'pda.sqlite');
  runToCompletion('bench/support/prepare-home.ts', [home, NAME, PASSWORD, String(RECORDS)]);
  const before = statSync(database).size;
  runToCompletion('bench/support/fill-ledger.ts', [home, String(rows)]);
  const perRow = (statSync(database).size - before) / rows;
  const figures = await search(home, rows);
  const last = figures.at(-1);
  if (last !== undefined) last.detail += `; a row takes ${formatRounded(perRow)} bytes on average, indexes and all`;
  return figures;
};
