import { nameKey } from '../wire/users.ts';
import { foldedName } from './files/disk-names.ts';
import { createFileStore } from './files/store.ts';
import { pack, timeOf, unpack } from './ledger/rules.ts';
import { createLedgerStore } from './ledger/store.ts';
import { createTotals } from './ledger/totals.ts';
import type { Derive, SumUp } from './move/build-store.ts';
import type { WorkTools } from './move/work.ts';
import { registerQueryFunctions } from './queries/sql-functions.ts';
import { idHeadAt, placeOf } from './records/sequence.ts';
import type { Database, Transaction } from './storage/index.ts';
import { countUsage } from './records/usage-store.ts';

/** What a move of the whole account has to know of the forms in which other rooms keep things. */

const DAY_MS = 86_400_000;
/** Rows that are worked on at once. */
const AT_ONCE = 500;

/** Sums and unions by which the access history is searched, made as the rows come: as they came about. */
const sumUp: SumUp = (db) => {
  const totals = createTotals({ store: createLedgerStore(db), announce: () => undefined });
  let waiting: Parameters<typeof totals.flush>[1][number][] = [];
  const flush = (): void => {
    if (waiting.length > 0) totals.flush(transactionOn(db), waiting);
    waiting = [];
  };
  return {
    add({ id, grp, behind, count, records, places }) {
      const day = Math.floor((timeOf(Number(id)) - Number(behind)) / DAY_MS);
      const packed = places instanceof Uint8Array ? places : null;
      waiting.push({ day, grp: Number(grp), calls: Number(count), records: Number(records), places: packed });
      if (waiting.length >= AT_ONCE) flush();
    },
    flush,
  };
};

/** Nobody waits for what is made here, so nothing has to be gathered. */
const transactionOn = (db: Database): Transaction => ({ db, afterCommit: () => undefined, collect: () => undefined });

/** The words and tags by which files are found. */
const indexFiles: Derive = (db) => {
  const store = createFileStore(db);
  const seqs = db.prepare<[number, number], number>('SELECT seq FROM files WHERE seq > ? ORDER BY seq LIMIT ?').pluck();
  for (let after = -1; ;) {
    const some = seqs.all(after, AT_ONCE);
    const last = some.at(-1);
    if (last === undefined) return;
    db.transaction(() => {
      for (const seq of some) {
        const row = store.bySeq(seq);
        if (row !== undefined) store.describe(transactionOn(db), row);
      }
    }).immediate();
    after = last;
  }
};

export const moveTools: WorkTools = {
  forms: { placeOf, idHead: idHeadAt, pack, unpack, foldedName, nameKey },
  registerFunctions: registerQueryFunctions,
  sumUp,
  derive: [indexFiles, countUsage],
};
