import { nameKey } from '../../../../wire/users.ts';
import { idPrefixOf, seqOfId } from '../../../core/sequence.ts';
import { countUsage } from '../../../core/usage-store.ts';
import { registerQueryFunctions } from '../../../data/queries/sql/functions.ts';
import { foldedName } from '../../../files/content/disk-names.ts';
import { createFileStore } from '../../../files/store.ts';
import { createTotals } from '../../../sharing/access-log/entries/totals.ts';
import { pack, timeOf, unpack } from '../../../sharing/access-log/rules.ts';
import { createAccessLogStore } from '../../../sharing/access-log/store.ts';
import type { Database, Transaction } from '../../../storage/index.ts';
import type { TotalsFactory, DerivedDataRebuild } from '../import/database-store.ts';
import type { TransferTools } from './process.ts';

/* Functions of other modules that transfers need: column encodings, and computations of derived tables. */

const DAY_MS = 86_400_000;
const ROWS_PER_TRANSACTION = 500;

/** Nothing else uses the database yet, so the transaction ignores callbacks and collectors. */
const transactionOn = (db: Database): Transaction => ({ db, afterCommit: () => undefined, collect: () => undefined });

const createAccessTotals: TotalsFactory = (db) => {
  const totals = createTotals({ store: createAccessLogStore(db), notify: () => undefined });
  let bufferedRows: Parameters<typeof totals.flush>[1][number][] = [];
  const flush = (): void => {
    if (bufferedRows.length > 0) totals.flush(transactionOn(db), bufferedRows);
    bufferedRows = [];
  };
  return {
    add({ id, grp, behind, count, records, places }) {
      const day = Math.floor((timeOf(Number(id)) - Number(behind)) / DAY_MS);
      const packed = places instanceof Uint8Array ? places : null;
      bufferedRows.push({
        day,
        grp: Number(grp),
        calls: Number(count),
        records: Number(records),
        recordNumbers: packed,
      });
      if (bufferedRows.length >= ROWS_PER_TRANSACTION) flush();
    },
    flush,
  };
};

/** Fills the search index of file names, titles, descriptions and tags. */
const indexFiles: DerivedDataRebuild = (db) => {
  const store = createFileStore(db);
  const selectSeqs = db
    .prepare<[number, number], number>('SELECT seq FROM files WHERE seq > ? ORDER BY seq LIMIT ?')
    .pluck();
  for (let after = -1; ;) {
    const batch = selectSeqs.all(after, ROWS_PER_TRANSACTION);
    const lastSeq = batch.at(-1);
    if (lastSeq === undefined) return;
    db.transaction(() => {
      for (const seq of batch) {
        const row = store.findBySeq(seq);
        if (row !== undefined) store.describe(transactionOn(db), row);
      }
    }).immediate();
    after = lastSeq;
  }
};

export const transferTools: TransferTools = {
  codecs: { seqOfId, idHead: idPrefixOf, pack, unpack, foldedName, nameKey },
  registerFunctions: registerQueryFunctions,
  createTotals: createAccessTotals,
  rebuild: [indexFiles, countUsage],
};
