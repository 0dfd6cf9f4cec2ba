import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { anApplication } from '../tests/support/applications.ts';
import type { Benchmark } from './support/context.ts';
import { copyHomeDatabase, waitForIndexes } from './support/database.ts';
import { assertSameResponse, compareSides, ratioFigure } from './support/load.ts';
import { call, fillHome, serveHome, setUpApplication, waitForSearchIndex, type Pda } from './support/pda.ts';
import { FILTERED_RECORDS, SELECTED_NUMBER } from './support/records.ts';
import { formatRounded } from './support/stats.ts';

/** Many, because concurrent requests share the disk syncs of their access log entries. */
const CONNECTIONS = 50;
const APPLICATION = 'bench-requester';
const KEY = 'bench';
const ENDPOINTS = ['bench/first', 'bench/second', 'bench/third'] as const;
const RECORDS_PER_PROPERTY = 100;

const bundle = Object.fromEntries(
  ENDPOINTS.map((endpoint) => [
    endpoint,
    {
      endpoints: [
        {
          endpoint,
          mapping: { at: 'time', count: 'steps', 'pulse.low': 'heart.low', 'pulse.high': 'heart.high' },
          filters: [
            {
              field: 'n',
              operator: {
                operator: 'between',
                lower: SELECTED_NUMBER - 1,
                upper: SELECTED_NUMBER + RECORDS_PER_PROPERTY,
              },
            },
          ],
        },
      ],
      limit: RECORDS_PER_PROPERTY,
    },
  ]),
);

const proposal = {
  dataDebitKey: KEY,
  bundle: { name: KEY, bundle },
  start: new Date().toISOString(),
  period: 86_400,
  purpose: 'A benchmark',
  cancelAtPeriodEnd: false,
  termsUrl: 'https://bench.example.com/terms',
  requestClientName: 'Bench',
  requestClientUrl: 'https://bench.example.com/',
  requestClientLogoUrl: 'https://bench.example.com/logo.png',
};

/** Enables the Data Debit and waits for its filter indexes. @returns the headers with the application's token */
const enableDebit = async (pda: Pda, home: string): Promise<Pda['headers']> => {
  const headers = await setUpApplication(pda, APPLICATION);
  await call({ ...pda, headers }, 'POST', `data-debit/${KEY}`, proposal);
  await call(pda, 'GET', `data-debit/${KEY}/enable`);
  await waitForIndexes(home, ENDPOINTS.length);
  return headers;
};

/** Compares reads of a Data Debit (with token check and access log) with handwritten SQL and JSON.stringify. */
export const debitValues: Benchmark = async (context) => {
  const home = join(context.folder, 'debit-home');
  mkdirSync(home, { recursive: true });
  const config = { applications: [anApplication({ id: APPLICATION, roles: [{ role: 'datadebit' }] })] };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));
  fillHome(home, 0, FILTERED_RECORDS, ENDPOINTS);
  const pda = await serveHome(home);
  try {
    await waitForSearchIndex(pda);
    const headers = await enableDebit(pda, home);
    const queryArguments = [
      String(SELECTED_NUMBER - 1),
      String(SELECTED_NUMBER + RECORDS_PER_PROPERTY),
      String(RECORDS_PER_PROPERTY),
    ];
    const copy = copyHomeDatabase(home, join(context.folder, 'debit-by-hand.sqlite'));
    const baseline = await context.startBaseline('debit-values.ts', [copy, ...queryArguments, ...ENDPOINTS]);
    const pdaLoad = { url: `${pda.url}/api/v2.6/data-debit/${KEY}/values`, connections: CONNECTIONS, headers };
    const baselineLoad = { url: baseline.url, connections: CONNECTIONS };
    const responseText = await assertSameResponse(pdaLoad, baselineLoad);
    if (!responseText.includes('"pulse"')) throw new Error('the response contains no shared data');
    const comparison = await compareSides(
      context,
      { server: pda, load: pdaLoad },
      { server: baseline, load: baselineLoad },
    );
    const label = `\`values\` of a Data Debit over 3 × ${formatRounded(FILTERED_RECORDS)} records, 3 × ${RECORDS_PER_PROPERTY} of them filtered, mapped and logged, ${CONNECTIONS} connections, compared with handwritten SQL and JSON.stringify`;
    return [ratioFigure(label, 0.5, comparison)];
  } finally {
    await pda.stop();
  }
};
