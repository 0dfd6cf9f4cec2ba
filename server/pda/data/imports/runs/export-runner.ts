import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../../../wire/values.ts';
import type { Transaction } from '../../../storage/index.ts';
import { finishImport, type ImportEnd } from './finish.ts';
import { interruptionOf } from './interruption.ts';
import { ENTRY_KINDS, type EntryKind } from '../parsing/entries.ts';
import {
  CONTENT_HASH_BYTES,
  START_CURSOR,
  type ExportCursor,
  type ThreadMessage,
  type ImportedEntry,
} from '../worker/messages.ts';
import type { Source } from '../archives/source.ts';
import { readInThread } from '../worker/client.ts';
import type { RunnerParts } from './element-runner.ts';
import { selectionOf } from './options-rules.ts';
import type { ImportRow, Progress } from '../store.ts';

const MAX_CONTENT_HASHES = 8;

/**
 * Returns true if a list of content hashes contains a hash. The first hash identifies the stored content, the others
 * variants of the entry.
 */
const hasContent = (hashes: string, content: string): boolean => {
  for (let start = 0; start < hashes.length; start += CONTENT_HASH_BYTES)
    if (hashes.slice(start, start + CONTENT_HASH_BYTES) === content) return true;
  return false;
};
const withContent = (hashes: string, content: string): string =>
  hasContent(hashes, content) || hashes.length >= MAX_CONTENT_HASHES * CONTENT_HASH_BYTES ? hashes : hashes + content;

type Batch = Extract<ThreadMessage, { type: 'batch' }>;
type Counts = { added: number; same: number; changed: number };
type Target = {
  endpoint: string;
  /** Entries with an unknown key are compared by content with records up to this sequence number; undefined: never. */
  comparedUpTo: number | undefined;
};

/**
 * Imports the entries of an export from the cursor in the row. Records, entry keys and the cursor are written in one
 * transaction, so that an interrupted import resumes exactly there and the same entry of another export is not stored
 * twice.
 * @throws Failure out_of_disk | unavailable; the row then has the cursor after the last stored entries
 */
