import { setImmediate as nextTurn } from 'node:timers/promises';
import { seqOfId } from '../../../core/sequence.ts';
import type { NewRecord } from '../../records/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import { runImport } from './finish.ts';
import {
  CONTENT_HASH_BYTES,
  START_CURSOR,
  type ExportCursor,
  type ImportThreadMessage,
  type ImportedEntry,
} from '../worker/messages.ts';
import type { Source } from '../archives/source.ts';
import { readInThread } from '../worker/client.ts';
import type { ImportRunnerParts } from './element-runner.ts';
import { selectionOf } from './options-rules.ts';
import type { ImportRow, Progress } from '../store.ts';

const MAX_CONTENT_HASHES = 8;

/** @param hashes hash of the stored content, followed by hashes of variants of the entry */
const hasContent = (hashes: string, content: string): boolean => {
  for (let start = 0; start < hashes.length; start += CONTENT_HASH_BYTES)
    if (hashes.slice(start, start + CONTENT_HASH_BYTES) === content) return true;
  return false;
};
const addContent = (hashes: string, content: string): string =>
  hasContent(hashes, content) || hashes.length >= MAX_CONTENT_HASHES * CONTENT_HASH_BYTES ? hashes : hashes + content;

type Batch = Extract<ImportThreadMessage, { type: 'batch' }>;
type Counts = { added: number; same: number; changed: number };

/**
 * Imports the entries of an export from the cursor in the row. Each batch writes its records, their entry keys and the
 * cursor in one transaction, so that an interrupted import resumes after the last stored batch.
 * @throws Failure out_of_disk | unavailable
 */
