import { join } from 'node:path';
import { NAME, PASSWORD, signIn, type Benchmark } from './support/context.ts';
import { copyOf, indexesBuilt } from './support/database.ts';
import { compareSides, ratioFigure, sameBytes } from './support/load.ts';
import { runToEnd, start, type Running } from './support/processes.ts';
import { FILTERED_RECORDS, WANTED } from './support/records.ts';
import { whole } from './support/stats.ts';

/** As many as where single records are stored: the rows of the ledger are as durable, and share the disk's syncs. */
const CONNECTIONS = 50;
const APPLICATION = 'bench-asker';
const KEY = 'bench';
const ENDPOINTS = ['bench/first', 'bench/second', 'bench/third'] as const;
const PER_PROPERTY = 100;

const bundle = Object.fromEntries(
  ENDPOINTS.map((endpoint) => [
    endpoint,
    {
      endpoints: [
        {
          endpoint,
          mapping: { at: 'time', count: 'steps', 'pulse.low': 'heart.low', 'pulse.high': 'heart.high' },
          filters: [{ field: 'n', operator: { operator: 'between', lower: WANTED - 1, upper: WANTED + PER_PROPERTY } }],
        },
      ],
      limit: PER_PROPERTY,
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

type Headers = Record<string, string>;

const jsonOf = async (url: string, headers: Headers, body?: unknown): Promise<unknown> => {
  const answer = await fetch(url, {
    headers: body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};
/** The application's token, once the owner has agreed and the filters have their indexes. */
const agreed = async (pda: Running, home: string): Promise<Headers> => {
  const api = `${pda.url}/api/v2.6`;
  const owner = { 'x-auth-token': await signIn(pda.url) };
  await jsonOf(`${api}/applications/${APPLICATION}/setup`, owner);
  const { accessToken } = (await jsonOf(`${api}/applications/${APPLICATION}/access-token`, owner)) as {
    accessToken: string;
  };
  const application = { 'x-auth-token': accessToken };
  await jsonOf(`${api}/data-debit/${KEY}`, application, proposal);
  await jsonOf(`${api}/data-debit/${KEY}/enable`, owner);
  await indexesBuilt(home, ENDPOINTS.length);
  return application;
};

/**
 * What a Data Debit shares, filtered and mapped, by the token of the application that asked, each call in the ledger before it is answered:
 * against SQL and an index written by hand for this very question, and JSON.stringify.
 */
export const debitValues: Benchmark = async (context) => {
  const home = join(context.folder, 'debit-home');
  runToEnd('bench/support/prepare-debit-home.ts', [
    home,
    NAME,
    PASSWORD,
    APPLICATION,
    String(FILTERED_RECORDS),
    ...ENDPOINTS,
  ]);
  const pda = await start('server/pda/cli/main.ts', ['serve', '--home', home]);
  try {
    const headers = await agreed(pda, home);
    const range = [String(WANTED - 1), String(WANTED + PER_PROPERTY), String(PER_PROPERTY)];
    const copy = copyOf(home, join(context.folder, 'debit-by-hand.sqlite'));
    const bare = await context.bare('debit-values.ts', [copy, ...range, ...ENDPOINTS]);
    const ours = { url: `${pda.url}/api/v2.6/data-debit/${KEY}/values`, connections: CONNECTIONS, headers };
    const theirs = { url: bare.url, connections: CONNECTIONS };
    const shared = await sameBytes(ours, theirs);
    if (!shared.includes('"pulse"')) throw new Error('nothing is shared');
    const found = await compareSides(context, { server: pda, load: ours }, { server: bare, load: theirs });
    const what = `\`values\` of a Data Debit over 3 × ${whole(FILTERED_RECORDS)}, 3 × ${PER_PROPERTY} records filtered and mapped, in the ledger, ${CONNECTIONS} connections, to SQL by hand and JSON.stringify`;
    return [ratioFigure(what, 0.5, found)];
  } finally {
    await pda.stop();
  }
};
