import type { EntrySink } from '../parsing/entries.ts';
import type { EntryPosition, SharedPosition } from './messages.ts';

const SOURCE = 0;
const MEMBER = 1;
const ENTRY = 2;

export const createSharedPosition = (): SharedPosition =>
  new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));

/** Returns the entry that is being read; undefined if the thread is waiting for content or has not begun an entry. */
export const positionIn = (position: SharedPosition): EntryPosition | undefined => {
  const entry = Atomics.load(position, ENTRY);
  if (entry === 0) return undefined;
  return { source: Atomics.load(position, SOURCE), member: Atomics.load(position, MEMBER), entry };
};

/** Records that no entry is being read, so that a slow disk is not attributed to an entry. */
export const clearPosition = (position: SharedPosition): void => void Atomics.store(position, ENTRY, 0);

export const isSameEntry = (a: EntryPosition, b: EntryPosition): boolean =>
  a.source === b.source && a.member === b.member && a.entry === b.entry;

/** Returns the sink with a `beginEntry` that updates the shared position and reports abandoned entries as problems. */
export const trackEntries = (
  sink: Omit<EntrySink, 'beginEntry'>,
  { source, member }: { source: number; member: number },
  { position, abandoned }: { position: SharedPosition; abandoned: readonly EntryPosition[] },
): EntrySink => {
  let entry = 0;
  clearPosition(position);
  Atomics.store(position, SOURCE, source);
  Atomics.store(position, MEMBER, member);
  return {
    ...sink,
    beginEntry(filePosition) {
      entry += 1;
      Atomics.store(position, ENTRY, entry);
      const current = { source, member, entry };
      if (!abandoned.some((other) => isSameEntry(other, current))) return true;
      sink.addProblem(filePosition, 'reading this entry took too long');
      return false;
    },
  };
};
