import { setImmediate as turn } from 'node:timers/promises';
import { messageOf } from '../../../../wire/values.ts';
import type { Transaction } from '../../../storage/index.ts';
import { endedFromOutside } from './interruption.ts';
import { KINDS, type Kind } from '../parsing/entries.ts';
import { CONTENT_BYTES, FROM_THE_START, type Cursor, type FromThread, type ImportedEntry } from '../worker/messages.ts';
import type { Source } from '../archives/source.ts';
import { inThread } from '../worker/client.ts';
import type { RunnerParts } from './element-runner.ts';
import { wantedOf } from './options-rules.ts';
import type { ImportRow, Progress } from '../store.ts';

/** Troubles that are kept with what they are; the others are counted. */
const MAX_TROUBLES = 100;
/** Variants of one entry that are distinguished within an export. */
const MAX_CONTENTS = 8;

/** The first is what the record says; the others are what the same entry said elsewhere in the same export. */
const hasContent = (known: string, content: string): boolean => {
  for (let at = 0; at < known.length; at += CONTENT_BYTES)
    if (known.slice(at, at + CONTENT_BYTES) === content) return true;
  return false;
};
const withContent = (known: string, content: string): string =>
  hasContent(known, content) || known.length >= MAX_CONTENTS * CONTENT_BYTES ? known : known + content;

type Batch = Extract<FromThread, { say: 'batch' }>;
type Counts = { added: number; same: number; changed: number };
type Here = { endpoint: string; before: number | undefined };

/**
 * Stores what an export holds, from where the row says. What an entry became, by what it is known again and how far the reader is are written in the
 * transaction that stores it: an import that is cut off anywhere goes on exactly there, and the same entry of another export is not stored twice.
 * @throws Failure out_of_disk, with the row as it was after the last entries that were stored
 */