export const importExportEntries = async (
  parts: RunnerParts,
  row: ImportRow,
  sources: readonly Source[],
  signal: AbortSignal,
  onProgress: (progress: Readonly<Progress>) => void = () => undefined,
): Promise<'done' | 'failed' | 'cancelled' | 'stopped'> => {
  const { kinds, records, recordStore, endpoints, seqOfId } = parts;
  const { id } = row;
  const origin = { kind: 'import', name: row.file_name, reference: id } as const;
  const caller = { origin, signal };
  const { selected, bank } = selectionOf(row);
  const targets = new Map<EntryKind, Target>();
  for (const { endpoint, before_seq: beforeSeq } of kinds.kinds(id)) {
    const kind = ENTRY_KINDS.find((name) => name === endpoint);
    if (kind === undefined) continue;
    targets.set(kind, { endpoint, comparedUpTo: beforeSeq ?? undefined });
  }
  let problemCount = row.broken;
  let progress: Progress = { position: 0, bytes_read: row.bytes_read, added: row.added, skipped: row.skipped };

  /** Updates the record of an entry that was imported before and has changed. Returns undefined for a new entry. */
  const updateExisting = (
    tx: Transaction,
    endpoint: number,
    path: string,
    entry: ImportedEntry,
  ): keyof Counts | undefined => {
    const storedKey = kinds.key(endpoint, entry.key);
    const record = storedKey === undefined ? undefined : recordStore.bySeq(storedKey.seq);
    // If the record has been deleted, the entry counts as new.
    if (storedKey === undefined || record === undefined || record.endpoint !== endpoint) return undefined;
    if (hasContent(storedKey.content, entry.content)) return 'same';
    // If this import has already stored or changed the record, the first content wins. Storing the hash of the second
    // content makes it count as unchanged in the next export, too.
    const original = { endpoint, key: entry.key, seq: storedKey.seq, content: storedKey.content, data: record.data };
    if (record.origin === endpoints.findOrigin(origin) || !kinds.saveOriginal(tx, id, original)) {
      kinds.setKey(tx, endpoint, entry.key, {
        seq: storedKey.seq,
        content: withContent(storedKey.content, entry.content),
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
    { endpoint: path, comparedUpTo }: Target,
    entries: readonly ImportedEntry[],
    digests: ReadonlyMap<string | Buffer, string>,
  ): Counts => {
    const counts: Counts = { added: 0, same: 0, changed: 0 };
    const endpoint = endpoints.intern(tx, path);
    const newByKey = new Map<string, ImportedEntry>();
    for (const entry of entries) {
      const first = newByKey.get(entry.key);
      const outcome = first === undefined ? updateExisting(tx, endpoint, path, entry) : 'same';
      if (outcome === undefined) newByKey.set(entry.key, entry);
      else counts[outcome] += 1;
      if (first !== undefined)
        newByKey.set(entry.key, { ...first, content: withContent(first.content, entry.content) });
    }
    const newEntries = [...newByKey.values()];
    const saveKey = (entry: ImportedEntry, recordId: string): void => {
      const seq = seqOfId(recordId);
      if (seq !== undefined) kinds.setKey(tx, endpoint, entry.key, { seq, content: entry.content });
    };
    if (comparedUpTo === undefined) {
      const createdRecords = records.createWithin(
        tx,
        newEntries.map(({ text }) => ({ endpoint: path, data: text })),
        origin,
      );
      for (const [index, { id: recordId }] of createdRecords.entries()) {
        const entry = newEntries[index];
        if (entry !== undefined) saveKey(entry, recordId);
      }
      counts.added += createdRecords.length;
      return counts;
    }
    // Records without keys, such as those of a moved account, were not imported here and are compared by content.
    for (const entry of newEntries) {
      const newRecord = { endpoint: path, data: entry.text, digest: digests.get(entry.text) };
      const [record] = records.createWithin(tx, [newRecord], origin, comparedUpTo);
      if (record === undefined) counts.same += 1;
      else {
        saveKey(entry, record.id);
        counts.added += 1;
      }
    }
    return counts;
  };

  const storeBatch = async (batch: Batch): Promise<void> => {
    const byKind = Map.groupBy(batch.entries, ({ kind }) => kind);
    const comparedTexts: string[] = [];
    const comparedEndpoints: { path: string; upTo: number }[] = [];
    for (const [kind, entries] of byKind) {
      const target = targets.get(kind);
      if (target?.comparedUpTo === undefined) continue;
      comparedEndpoints.push({ path: target.endpoint, upTo: target.comparedUpTo });
      for (const { text } of entries) comparedTexts.push(text);
    }
    const digests = await records.digestsOfLarge(comparedTexts, caller);
    progress = await records.writeCompared(comparedEndpoints, caller, (tx) => {
      const total: Counts = { added: 0, same: 0, changed: 0 };
      for (const [kind, entries] of byKind) {
        const target = targets.get(kind);
        if (target === undefined) continue;
        const counts = storeKind(tx, target, entries, digests);
        kinds.addCounts(tx, id, target.endpoint, counts);
        for (const name of ['added', 'same', 'changed'] as const) total[name] += counts[name];
      }
      kinds.addProblems(tx, id, problemCount, batch.problems);
      kinds.saveCursor(tx, id, {
        ...total,
        cursor: JSON.stringify(batch.cursor),
        bytesRead: batch.bytesRead,
        problems: batch.problems.length,
      });
      return {
        position: 0,
        bytes_read: batch.bytesRead,
        added: progress.added + total.added,
        skipped: progress.skipped + total.same,
      };
    });
    problemCount += batch.problems.length;
    onProgress(progress);
    await nextTurn();
  };

  const finish = (end: ImportEnd): Promise<void> => finishImport(parts, row, end);

  const from = row.reached === null ? START_CURSOR : (JSON.parse(row.reached) as ExportCursor);
  try {
    const task = { task: 'read', sources, kinds: selected, bank, from } as const;
    for await (const message of readInThread(task, { signal })) if (message.type === 'batch') await storeBatch(message);
    signal.throwIfAborted();
  } catch (error) {
    const interruption = await interruptionOf(error, signal, () => finish({ state: 'cancelled' }));
    if (interruption !== undefined) return interruption;
    await finish({ state: 'failed', problem: messageOf(error) });
    return 'failed';
  }
  await finish({ state: 'done' });
  return 'done';
};
