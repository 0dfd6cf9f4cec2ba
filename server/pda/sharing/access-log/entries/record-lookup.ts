import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import type { Transaction } from '../../../storage/index.ts';
import { pack, toRuns, type PackedNumbers } from '../rules.ts';
import type { AccessLogStore } from '../store.ts';

export type NamedFile = { fileId: string; name: string };

export type RecordLookup = {
  find(seq: number): { id: string; endpoint: string | undefined; file?: NamedFile } | undefined;
  seqOf(id: string): number | undefined;
  /** Returns the part of a record id that depends only on the sequence number: all but the last 17 characters. */
  idPrefixOf(seq: number): string;
};

const READ_BATCH_ROWS = 500;
/** Number of adjacent rows for which a sequential read costs as much as one lookup. */
const ROWS_PER_LOOKUP = 5;
/** Length of the random part at the end of a record id, including its hyphen. */
const TAIL_CHARS = 17;
/** Tail for records whose id is unknown, such as records that were deleted before the access log stored tails. */
const UNKNOWN_TAIL = '8000-000000000000';
/** Size of the LRU cache of packed sets. An application that polls mostly gets the same records each time. */
const MAX_CACHED_SETS = 200;

const tailOf = (id: string): Uint8Array => Buffer.from(id.slice(-TAIL_CHARS).replace('-', ''), 'hex');
const tailText = (tail: Uint8Array | null): string => {
  if (tail === null) return UNKNOWN_TAIL;
  const hex = Buffer.from(tail).toString('hex');
  return `${hex.slice(0, 4)}-${hex.slice(4)}`;
};

const isSameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

/**
 * Creates the consecutive numbering of records in the access log. Records that first appear in the log together get
 * adjacent numbers. The random part of the id is stored with the number, so that the log can name the record after its
 * deletion.
 */
export const createRecordNumbers = (parts: { store: AccessLogStore; records: RecordLookup }) => {
  const { store, records } = parts;
  const cache = new Map<string, { seqs: readonly number[]; packed: PackedNumbers }>();

  /**
   * Returns the numbers of records, and assigns the next numbers to records that have none. Reads rows sequentially
   * until a batch shows that the records are far apart.
   * @param seqs in ascending order
   */
  const findOrCreateAll = (
    tx: Transaction,
    seqs: readonly number[],
    removedIds?: ReadonlyMap<number, string>,
  ): number[] => {
    const result: number[] = [];
    let isScattered = false;
    for (let index = 0; index < seqs.length;) {
      const first = seqs[index] ?? 0;
      if (isScattered) {
        result.push(findOrCreate(tx, first, removedIds));
        index += 1;
        continue;
      }
      const batchSize = Math.min(seqs.length - index, READ_BATCH_ROWS);
      const nearbyRecords = store.recordNumbersFrom(first, batchSize);
      const upTo = nearbyRecords.length < batchSize ? Number.POSITIVE_INFINITY : (nearbyRecords.at(-1)?.[0] ?? 0);
      let hits = 0;
      for (let next = 0; index < seqs.length; index += 1) {
        const seq = seqs[index] ?? 0;
        if (seq > upTo) break;
        while (next < nearbyRecords.length && (nearbyRecords[next]?.[0] ?? 0) < seq) next += 1;
        const candidate = nearbyRecords[next];
        if (candidate?.[0] === seq) hits += 1;
        result.push(candidate?.[0] === seq ? candidate[1] : create(tx, seq, removedIds));
      }
      isScattered = hits * ROWS_PER_LOOKUP < nearbyRecords.length;
    }
    return result;
  };

  const findOrCreate = (tx: Transaction, seq: number, removedIds: ReadonlyMap<number, string> | undefined): number =>
    store.findRecordNumber(seq) ?? create(tx, seq, removedIds);

  const create = (tx: Transaction, seq: number, removedIds: ReadonlyMap<number, string> | undefined): number => {
    const id = records.find(seq)?.id ?? removedIds?.get(seq);
    return store.insertRecordNumber(tx, seq, id === undefined ? null : tailOf(id));
  };

  return {
    findOrCreateAll,

    findOrCreatePacked(
      tx: Transaction,
      seqs: readonly number[],
      removedIds?: ReadonlyMap<number, string>,
    ): PackedNumbers {
      const key = `${seqs.length} ${seqs[0]} ${seqs.at(-1)}`;
      const cachedSet = cache.get(key);
      if (cachedSet !== undefined && isSameList(cachedSet.seqs, seqs)) {
        cache.delete(key);
        cache.set(key, cachedSet);
        return cachedSet.packed;
      }
      const packed = pack(toRuns(findOrCreateAll(tx, seqs, removedIds)));
      tx.afterCommit(() => setBounded(cache, key, { seqs, packed }, MAX_CACHED_SETS));
      return packed;
    },

    /** Returns undefined if the record never appeared in the log. */
    findBySeq: (seq: number): number | undefined => store.findRecordNumber(seq),

    find(id: string): number | undefined {
      const seq = records.seqOf(id);
      const row = seq === undefined ? undefined : store.findBySeq(seq);
      if (row === undefined) return undefined;
      return row.tail === null || Buffer.from(row.tail).equals(tailOf(id.toLowerCase())) ? row.recordNumber : undefined;
    },

    /** Returns undefined for records that are not files and for erased files. */
    fileOf(recordNumber: number): NamedFile | undefined {
      const row = store.findByRecordNumber(recordNumber);
      return row === undefined ? undefined : records.find(row.seq)?.file;
    },

    /** Returns undefined for an unknown number. `exists` is false if the record was deleted. */
    describe(recordNumber: number) {
      const row = store.findByRecordNumber(recordNumber);
      if (row === undefined) return undefined;
      const recordId = records.idPrefixOf(row.seq) + tailText(row.tail);
      const record = records.find(row.seq);
      const isPresent = record?.id === recordId && record.endpoint !== undefined;
      return {
        recordId,
        endpoint: isPresent ? (record.endpoint ?? null) : null,
        exists: isPresent,
        file: (isPresent ? record.file : undefined) ?? null,
      };
    },
  };
};

export type RecordNumbers = ReturnType<typeof createRecordNumbers>;
