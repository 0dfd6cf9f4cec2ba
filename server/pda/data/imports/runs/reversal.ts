import { setImmediate as turn } from 'node:timers/promises';
import { ignoring } from '../../../../platform/failure.ts';
import { contentOf } from '../worker/messages.ts';
import type { ChangeRow } from './kinds-store.ts';
import type { RunnerParts } from './element-runner.ts';
import type { ImportRow } from '../store.ts';

const AT_ONCE = 300;
const KEYS_AT_ONCE = 2000;
const OWNER = { kind: 'owner', name: 'owner' } as const;

type Parts = Pick<RunnerParts, 'kinds' | 'records' | 'recordStore' | 'endpoints' | 'writer'>;

/**
 * Reverts an import: deletes its records, and restores the content of records that it changed unless another request changed
 * them since. Can be repeated after an interruption.
 */
export const takeBack = async (parts: Parts, row: ImportRow): Promise<void> => {
  const { kinds, records, recordStore, endpoints, writer } = parts;
  const { id } = row;

  const removeAt = async (path: string): Promise<void> => {
    const endpoint = endpoints.find(path);
    const origin = endpoints.findOrigin({ kind: 'import', name: row.file_name, reference: id });
    if (endpoint === undefined || origin === undefined) return;
    for (let after = -1; ;) {
      const rows = recordStore.chunkOfOrigin(endpoint, after, origin, AT_ONCE);
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
        // Another request deleted one of them meanwhile: look up the remaining ones again.
        ignoring('data_missing')(error);
        // Or all of the endpoint: then there is nothing here to take away, as if that had been before.
        if (endpoints.pathOf(endpoint) === undefined) return;
      }
    }
    await dropKeys(endpoint);
    await writer.write((tx) => kinds.settleNewest(tx, endpoint));
  };

  /** By a key whose record is gone nothing is known any more. */
  const dropKeys = async (endpoint: number): Promise<void> => {
    for (let after = ''; ;) {
      const some = kinds.keysAfter(endpoint, after, KEYS_AT_ONCE);
      const last = some.at(-1);
      if (last === undefined) return;
      const lost = some.filter(({ seq }) => recordStore.head(seq) === undefined);
      if (lost.length > 0) await writer.write((tx) => lost.forEach(({ key }) => kinds.dropKey(tx, endpoint, key)));
      after = last.key;
      await turn();
    }
  };

  /** Returns true if the record still has the content that the import last gave it. */
  const saysWhatCame = (data: string, { endpoint, key }: ChangeRow): boolean =>
    kinds.key(endpoint, key)?.content.startsWith(contentOf(data)) === true;

  const changeBack = async (): Promise<void> => {
    for (;;) {
      const changes = kinds.changes(id, AT_ONCE);
      if (changes.length === 0) return;
      await writer.write((tx) => {
        for (const change of changes) {
          const record = recordStore.bySeq(change.seq);
          const path = endpoints.pathOf(change.endpoint);
          const isThere = record !== undefined && path !== undefined && record.endpoint === change.endpoint;
          if (isThere && !kinds.passOn(tx, id, change) && saysWhatCame(record.data, change)) {
            records.updateWithin(tx, [{ endpoint: path, recordId: record.id, data: change.data }], OWNER);
            kinds.setKey(tx, change.endpoint, change.key, { seq: change.seq, content: change.content });
          }
          kinds.dropChange(tx, id, change);
        }
      });
    }
  };

  await changeBack();
  const paths = new Set(kinds.kinds(id).map(({ endpoint }) => endpoint));
  if (row.endpoint !== null) paths.add(row.endpoint);
  for (const path of paths) await removeAt(path);
};
