import { setImmediate as nextTurn } from 'node:timers/promises';
import { ignoreFailures } from '../../../../platform/failure.ts';
import { contentHashOf } from '../worker/messages.ts';
import type { ChangeRow } from './kinds-store.ts';
import type { ImportRunnerParts } from './element-runner.ts';
import { endpointsOfImport } from './finish.ts';
import type { ImportRow } from '../store.ts';

/** Records per transaction. */
const BATCH_RECORDS = 300;
/** Keys per turn of the event loop. */
const BATCH_KEYS = 2000;
const OWNER = { kind: 'owner', name: 'owner' } as const;

type ReversalParts = Pick<
  ImportRunnerParts,
  'kinds' | 'records' | 'recordStore' | 'endpoints' | 'writer' | 'evictFields'
>;

/**
 * Deletes the records that an import added. Restores those that it changed, unless they have changed since. Leaves
 * moved records unchanged. Can be repeated after an interruption.
 */
export const revertImport = async (parts: ReversalParts, row: ImportRow): Promise<void> => {
  const { kinds, records, recordStore, endpoints, writer, evictFields } = parts;
  const { id } = row;

  const removeRecords = async (path: string): Promise<void> => {
    const endpoint = endpoints.find(path);
    const origin = endpoints.findOrigin({ kind: 'import', name: row.file_name, reference: id });
    if (endpoint === undefined || origin === undefined) return;
    for (let after = -1; ;) {
      const rows = recordStore.chunkOfOrigin(endpoint, after, origin, BATCH_RECORDS);
      const last = rows.at(-1);
      if (last === undefined) break;
      try {
        await records.remove(
          rows.map((record) => record.id),
          () => true,
          OWNER,
        );
        after = last.seq;
      } catch (error) {
        // Another request has deleted one of the records: the loop reads the remaining records again.
        ignoreFailures('data_missing')(error);
        // If the whole endpoint was deleted, nothing is left to remove.
        if (endpoints.pathOf(endpoint) === undefined) return;
      }
    }
    await dropOrphanedKeys(endpoint);
  };

  const dropOrphanedKeys = async (endpoint: number): Promise<void> => {
    for (let after = ''; ;) {
      const page = kinds.keysAfter(endpoint, after, BATCH_KEYS);
      const last = page.at(-1);
      if (last === undefined) return;
      const orphanedKeys = page.filter(({ seq }) => recordStore.head(seq) === undefined);
      if (orphanedKeys.length > 0)
        await writer.write((tx) => orphanedKeys.forEach(({ key }) => kinds.dropKey(tx, endpoint, key)));
      after = last.key;
      await nextTurn();
    }
  };

  const isUnchanged = (data: string, { endpoint, key }: ChangeRow): boolean =>
    kinds.findKey(endpoint, key)?.content.startsWith(contentHashOf(data)) === true;

  const restoreOriginals = async (): Promise<void> => {
    for (;;) {
      const changes = kinds.changes(id, BATCH_RECORDS);
      if (changes.length === 0) return;
      await writer.write((tx) => {
        for (const change of changes) {
          const record = recordStore.findBySeq(change.seq);
          const path = endpoints.pathOf(change.endpoint);
          const exists = record !== undefined && path !== undefined && record.endpoint === change.endpoint;
          if (exists && !kinds.handOverOriginal(tx, id, change) && isUnchanged(record.data, change)) {
            records.updateWithin(tx, [{ endpoint: path, recordId: record.id, data: change.data }], OWNER);
            kinds.setKey(tx, change.endpoint, change.key, { seq: change.seq, content: change.content });
          }
          kinds.dropChange(tx, id, change);
        }
      });
    }
  };

  await restoreOriginals();
  for (const path of endpointsOfImport(kinds, row)) {
    await removeRecords(path);
    evictFields(path);
  }
};
