import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Context } from './support/context.ts';
import { compare, measure } from './support/load.ts';
import { runToEnd, start, type Running } from './support/processes.ts';
import { FILTERED_RECORDS, WANTED } from './support/records.ts';
import { whole } from './support/stats.ts';

/** As many as where single records are stored: the rows of the ledger are as durable, and share the disk's syncs. */
const CONNECTIONS = 50;
const NAME = 'bench';
const PASSWORD = 'a long password for one benchmark';
const APPLICATION = 'bench-asker';
const KEY = 'bench';
const ENDPOINTS = ['bench/first', 'bench/second', 'bench/third'] as const;
const PER_PROPERTY = 100;
const INDEX_WITHIN_MS = 60_000;

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
const tokenOf = async (url: string, headers: Headers): Promise<Headers> => ({
  'x-auth-token': ((await jsonOf(url, headers)) as { accessToken: string }).accessToken,
});

/** The application's token, once the owner has agreed and the filters have their indexes. */
const agreed = async (pda: Running, home: string): Promise<Headers> => {
  const api = `${pda.url}/api/v2.6`;
  const owner = await tokenOf(`${pda.url}/users/access_token`, {
    username: NAME,
    password: encodeURIComponent(PASSWORD),
  });
  await jsonOf(`${api}/applications/${APPLICATION}/setup`, owner);
  const application = await tokenOf(`${api}/applications/${APPLICATION}/access-token`, owner);
  await jsonOf(`${api}/data-debit/${KEY}`, application, proposal);
  await jsonOf(`${api}/data-debit/${KEY}/enable`, owner);
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  try {
    const ready = db.prepare<[], number>('SELECT count(*) FROM earned_indexes WHERE ready = 1').pluck();
    const until = Date.now() + INDEX_WITHIN_MS;
    while (ready.get() !== ENDPOINTS.length) {
      if (Date.now() > until) throw new Error('the Data Debit earned no indexes');
      await sleep(50);
    }
  } finally {
    db.close();
  }
  return application;
};

const copyOf = (context: Context, home: string): string => {
  const copy = join(context.folder, 'debit-by-hand.sqlite');
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return copy;
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
  const pda = await start('server/pda/cli.ts', ['serve', '--home', home]);
  try {
    const headers = await agreed(pda, home);
    const range = [String(WANTED - 1), String(WANTED + PER_PROPERTY), String(PER_PROPERTY)];
    const bare = await context.bare('debit-values.ts', [copyOf(context, home), ...range, ...ENDPOINTS]);
    const ours = { url: `${pda.url}/api/v2.6/data-debit/${KEY}/values`, connections: CONNECTIONS, headers };
    const theirs = { url: bare.url, connections: CONNECTIONS };
    const mine = await (await fetch(ours.url, { headers })).text();
    const other = await (await fetch(theirs.url)).text();
    if (mine !== other || !mine.includes('"pulse"')) throw new Error('the two sides do not send the same bytes');
    await measure(pda, ours, 2);
    await measure(bare, theirs, 2);
    const found = await compare(
      context.rounds,
      () => measure(pda, ours, context.seconds),
      () => measure(bare, theirs, context.seconds),
    );
    return [
      {
        what: `\`values\` of a Data Debit over 3 × ${whole(FILTERED_RECORDS)}, 3 × ${PER_PROPERTY} records filtered and mapped, in the ledger, ${CONNECTIONS} connections, to SQL by hand and JSON.stringify`,
        value: found.ratio,
        target: 0.5,
        better: 'more',
        unit: 'ratio',
        detail: `${found.detail}; ${found.spread}`,
      },
    ];
  } finally {
    await pda.stop();
  }
};