export const runKnown = async (
  parts: RunnerParts,
  row: ImportRow,
  sources: readonly Source[],
  signal: AbortSignal,
  onProgress: (progress: Readonly<Progress>) => void = () => undefined,
): Promise<'done' | 'failed' | 'cancelled' | 'stopped'> => {
  const { store, kinds, records, recordStore, endpoints, writer, clock, placeOf } = parts;
  const { id } = row;
  const origin = { kind: 'import', name: row.file_name, reference: id } as const;
  const { wanted, bank } = wantedOf(row);
  const here = new Map<Kind, Here>();
  for (const { endpoint, before_seq: before } of kinds.kinds(id)) {
    const kind = KINDS.find((one) => one === endpoint);
    if (kind === undefined) continue;
    here.set(kind, { endpoint, before: before ?? undefined });
    if (before !== null) await records.prepareFingerprints(endpoint);
  }
  let broken = row.broken;
  let at: Progress = { position: 0, bytes_read: row.bytes_read, added: row.added, skipped: row.skipped };

  /** An entry that came before: nothing is to do, or its record is brought up to date. */
  const meetAgain = (
    tx: Transaction,
    endpoint: number,
    path: string,
    entry: ImportedEntry,
  ): keyof Counts | undefined => {
    const known = kinds.key(endpoint, entry.key);
    const record = known === undefined ? undefined : recordStore.bySeq(known.seq);
    // Its record was deleted since, so the entry counts as new.
    if (known === undefined || record === undefined || record.endpoint !== endpoint) return undefined;
    if (hasContent(known.content, entry.content)) return 'same';
    // What this import itself has stored or changed comes a second time in it, otherwise: the first counts, in the next export as well.
    const before = { endpoint, key: entry.key, seq: known.seq, content: known.content, data: record.data };
    if (record.origin === endpoints.findOrigin(origin) || !kinds.keepBefore(tx, id, before)) {
      kinds.setKey(tx, endpoint, entry.key, { seq: known.seq, content: withContent(known.content, entry.content) });
      return 'same';
    }
    records.updateWithin(tx, [{ endpoint: path, recordId: record.id, data: entry.text }], origin);
    const content = entry.content + known.content.slice(CONTENT_BYTES);
    kinds.setKey(tx, endpoint, entry.key, { seq: known.seq, content });
    return 'changed';
  };

  const storeKind = (tx: Transaction, { endpoint: path, before }: Here, entries: readonly ImportedEntry[]): Counts => {
    const counts: Counts = { added: 0, same: 0, changed: 0 };
    const endpoint = endpoints.intern(tx, path);
    const fresh = new Map<string, ImportedEntry>();
    for (const entry of entries) {
      const first = fresh.get(entry.key);
      const met = first === undefined ? meetAgain(tx, endpoint, path, entry) : 'same';
      if (met === undefined) fresh.set(entry.key, entry);
      else counts[met] += 1;
      if (first !== undefined) fresh.set(entry.key, { ...first, content: withContent(first.content, entry.content) });
    }
    const given = [...fresh.values()];
    const keep = (entry: ImportedEntry, recordId: string): void => {
      const seq = placeOf(recordId);
      if (seq !== undefined) kinds.setKey(tx, endpoint, entry.key, { seq, content: entry.content });
    };
    if (before === undefined) {
      const stored = records.createWithin(
        tx,
        given.map(({ text }) => ({ endpoint: path, data: text })),
        origin,
      );
      for (const [index, one] of stored.entries()) {
        const entry = given[index];
        if (entry !== undefined) keep(entry, one.id);
      }
      counts.added += stored.length;
      return counts;
    }
    // What came here in another way, such as from another PDA, has no keys: it is compared as a whole.
    for (const entry of given) {
      const [stored] = records.createWithin(tx, [{ endpoint: path, data: entry.text }], origin, before);
      if (stored === undefined) counts.same += 1;
      else {
        keep(entry, stored.id);
        counts.added += 1;
      }
    }
    return counts;
  };

  const take = async (batch: Batch): Promise<void> => {
    const byKind = Map.groupBy(batch.entries, ({ kind }) => kind);
    at = await writer.write((tx) => {
      const sum: Counts = { added: 0, same: 0, changed: 0 };
      for (const [kind, entries] of byKind) {
        const place = here.get(kind);
        if (place === undefined) continue;
        const counts = storeKind(tx, place, entries);
        kinds.count(tx, id, place.endpoint, counts);
        for (const name of ['added', 'same', 'changed'] as const) sum[name] += counts[name];
      }
      for (const [index, trouble] of batch.troubles.entries())
        if (broken + index < MAX_TROUBLES) kinds.addTrouble(tx, id, broken + index, trouble);
      kinds.reach(tx, id, {
        ...sum,
        reached: JSON.stringify(batch.cursor),
        bytesRead: batch.bytesRead,
        broken: batch.troubles.length,
      });
      return {
        position: 0,
        bytes_read: batch.bytesRead,
        added: at.added + sum.added,
        skipped: at.skipped + sum.same,
      };
    });
    broken += batch.troubles.length;
    onProgress(at);
    await turn();
  };

  const end = (state: 'done' | 'failed' | 'cancelled', problem?: string): Promise<void> =>
    writer.write((tx) =>
      store.finish(tx, id, { state, time: clock.now(), ...(problem === undefined ? {} : { problem }) }),
    );

  const from = row.reached === null ? FROM_THE_START : (JSON.parse(row.reached) as Cursor);
  try {
    const work = { what: 'read', sources, kinds: wanted, bank, from } as const;
    for await (const message of inThread(work, { signal })) if (message.say === 'batch') await take(message);
    signal.throwIfAborted();
  } catch (error) {
    const ended = await endedFromOutside(error, signal, () => end('cancelled'));
    if (ended !== undefined) return ended;
    await end('failed', messageOf(error));
    return 'failed';
  }
  await end('done');
  return 'done';
};
