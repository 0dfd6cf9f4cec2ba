import Sqlite from 'better-sqlite3';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Benchmark, Context, Pda } from './support/context.ts';
import { compare, measure } from './support/load.ts';
import { ENDPOINTS, FILTERED_RECORDS, WANTED } from './support/records.ts';
import { whole } from './support/stats.ts';

const CONNECTIONS = 10;
const COMBINATOR = 'bench-between';
const INDEX_WITHIN_MS = 60_000;

const entries = [
  {
    endpoint: ENDPOINTS.filtered,
    filters: [{ field: 'n', operator: { operator: 'between', lower: WANTED - 1, upper: WANTED + 1 } }],
  },
];

const register = async (pda: Pda, url: string): Promise<void> => {
  const answer = await fetch(url, {
    method: 'PUT',
    headers: { ...pda.headers, 'content-type': 'application/json' },
    body: JSON.stringify(entries),
  });
  if (!answer.ok) throw new Error(`combinator: ${answer.status} ${await answer.text()}`);
};

/** Waits for the index that the combinator earns. */
const indexBuilt = async (database: string): Promise<void> => {
  const db = new Sqlite(database, { readonly: true });
  try {
    const ready = db.prepare<[], number>('SELECT count(*) FROM earned_indexes WHERE ready = 1').pluck();
    const until = Date.now() + INDEX_WITHIN_MS;
    while (ready.get() === 0) {
      if (Date.now() > until) throw new Error('the combinator earned no index');
      await sleep(50);
    }
  } finally {
    db.close();
  }
};

/** A copy with an index made by hand: the account server's own file stays as it is. */
const copyOf = (context: Context): string => {
  const copy = join(context.folder, 'by-hand.sqlite');
  const db = new Sqlite(join(context.home(), 'pda.sqlite'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return copy;
};

/** One of 100,000 records through a registered combinator, against SQL and an index written by hand for this very question. */
export const filterBetween: Benchmark = async (context) => {
  const pda = await context.pda();
  const url = `${pda.url}/api/v2.6/combinator/${COMBINATOR}`;
  await register(pda, url);
  await indexBuilt(join(context.home(), 'pda.sqlite'));
  const bare = await context.bare('filtered.ts', [copyOf(context), ENDPOINTS.filtered]);
  const ours = { url, connections: CONNECTIONS, headers: pda.headers };
  const theirs = { url: `${bare.url}/?lower=${WANTED - 1}&upper=${WANTED + 1}`, connections: CONNECTIONS };
  const mine = await (await fetch(ours.url, { headers: ours.headers })).text();
  const other = await (await fetch(theirs.url)).text();
  if (mine !== other || !mine.includes(`"n":${WANTED}`)) throw new Error('the two sides do not find the same record');
  await measure(pda, ours, 2);
  await measure(bare, theirs, 2);
  const found = await compare(
    context.rounds,
    () => measure(pda, ours, context.seconds),
    () => measure(bare, theirs, context.seconds),
  );
  return [
    {
      what: `\`between\` on one of ${whole(FILTERED_RECORDS)} through a combinator, after first use, to SQL and index by hand`,
      value: found.ratio,
      target: 0.6,
      better: 'more',
      unit: 'ratio',
      detail: `${found.detail}; ${found.spread}`,
    },
  ];
};
