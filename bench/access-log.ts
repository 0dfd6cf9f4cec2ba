import Sqlite from 'better-sqlite3';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark, Figure } from './support/context.ts';
import { APPLICATIONS, CONTRACTS, DEBITS, HIDDEN_RECORDS, RARE_APPLICATION } from './support/access-log-rows.ts';
import { call, fillHome, serveHome } from './support/pda.ts';
import { runToCompletion } from './support/processes.ts';
import { ENDPOINTS } from './support/records.ts';
import { measureSlowestSearch } from './support/search-figure.ts';
import { formatRounded } from './support/stats.ts';

const RECORDS = 200_000;

type Searches = Record<string, readonly string[]>;

const findRecordIds = (database: string): string[] => {
  const db = new Sqlite(database, { readonly: true });
  const selectId = db
    .prepare<[string, number], string>(
      'SELECT id FROM records WHERE endpoint = (SELECT id FROM endpoints WHERE path = ?) ORDER BY seq LIMIT 1 OFFSET ?',
    )
    .pluck();
  const ids = [10, RECORDS / 2, RECORDS - HIDDEN_RECORDS - 1, RECORDS - HIDDEN_RECORDS + 2, RECORDS - 1].map(
    (offset) => selectId.get(ENDPOINTS.large, offset) ?? '',
  );
  db.close();
  return ids;
};

const searchesOf = (database: string): Searches => {
  const yearMs = 365 * 86_400_000;
  const isoTime = (ageMs: number): string => new Date(Date.now() - ageMs).toISOString();
  const records = findRecordIds(database).map((id) => `record=${id}`);
  const applications = [APPLICATIONS[0], APPLICATIONS.at(-1), RARE_APPLICATION, 'unknown'].map(
    (name) => `application=${name}`,
  );
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
    none: ['', 'take=999'],
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

const runSearches = async (home: string, rows: number): Promise<Figure[]> => {
  const pda = await serveHome(home);
  const entries = formatRounded(rows);
  try {
    const figures: Figure[] = [];
    for (const [kind, queries] of Object.entries(searchesOf(join(home, 'pda.sqlite')))) {
      const label = `First page of the access log with ${entries} entries, slowest search (filter: ${kind})`;
      figures.push(await measureSlowestSearch(label, queries, (query) => call(pda, 'GET', `owner/ledger?${query}`)));
    }
    return figures;
  } finally {
    await pda.stop();
  }
};

export const accessLog: Benchmark = async (context) => {
  const rows = context.quick ? 200_000 : 1_000_000;
  const home = join(context.folder, 'access-log-home');
  const database = join(home, 'pda.sqlite');
  fillHome(home, 0, RECORDS, [ENDPOINTS.large]);
  const initialBytes = statSync(database).size;
  runToCompletion('bench/support/fill-access-log.ts', [home, String(rows)]);
  const bytesPerRow = (statSync(database).size - initialBytes) / rows;
  const figures = await runSearches(home, rows);
  const lastFigure = figures.at(-1);
  if (lastFigure !== undefined)
    lastFigure.detail += `; an entry takes ${formatRounded(bytesPerRow)} bytes on average, including its indexes`;
  return figures;
};