export const importExportEntries = async (
  parts: ImportRunnerParts,
  row: ImportRow,
  sources: readonly Source[],
  signal: AbortSignal,
  onProgress?: (progress: Readonly<Progress>) => void,
): ReturnType<typeof runImport> => {
  const { kinds, records, recordStore, endpoints } = parts;
  const { id } = row;
  const origin = { kind: 'import', name: row.file_name, reference: id } as const;
  const caller = { origin, signal };
  const { selected, bank } = selectionOf(row.options);
  /** Highest sequence number, by endpoint, of the records with which entries without a known key are compared. */
  const comparedUpTo = new Map(kinds.kinds(id).map(({ endpoint, before_seq }) => [endpoint, before_seq ?? undefined]));
  let problemCount = row.problem_count;
  let progress: Progress = { position: 0, bytes_read: row.bytes_read, added: row.added, skipped: row.skipped };

  /**
   * Updates the record of an entry that was imported before, if its content has changed. Returns undefined for a new
   * entry, and for one whose record has been deleted or moved.
   */
  const updateExisting = (
    tx: Transaction,
    endpoint: number,
    path: string,
    entry: ImportedEntry,
  ): keyof Counts | undefined => {
    const storedKey = kinds.findKey(endpoint, entry.key);
    const record = storedKey === undefined ? undefined : recordStore.findBySeq(storedKey.seq);
    if (storedKey === undefined || record === undefined || record.endpoint !== endpoint) return undefined;
    if (hasContent(storedKey.content, entry.content)) return 'same';
    // If this import has already stored or changed the record, the first content wins. Storing the hash of the second
    // content makes it count as unchanged in the next export, too.
    const original = { endpoint, key: entry.key, seq: storedKey.seq, content: storedKey.content, data: record.data };
    if (record.origin === endpoints.findOrigin(origin) || !kinds.saveOriginal(tx, id, original)) {
      kinds.setKey(tx, endpoint, entry.key, {
        seq: storedKey.seq,
        content: addContent(storedKey.content, entry.content),
      });
      return 'same';
    }
    records.updateWithin(tx, [{ endpoint: path, recordId: record.id, data: entry.text }], origin);
    const content = entry.content + storedKey.content.slice(CONTENT_HASH_BYTES);
    kinds.setKey(tx, endpoint, entry.key, { seq: storedKey.seq, content });
    return 'changed';
  };

  const storeKind = (
    tx: Transaction,
    path: string,
    entries: readonly ImportedEntry[],
    digests: ReadonlyMap<string | Buffer, string>,
  ): Counts => {
    const counts: Counts = { added: 0, same: 0, changed: 0 };
    const endpoint = endpoints.intern(tx, path);
    const newByKey = new Map<string, ImportedEntry>();
    for (const entry of entries) {
      const earlierEntry = newByKey.get(entry.key);
      const outcome = earlierEntry === undefined ? updateExisting(tx, endpoint, path, entry) : 'same';
      if (outcome === undefined) newByKey.set(entry.key, entry);
      else counts[outcome] += 1;
      if (earlierEntry !== undefined)
        newByKey.set(entry.key, { ...earlierEntry, content: addContent(earlierEntry.content, entry.content) });
    }
    const upTo = comparedUpTo.get(path);
    const newEntries: ImportedEntry[] = [];
    const newRecords: NewRecord[] = [];
    for (const entry of newByKey.values()) {
      const newRecord = { endpoint: path, data: entry.text, digest: digests.get(entry.text) };
      // The endpoint may also contain records without keys, such as those of an application. Compares them by content.
      const equalSeq = upTo === undefined ? undefined : records.findEqualWithin(tx, newRecord, upTo);
      if (equalSeq === undefined) {
        newEntries.push(entry);
        newRecords.push(newRecord);
      } else {
        kinds.setKey(tx, endpoint, entry.key, { seq: equalSeq, content: entry.content });
        counts.same += 1;
      }
    }
    const createdRecords = records.createWithin(tx, newRecords, origin);
    for (const [index, { id: recordId }] of createdRecords.entries()) {
      const entry = newEntries[index];
      const seq = seqOfId(recordId);
      if (entry !== undefined && seq !== undefined)
        kinds.setKey(tx, endpoint, entry.key, { seq, content: entry.content });
    }
    counts.added += createdRecords.length;
    return counts;
  };

  const storeBatch = async (batch: Batch): Promise<void> => {
    const entriesByEndpoint = Map.groupBy(batch.entries, ({ kind }) => kind);
    const comparedTexts: string[] = [];
    const comparedEndpoints: { path: string; upTo: number }[] = [];
    for (const [path, entries] of entriesByEndpoint) {
      const upTo = comparedUpTo.get(path);
      if (upTo === undefined) continue;
      comparedEndpoints.push({ path, upTo });
      for (const { text } of entries) comparedTexts.push(text);
    }
    const digests = await records.digestsOfLargeValues(comparedTexts, caller);
    progress = await records.writeWithCompleteIndexes(comparedEndpoints, caller, (tx) => {
      const totals: Counts = { added: 0, same: 0, changed: 0 };
      for (const [path, entries] of entriesByEndpoint) {
        const counts = storeKind(tx, path, entries, digests);
        kinds.addCounts(tx, id, path, counts);
        for (const name of ['added', 'same', 'changed'] as const) totals[name] += counts[name];
      }
      kinds.addProblems(tx, id, problemCount, batch.problems);
      kinds.saveCursor(tx, id, {
        ...totals,
        cursor: JSON.stringify(batch.cursor),
        bytesRead: batch.bytesRead,
        problems: batch.problems.length,
      });
      return {
        position: 0,
        bytes_read: batch.bytesRead,
        added: progress.added + totals.added,
        skipped: progress.skipped + totals.same,
      };
    });
    problemCount += batch.problems.length;
    onProgress?.(progress);
    await nextTurn();
  };

  const from = row.cursor === null ? START_CURSOR : (JSON.parse(row.cursor) as ExportCursor);
  return runImport(parts, row, signal, async () => {
    const task = { task: 'read', sources, kinds: selected, bank, from } as const;
    for await (const message of readInThread(task, { signal })) if (message.type === 'batch') await storeBatch(message);
  });
};
