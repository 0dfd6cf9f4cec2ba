import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportRow } from '../store.ts';
import type { ImportRunnerParts } from './element-runner.ts';

/** Records read per turn of the event loop. */
const BATCH_RECORDS = 1000;

/** Returns true if all records that an import has added since its last start from the first element still exist. */
export const hasAddedRecords = async (
  { kinds, recordStore, endpoints }: Pick<ImportRunnerParts, 'kinds' | 'recordStore' | 'endpoints'>,
  row: ImportRow,
): Promise<boolean> => {
  const origin = endpoints.findOrigin({ kind: 'import', name: row.file_name, reference: row.id });
  const runs = row.endpoint === null ? kinds.kinds(row.id) : [{ ...row, endpoint: row.endpoint }];
  for (const { endpoint: path, added, before_seq: beforeSeq } of runs) {
    const endpoint = endpoints.find(path);
    let missing = added;
    for (let after = beforeSeq ?? -1; missing > 0;) {
      const heads =
        endpoint === undefined ? [] : recordStore.listHeads(endpoint, after, Number.MAX_SAFE_INTEGER, BATCH_RECORDS);
      const last = heads.at(-1);
      if (last === undefined) return false;
      missing -= heads.filter((head) => head.origin === origin).length;
      after = last.seq;
      await nextTurn();
    }
  }
  return true;
};
