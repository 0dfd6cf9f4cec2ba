import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { PageOffsetIndex } from './paging/page-offset-index.ts';
import type { EndpointRow, EndpointStore, Origin } from '../../core/endpoint-store.ts';
import { createDistinctWriter, type DistinctWriter } from './deduplication/distinct-writer.ts';
import { toComparedValue } from './deduplication/fingerprint.ts';
import type { FingerprintStore } from './deduplication/fingerprint-store.ts';
import type { IndexBuilder } from './deduplication/index-builder.ts';
import { recordChunks } from './paging/record-chunks.ts';
import { createRangeEvent } from './changes/change-events.ts';
import {
  locateRemovableRecords,
  missingRecordsFailure,
  requireUpdatableRecords,
} from './changes/changeable-records.ts';
import { removePermanently } from './changes/removal.ts';
import { createUpdateBatch } from './changes/update.ts';
import { pageChunks, type PageStart } from './paging/page-chunks.ts';
import { recordSlices } from './paging/record-slices.ts';
import { PAGE_BYTES_MAX, recordHead, recordsPerChunk, recordText } from './rules.ts';
import { newId, seqOfId, type Sequence } from '../../core/sequence.ts';
import type { Row } from './changes/row-batch.ts';
import type { RecordQuota } from './quota/record-quota.ts';
import type { RecordRow, RecordStore } from './store.ts';
import type { RecordVersionStore } from './versions/store.ts';
import type { UsageStore } from '../../core/usage-store.ts';

export type { RecordHandlers } from './handlers.ts';
export type { FieldEquality } from './query-port.ts';
export type { RecordQuota } from './quota/record-quota.ts';
export type { Sequence } from '../../core/sequence.ts';
export type { Origin } from '../../core/endpoint-store.ts';

export type Endpoints = Pick<
  EndpointStore,
  'find' | 'intern' | 'summary' | 'findOrigin' | 'pathOf' | 'originOf' | 'list'
>;
export type RecordReader = Pick<
  RecordStore,
  | 'findBySeq'
  | 'findSized'
  | 'content'
  | 'metaText'
  | 'chunk'
  | 'sizedChunk'
  | 'chunkOfOrigin'
  | 'head'
  | 'listHeads'
  | 'readNewestSeq'
>;

export type StoredRecord = { endpoint: string; id: string; data: string | Buffer };
export type NewRecord = {
  endpoint: string;
  /** Validated JSON as a string or UTF-8 bytes. */
  data: string | Buffer;
  /** Required if large data is compared with existing records (`digestsOfLargeValues`). */
  digest?: string | undefined;
};
export type LocatedRecord = { seq: number; id: string; endpoint: string };
/** `data`: validated JSON. */
export type RecordUpdate = { endpoint: string; recordId: string; data: string };
export type RecordReadOptions = {
  order: 'ascending' | 'descending';
  skip: number;
  take: number;
  /** Adds the dates of each record. */
  meta: boolean;
};

export type RecordService = IndexBuilder & {
  /** Stores all records, or none. @throws Failure out_of_disk */
  create(records: readonly NewRecord[], origin: Origin): Promise<StoredRecord[]>;
  createDistinct: DistinctWriter;
  /**
   * Stores records in a transaction. Skips data that equals a record at its endpoint up to sequence number
   * `skipEqualUpTo`, which requires a transaction of `writeWithCompleteIndexes`.
   * @throws Failure out_of_disk
   */
  createWithin(tx: Transaction, records: readonly NewRecord[], origin: Origin, skipEqualUpTo?: number): StoredRecord[];
  /**
   * Returns the sequence number of a record with equal data at the same endpoint, up to `upTo`. Requires a transaction
   * of `writeWithCompleteIndexes`.
   */
  findEqualWithin(tx: Transaction, record: NewRecord, upTo: number): number | undefined;
  /** Reads a page of an endpoint as JSON text: one buffer if it is small, otherwise a stream. */
  read(endpoint: string, options: RecordReadOptions): Buffer | AsyncGenerator<string | Buffer>;
  /**
   * Reads a page like `read`. `nonOwner.recordReads` receives each record before its text is available. The response
   * contains no other records.
   * @throws Failure rate_limited
   */
  readAsNonOwner(
    endpoint: string,
    options: RecordReadOptions,
    nonOwner: NonOwnerReader,
  ): Promise<Buffer | AsyncGenerator<string | Buffer>>;
  /** Extends the page-offset index to a deep page in steps, because the read would block while it counts records. */
  extendPageOffsets(endpoint: string, options: Pick<RecordReadOptions, 'order' | 'skip'>): Promise<void>;
  seqs(endpoint: string, options: Omit<RecordReadOptions, 'meta'>): number[];
  find(id: string): { record: RecordRow; endpoint: string } | undefined;
  /** Finds a record without reading its data. */
  locate(id: string): LocatedRecord | undefined;
  /** Returns a record as JSON text: whole if it is small, else slice by slice; undefined if it no longer exists. */
  text(record: LocatedRecord): string | AsyncGenerator<string> | undefined;
  /**
   * Replaces the data of all records, or of none. Keeps the replaced data as versions, unless versions are turned off.
   * @throws Failure data_missing | too_large | out_of_disk
   */
  update(changes: readonly RecordUpdate[], origin: Origin): Promise<void>;
  /** @throws Failure data_missing | out_of_disk */
  updateWithin(tx: Transaction, changes: readonly RecordUpdate[], origin: Origin): void;
  /** Permanently deletes all records, or none. @throws Failure data_missing | forbidden | too_large */
  remove(ids: readonly string[], mayWrite: (namespace: string) => boolean, origin: Origin): Promise<LocatedRecord[]>;
  sources(isVisible: (namespace: string) => boolean): Record<string, string[]>;
  /** Returns the highest sequence number of existing and restorable records; 0 if there are none. */
  readNewestSeq(): number;
};

