import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { BankOptions } from '../../../../wire/imports.ts';
import type { EntrySink, FoundEntry, Kind } from '../parsing/entries.ts';
import { contentOf, type Cursor, type FromThread, type ImportedEntry, type Trouble } from './messages.ts';
import { createReader, kindsOf } from '../formats/registry.ts';
import type { Source } from '../archives/source.ts';
import { walkSources, type Known } from '../archives/traversal.ts';

/** Entries and characters per batch, which is stored in one transaction. */
const MAX_ENTRIES = 200;
const MAX_CHARS = 2_000_000;
const KEY_BYTES = 16;
const TIME_BYTES = 6;
/** What a record may hold; larger ones could not be sent as one either. */
const MAX_RECORD_CHARS = 9_000_000;
const MAX_NAME = 300;

/** The place of a member, shown to a person. */
export const shownName = (name: string): string =>
  (name.length > MAX_NAME ? `…${name.slice(-MAX_NAME)}` : name).toWellFormed();

/** Keys begin with the time of what they are for, where that never changes: so they are stored in their order, which is fast. */
export const keyOf = ({ kind, at, identity }: FoundEntry): string => {
  const key = createHash('sha256')
    .update(`${kind}\n${at ?? ''}\n${identity}`)
    .digest()
    .subarray(0, KEY_BYTES);
  if (at !== undefined && at >= 0 && at < 2 ** 48) key.writeUIntBE(Math.floor(at), 0, TIME_BYTES);
  return key.toString('latin1');
};

/** What JSON has no words for, or two readers read differently, is left out. */
const textOf = (entry: FoundEntry): string => JSON.stringify(entry.data);

type Given = {
  sources: readonly Source[];
  kinds: readonly Kind[];
  bank: BankOptions | undefined;
  from: Cursor;
  /** Waits until the batch was taken. */
  hand(message: Extract<FromThread, { say: 'batch' }>): Promise<void>;
  /** Reports progress between chunks. */
  alive(bytesRead: number): void;
};

/** Reads an export from a place on, in batches. */
export const readExport = async ({ sources, kinds, bank, from, hand, alive }: Given): Promise<void> => {
  const wanted = new Set<Kind>(kinds);
  const before = sources.map((_, at) => sources.slice(0, at).reduce((sum, { size }) => sum + size, 0));
  let entries: ImportedEntry[] = [];
  let troubles: Trouble[] = [];
  let chars = 0;
  let cursor = from;
  let bytesRead = 0;
  let brokenSeen = 0;

  const flush = async (): Promise<void> => {
    if (entries.length === 0 && troubles.length === 0) return;
    const message = { say: 'batch', entries, troubles, cursor, bytesRead } as const;
    entries = [];
    troubles = [];
    chars = 0;
    await hand(message);
  };

  const readOne = async (known: Known): Promise<void> => {
    const { source, member } = known;
    if (source < from.source || (source === from.source && member < from.member)) return;
    if (!kindsOf(known.reader).some((kind) => wanted.has(kind))) return;
    const skip = source === from.source && member === from.member ? from.entry : 0;
    const name = shownName(known.name);
    let entry = 0;
    // A reader may emit a thousand entries at once: full batches are split off here and passed on after the chunk.
    const full: { entries: ImportedEntry[]; troubles: Trouble[]; cursor: Cursor }[] = [];
    const count = (): boolean => {
      entry += 1;
      if (entry <= skip) return false;
      cursor = { source, member, entry, broken: brokenSeen };
      return true;
    };
    const cut = (): void => {
      if (entries.length < MAX_ENTRIES && chars < MAX_CHARS && troubles.length < MAX_ENTRIES) return;
      full.push({ entries, troubles, cursor });
      entries = [];
      troubles = [];
      chars = 0;
    };
    const found: EntrySink = {
      entry(one, place) {
        if (!count() || !wanted.has(one.kind)) return;
        const text = textOf(one);
        if (text.length > MAX_RECORD_CHARS)
          troubles.push({ place: `${name}, ${place}`, problem: 'this entry is too large' });
        else {
          entries.push({ kind: one.kind, key: keyOf(one), content: contentOf(text), text });
          chars += text.length;
        }
        cut();
      },
      trouble(place, problem) {
        if (count()) troubles.push({ place: `${name}, ${place}`, problem });
        cut();
      },
    };
    const handFull = async (): Promise<void> => {
      for (const batch of full.splice(0)) await hand({ say: 'batch', ...batch, bytesRead });
    };
    const reader = createReader(known.reader, found, bank);
    let done = 0;
    for await (const piece of known.content()) {
      await reader.push(piece);
      done += piece.length;
      const share = known.size === 0 ? 1 : Math.min(1, done / known.size);
      bytesRead = (before[source] ?? 0) + known.doneBefore + Math.floor(known.packed * share);
      await handFull();
      alive(bytesRead);
      await turn();
    }
    await reader.end();
    await handFull();
  };

  await walkSources(
    sources,
    {
      known: readOne,
      passedOver: () => undefined,
      goesOn() {
        alive(bytesRead);
        return true;
      },
      broken(source, problem) {
        brokenSeen += 1;
        if (brokenSeen <= from.broken) return;
        cursor = { ...cursor, broken: brokenSeen };
        troubles.push({ place: shownName(source.name), problem });
      },
    },
    bank === undefined ? {} : { as: 'bank' },
  );
  await flush();
};