const SEQ_BATCH_SIZE = 5000;
const EMPTY_LIST = Buffer.from('[]');
/** Records that are counted in one turn of the event loop, up to the next entry of the page-offset index. */
const OFFSET_INDEX_STEP = 10_000;
const FROM_START = -1;
const FROM_END = Number.MAX_SAFE_INTEGER;

export type RecordParts = {
  store: RecordStore;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  indexBuilder: IndexBuilder;
  pageOffsets: PageOffsetIndex;
  sequence: Sequence;
  usage: UsageStore;
  quota: Pick<RecordQuota, 'charge' | 'chargeVersions'>;
  versions: Pick<RecordVersionStore, 'add' | 'days'>;
  writer: Writer;
  events: EventService;
  clock: Clock;
};

export const createRecordService = (parts: RecordParts): RecordService => {
  const { store, endpoints, fingerprints, indexBuilder, pageOffsets, sequence, quota, writer, events, clock } = parts;

  const findEqualWithin = (_tx: Transaction, { endpoint: path, data, digest }: NewRecord, upTo: number) => {
    const endpoint = endpoints.find(path);
    return endpoint === undefined ? undefined : fingerprints.findEqual(endpoint, toComparedValue(data, digest), upTo);
  };

  const createWithin = (
    tx: Transaction,
    records: readonly NewRecord[],
    origin: Origin,
    skipEqualUpTo?: number,
  ): StoredRecord[] => {
    const originId = endpoints.internOrigin(tx, origin);
    const time = clock.now();
    const storedRecords: StoredRecord[] = [];
    let path = '';
    let endpoint = 0;
    let bytes = 0;
    let firstSeq = 0;
    let rows: Row[] = [];
    const flush = (): void => {
      if (rows.length === 0) return;
      quota.charge(tx, { endpoint, origin: originId, bytes }, origin);
      store.insertMany(tx, { endpoint, origin: originId, created: time, firstSeq, rows });
      const range = { endpoint, firstSeq, lastSeq: firstSeq + rows.length - 1, count: rows.length, bytes };
      events.report(tx, createRangeEvent('created', range, { origin: originId, time }));
      rows = [];
      bytes = 0;
    };
    for (const record of records) {
      if (record.endpoint !== path) {
        flush();
        path = record.endpoint;
        endpoint = endpoints.intern(tx, path);
      }
      const { data } = record;
      if (skipEqualUpTo !== undefined && findEqualWithin(tx, record, skipEqualUpTo) !== undefined) continue;
      const seq = sequence.next(time);
      // Sequence numbers for the same time are consecutive, so the number of the first row determines the others.
      if (rows.length === 0) firstSeq = seq;
      const id = newId(seq);
      rows.push({ id, data });
      bytes += Buffer.byteLength(data);
      storedRecords.push({ endpoint: path, id, data });
    }
    flush();
    return storedRecords;
  };

  const find = (id: string): { record: RecordRow; endpoint: string } | undefined => {
    const seq = seqOfId(id);
    const record = seq === undefined ? undefined : store.findBySeq(seq);
    if (record === undefined || record.id !== id.toLowerCase()) return undefined;
    const endpoint = endpoints.pathOf(record.endpoint);
    return endpoint === undefined ? undefined : { record, endpoint };
  };

  const locate = (id: string): LocatedRecord | undefined => {
    const seq = seqOfId(id);
    const record = seq === undefined ? undefined : store.head(seq);
    if (seq === undefined || record === undefined || record.id !== id.toLowerCase()) return undefined;
    const endpoint = endpoints.pathOf(record.endpoint);
    return endpoint === undefined ? undefined : { seq, id: record.id, endpoint };
  };

  const textOf = ({ seq, endpoint }: LocatedRecord): string | AsyncGenerator<string> | undefined => {
    const record = store.findSized(seq, PAGE_BYTES_MAX);
    if (record === undefined) return undefined;
    if (record.data !== null) return recordText(endpoint, record.id, record.data);
    return recordSlices(store, { head: recordHead(endpoint), endpoint: record.endpoint, seq, meta: false });
  };

  const startOf = (endpoint: number, total: number, order: RecordReadOptions['order'], skip: number): PageStart => {
    const entry =
      order === 'ascending'
        ? pageOffsets.findAscending(endpoint, skip)
        : pageOffsets.findDescending(endpoint, skip, total);
    if (entry !== undefined && entry.offset < skip) return { from: entry.seq, skip: entry.offset };
    return { from: order === 'ascending' ? FROM_START : FROM_END, skip };
  };

  /** @param position rank of the page's last record in the order of the read */
  const addOffset = (
    endpoint: number,
    total: number,
    order: RecordReadOptions['order'],
    position: number,
    last: number | null,
  ): void => {
    if (last === null) return;
    // Ascending: `position` records have a sequence number up to `last`. Descending: `position` records have one from
    // `last` on.
    pageOffsets.add(endpoint, order === 'ascending' ? position : total - position + 1, last);
  };

  /** Returns undefined if the page must be streamed: it may have too many records, or has one that is too large. */
  const readWhole = (
    { path, id: endpoint, records, bytes }: EndpointRow,
    { order, meta, skip, take }: RecordReadOptions,
  ): Buffer | undefined => {
    const count = Math.min(take, records);
    if (count > recordsPerChunk(records, bytes)) return undefined;
    const maxRecordBytes = bytes <= PAGE_BYTES_MAX ? PAGE_BYTES_MAX : Math.floor(PAGE_BYTES_MAX / Math.max(1, count));
    const start = startOf(endpoint, records, order, skip);
    const page = store.page({ order, meta, head: recordHead(path), endpoint, ...start, take, maxRecordBytes });
    if ((page.largest ?? 0) > maxRecordBytes) return undefined;
    addOffset(endpoint, records, order, skip + page.count, page.last);
    return page.text ?? EMPTY_LIST;
  };

  const readSeqs = async (endpoint: number, total: number, options: RecordReadOptions): Promise<number[]> => {
    const { order, take } = options;
    let { from, skip } = startOf(endpoint, total, order, options.skip);
    const seqs: number[] = [];
    for (;;) {
      const batch = store.seqs(order, { endpoint, from, take: Math.min(SEQ_BATCH_SIZE, take - seqs.length), skip });
      for (const seq of batch) seqs.push(seq);
      const last = batch.at(-1);
      if (last === undefined || batch.length < SEQ_BATCH_SIZE || seqs.length >= take) return seqs;
      from = order === 'ascending' ? last : last - 1;
      skip = 0;
      await nextTurn();
    }
  };

  /** Returns undefined if the page is empty. Past the last record, SQLite would count all records to find nothing. */
  const endpointOfPage = (
    path: string,
    { skip, take }: Pick<RecordReadOptions, 'skip' | 'take'>,
  ): EndpointRow | undefined => {
    const summary = endpoints.summary(path);
    return summary === undefined || take === 0 || skip >= summary.records ? undefined : summary;
  };

  const readPage = (path: string, options: RecordReadOptions): Buffer | AsyncGenerator<string | Buffer> => {
    const summary = endpointOfPage(path, options);
    if (summary === undefined) return EMPTY_LIST;
    const wholePage = readWhole(summary, options);
    if (wholePage !== undefined) return wholePage;
    const { order, meta, skip, take } = options;
    const { id: endpoint, records, bytes } = summary;
    const pageRead = {
      head: recordHead(path),
      endpoint,
      order,
      meta,
      take,
      recordsPerChunk: recordsPerChunk(records, bytes),
    };
    return pageChunks(store, pageRead, () => startOf(endpoint, records, order, skip));
  };

  const extendPageOffsets = async (
    path: string,
    { order, skip }: Pick<RecordReadOptions, 'order' | 'skip'>,
  ): Promise<void> => {
    const { id: endpoint, records: total } = endpoints.summary(path) ?? { id: -1, records: 0 };
    if (skip >= total || startOf(endpoint, total, order, skip).skip <= OFFSET_INDEX_STEP) return;
    // Rank, from the oldest record, of the record before an ascending page, or of the first record of a descending one.
    const startRank = order === 'ascending' ? skip : total - skip;
    const dropCount = pageOffsets.dropCount();
    const nearestEntry = pageOffsets.findAscending(endpoint, startRank);
    let from = nearestEntry?.seq ?? FROM_START;
    for (let rank = startRank - (nearestEntry?.offset ?? startRank); rank < startRank;) {
      const [seq] = store.seqs('ascending', { endpoint, from, take: 1, skip: OFFSET_INDEX_STEP - 1 });
      if (seq === undefined) return;
      rank += OFFSET_INDEX_STEP;
      pageOffsets.add(endpoint, rank, seq);
      from = seq;
      await nextTurn();
      // A deletion, for example, may have invalidated the count.
      if (pageOffsets.dropCount() !== dropCount) return;
    }
  };

  const seqsOfPage = (path: string, { order, skip, take }: Omit<RecordReadOptions, 'meta'>): number[] => {
    const summary = endpointOfPage(path, { skip, take });
    if (summary === undefined) return [];
    const { id: endpoint, records: total } = summary;
    const start = startOf(endpoint, total, order, skip);
    const seqs = store.seqs(order, { endpoint, from: start.from, take, skip: start.skip });
    addOffset(endpoint, total, order, skip + seqs.length, seqs.at(-1) ?? null);
    return seqs;
  };

  const updateWithin = (tx: Transaction, changes: readonly RecordUpdate[], origin: Origin): void => {
    const changeContext = { origin: endpoints.internOrigin(tx, origin), time: clock.now() };
    const updateBatch = createUpdateBatch(parts, tx, origin, changeContext);
    for (const { recordId, endpoint, data } of changes) {
      // A record that is updated twice has to be read after its first update.
      if (updateBatch.isPending(seqOfId(recordId) ?? -1)) updateBatch.flush();
      const existing = find(recordId);
      if (existing === undefined || existing.endpoint !== endpoint) throw missingRecordsFailure('update');
      updateBatch.add(existing.record, data);
    }
    updateBatch.flush();
  };

  return {
    ...indexBuilder,

    create: (records, origin) => writer.write((tx) => createWithin(tx, records, origin)),
    createDistinct: createDistinctWriter({ ...parts, createWithin }),

    createWithin,
    findEqualWithin,

    read: readPage,

    async readAsNonOwner(path, options, { recordReads, admitLongRead }) {
      const summary = endpointOfPage(path, options);
      if (summary === undefined) return EMPTY_LIST;
      const wholePage = readWhole(summary, options);
      if (wholePage !== undefined) {
        // Both reads happen in one turn of the event loop, so no write can happen between them.
        recordReads(path, seqsOfPage(path, options));
        return wholePage;
      }
      const { id: endpoint, records, bytes } = summary;
      const perChunk = recordsPerChunk(records, bytes);
      admitLongRead();
      const seqs = await readSeqs(endpoint, records, options);
      recordReads(path, seqs);
      const { order, meta } = options;
      return recordChunks({ store, endpoints }, { path, endpoint, order, meta, perChunk, seqs });
    },

    extendPageOffsets,

    seqs: seqsOfPage,

    find,
    locate,
    text: textOf,

    update: (changes, origin) =>
      writer.write((tx) => {
        requireUpdatableRecords({ locate, store }, changes);
        updateWithin(tx, changes, origin);
      }),
    updateWithin,

    remove: (ids, mayWrite, origin) =>
      writer.write((tx) => {
        const change = { origin: endpoints.internOrigin(tx, origin), time: clock.now() };
        const removedRecords = locateRemovableRecords({ locate, store }, ids, mayWrite);
        removePermanently({ ...parts, records: store }, tx, removedRecords, change);
        return removedRecords;
      }),

    sources: (isVisible) => endpoints.sources(isVisible),
    readNewestSeq: () => store.readNewestSeq(),
  };
};
