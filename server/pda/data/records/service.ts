import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { NonOwnerReader } from '../../../platform/auth/access-trace.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { Anchors } from './paging/page-offset-index.ts';
import type { EndpointStore, Origin } from '../../core/endpoint-store.ts';
import { createDistinctWriter, type DistinctWriter } from './deduplication/distinct-writer.ts';
import type { FingerprintStore } from './deduplication/fingerprint-store.ts';
import { exactPieces } from './paging/record-chunks.ts';
import { oneRecord, runOfRecords, type Happening } from './changes/change-events.ts';
import { removeRecord } from './changes/removal.ts';
import { pagePieces, type PageStart } from './paging/page-chunks.ts';
import { recordSlices } from './paging/record-slices.ts';
import { namespaceOf, PAGE_BYTES_MAX, recordHead, recordsPerPiece, recordText } from './rules.ts';
import { idAt, placeOf, type Sequence } from '../../core/sequence.ts';
import type { Row } from './changes/row-batch.ts';
import type { RecordQuota } from './quota/record-quota.ts';
import type { RecordRow, RecordStore } from './store.ts';
import type { UsageStore } from '../../core/usage-store.ts';

export type { DataCalls } from './handlers.ts';
export type { FieldEquality } from './query-port.ts';
export type { RecordQuota } from './quota/record-quota.ts';
export type { Sequence } from '../../core/sequence.ts';

export type { Origin, OriginKind } from '../../core/endpoint-store.ts';

/** What other rooms may ask about endpoints. */
export type Endpoints = Pick<
  EndpointStore,
  'find' | 'intern' | 'summary' | 'findOrigin' | 'pathOf' | 'originOf' | 'list'
>;
/** How other rooms look at stored records, one or some at a time. */
export type RecordReader = Pick<
  RecordStore,
  | 'bySeq'
  | 'sized'
  | 'content'
  | 'metaText'
  | 'chunk'
  | 'sizedChunk'
  | 'chunkOfOrigin'
  | 'head'
  | 'headsIn'
  | 'newestSeq'
>;

/** A record that was stored: its id and its data as it was given. */
export type Stored = { endpoint: string; id: string; data: string | Buffer };
/** `data` is checked JSON: text, or the UTF-8 bytes of it. */
export type NewRecord = { endpoint: string; data: string | Buffer };
/** A record that was taken away. */
export type Removed = { endpoint: string; seq: number; id: string };
export type LocatedRecord = { seq: number; id: string; endpoint: string };
export type Change = { endpoint: string; recordId: string; data: string };
export type RecordReadOptions = { order: 'ascending' | 'descending'; skip: number; take: number; meta: boolean };

export type RecordService = {
  /** Stores all records or none. */
  create(records: readonly NewRecord[], origin: Origin): Promise<Stored[]>;
  createDistinct: DistinctWriter['create'];
  /** The same within a transaction that another room leads. `unlessUpTo`: leaves out what was there at or before that seq. */
  createWithin(tx: Transaction, records: readonly NewRecord[], origin: Origin, unlessUpTo?: number): Stored[];
  /** Records of an endpoint as JSON text, in the order of creation: whole when they are few, else piece by piece. */
  read(endpoint: string, options: RecordReadOptions): Buffer | AsyncGenerator<string | Buffer>;
  /**
   * Reads for a non-owner: `seen` receives each record before its text is available, and no other record is in the response.
   * @throws Failure rate_limited
   */
  readSeen(
    endpoint: string,
    options: RecordReadOptions,
    guest: NonOwnerReader,
  ): Promise<Buffer | AsyncGenerator<string | Buffer>>;
  /**
   * Brings the page-offset index near to a page that lies deep in an endpoint, without holding the event loop. Without it the read
   * itself would count all records before the page.
   */
  approach(endpoint: string, options: Pick<RecordReadOptions, 'order' | 'skip'>): Promise<void>;
  /** The places of a page, in its order. */
  places(endpoint: string, options: Omit<RecordReadOptions, 'meta'>): number[];
  find(id: string): { record: RecordRow; endpoint: string } | undefined;
  /** A record without its data. */
  locate(id: string): LocatedRecord | undefined;
  /** A located record as JSON text: whole when it is small, else slice by slice; undefined when it is gone. */
  text(located: LocatedRecord): string | AsyncGenerator<string> | undefined;
  /** Replaces the data of records; all or none. @throws Failure data_missing */
  update(changes: readonly Change[], origin: Origin): Promise<void>;
  /** The same within a transaction that another room leads. */
  updateWithin(tx: Transaction, changes: readonly Change[], origin: Origin): void;
  /** Removes records for good; all or none. @throws Failure data_missing | forbidden */
  remove(ids: readonly string[], mayWrite: (namespace: string) => boolean, origin: Origin): Promise<Removed[]>;
  /** Namespaces that `mayKnow` lets through, each with the rest of its endpoints. */
  sources(mayKnow: (namespace: string) => boolean): Record<string, string[]>;
  /** Brings the fingerprints of an endpoint up to date without holding the event loop. */
  prepareFingerprints(endpoint: string): Promise<void>;
  newestSeq(): number;
};

/** Places that are read in one go. */
const PLACES_AT_ONCE = 5000;
const EMPTY = Buffer.from('[]');
/** Records that are counted in one turn of the event loop, and between two entries of the page-offset index. */
const ANCHOR_STEP = 10_000;
const FROM_START = -1;
const FROM_END = Number.MAX_SAFE_INTEGER;

export type RecordParts = {
  store: RecordStore;
  endpoints: EndpointStore;
  fingerprints: FingerprintStore;
  anchors: Anchors;
  sequence: Sequence;
  usage: UsageStore;
  quota: Pick<RecordQuota, 'charge'>;
  writer: Writer;
  events: EventService;
  clock: Clock;
};

const missing = (doing: string): Failure =>
  new Failure('data_missing', `Could not ${doing} records: records missing. Nothing was changed.`);

export const createRecordService = (parts: RecordParts): RecordService => {
  const { store, endpoints, fingerprints, anchors, sequence, usage, quota, writer, events, clock } = parts;
  const removal = { records: store, fingerprints, anchors, events, usage };

  const createWithin = (
    tx: Transaction,
    records: readonly NewRecord[],
    origin: Origin,
    unlessUpTo?: number,
  ): Stored[] => {
    const originId = endpoints.origin(tx, origin);
    const time = clock.now();
    const stored: Stored[] = [];
    let path = '';
    let endpoint = 0;
    let bytes = 0;
    let firstSeq = 0;
    let rows: Row[] = [];
    /** Stores what has gathered for one endpoint, and reports it as one thing that happened. */
    const settle = (): void => {
      if (rows.length === 0) return;
      quota.charge(tx, { endpoint, origin: originId, bytes }, origin);
      store.insertMany(tx, { endpoint, origin: originId, created: time, firstSeq, rows });
      const run = { endpoint, firstSeq, lastSeq: firstSeq + rows.length - 1, count: rows.length, bytes };
      events.report(tx, runOfRecords('created', run, { origin: originId, time }));
      rows = [];
      bytes = 0;
    };
    for (const record of records) {
      if (record.endpoint !== path) {
        settle();
        path = record.endpoint;
        endpoint = endpoints.intern(tx, path);
      }
      if (unlessUpTo !== undefined && fingerprints.hasEqual(endpoint, record.data.toString(), unlessUpTo)) continue;
      const seq = sequence.next(time);
      // At one time places follow one another; a run begins with the first of them.
      if (rows.length === 0) firstSeq = seq;
      const id = idAt(seq);
      rows.push({ id, data: record.data });
      bytes += Buffer.byteLength(record.data);
      stored.push({ endpoint: path, id, data: record.data });
    }
    settle();
    return stored;
  };

  const prepareFingerprints = async (path: string): Promise<void> => {
    const endpoint = endpoints.find(path);
    if (endpoint === undefined) return;
    // Records that are stored meanwhile are not waited for: a busy writer could keep this going for ever.
    const [newest = FROM_START] = store.places('descending', { endpoint, from: FROM_END, take: 1, skip: 0 });
    while (!fingerprints.covers(endpoint, newest)) {
      if ((await writer.write((tx) => fingerprints.catchUp(tx, endpoint))) === 0) return;
    }
  };

  const distinct = createDistinctWriter({ writer, endpoints, fingerprints, prepareFingerprints, createWithin });

  const find = (id: string): { record: RecordRow; endpoint: string } | undefined => {
    const seq = placeOf(id);
    const record = seq === undefined ? undefined : store.bySeq(seq);
    if (record === undefined || record.id !== id.toLowerCase()) return undefined;
    const endpoint = endpoints.pathOf(record.endpoint);
    return endpoint === undefined ? undefined : { record, endpoint };
  };

  const locate = (id: string): LocatedRecord | undefined => {
    const seq = placeOf(id);
    const record = seq === undefined ? undefined : store.head(seq);
    if (seq === undefined || record === undefined || record.id !== id.toLowerCase()) return undefined;
    const endpoint = endpoints.pathOf(record.endpoint);
    return endpoint === undefined ? undefined : { seq, id: record.id, endpoint };
  };

  const textOf = ({ seq, endpoint }: LocatedRecord): string | AsyncGenerator<string> | undefined => {
    const record = store.sized(seq, PAGE_BYTES_MAX);
    if (record === undefined) return undefined;
    if (record.data !== null) return recordText(endpoint, record.id, record.data);
    return recordSlices(store, { head: recordHead(endpoint), endpoint: record.endpoint, seq, meta: false });
  };

  /** Where a page starts: at an end, or at the nearest anchor. */
  const startOf = (endpoint: number, total: number, order: RecordReadOptions['order'], skip: number): PageStart => {
    const anchor =
      order === 'ascending' ? anchors.ascending(endpoint, skip) : anchors.descending(endpoint, skip, total);
    if (anchor !== undefined && anchor.offset < skip) return { from: anchor.seq, skip: anchor.offset };
    return { from: order === 'ascending' ? FROM_START : FROM_END, skip };
  };

  const noteEnd = (
    endpoint: number,
    total: number,
    order: RecordReadOptions['order'],
    position: number,
    last: number | null,
  ): void => {
    if (last === null) return;
    // Ascending: `position` records have a seq up to `last`. Descending: the last one read is itself the lowest of them.
    anchors.note(endpoint, order === 'ascending' ? position : total - position + 1, last);
  };

  /** Reads a page in one step if it has at most PAGE_BYTES_MAX bytes, however large single records are; else undefined. */
  const readWhole = (
    path: string,
    endpoint: number,
    { records, bytes }: { records: number; bytes: number },
    { order, meta, skip, take }: RecordReadOptions,
  ): Buffer | undefined => {
    const count = Math.min(take, records);
    if (count > recordsPerPiece(records, bytes)) return undefined;
    const maxRecordBytes = bytes <= PAGE_BYTES_MAX ? PAGE_BYTES_MAX : Math.floor(PAGE_BYTES_MAX / Math.max(1, count));
    const start = startOf(endpoint, records, order, skip);
    const page = store.page({ order, meta, head: recordHead(path), endpoint, ...start, take, maxRecordBytes });
    if ((page.largest ?? 0) > maxRecordBytes) return undefined;
    noteEnd(endpoint, records, order, skip + page.count, page.last);
    return page.text ?? EMPTY;
  };

  /** The places of a page, without holding the event loop however many they are. */
  const placesOf = async (endpoint: number, total: number, options: RecordReadOptions): Promise<number[]> => {
    const { order, take } = options;
    let { from, skip } = startOf(endpoint, total, order, options.skip);
    const seqs: number[] = [];
    for (;;) {
      const some = store.places(order, { endpoint, from, take: Math.min(PLACES_AT_ONCE, take - seqs.length), skip });
      for (const seq of some) seqs.push(seq);
      const last = some.at(-1);
      if (last === undefined || some.length < PLACES_AT_ONCE || seqs.length >= take) return seqs;
      from = order === 'ascending' ? last : last - 1;
      skip = 0;
      await turn();
    }
  };

  const readPage = (path: string, options: RecordReadOptions): Buffer | AsyncGenerator<string | Buffer> => {
    const endpoint = endpoints.find(path);
    const summary = endpoint === undefined ? undefined : endpoints.summary(path);
    if (endpoint === undefined || summary === undefined || options.take === 0) return EMPTY;
    const whole = readWhole(path, endpoint, summary, options);
    if (whole !== undefined) return whole;
    const { order, meta, skip, take } = options;
    const perPiece = recordsPerPiece(summary.records, summary.bytes);
    return pagePieces(store, { head: recordHead(path), endpoint, order, meta, take, perPiece }, () =>
      startOf(endpoint, summary.records, order, skip),
    );
  };

  const approach = async (path: string, { order, skip }: Pick<RecordReadOptions, 'order' | 'skip'>): Promise<void> => {
    const endpoint = endpoints.find(path);
    const total = endpoints.summary(path)?.records ?? 0;
    if (endpoint === undefined || skip >= total || startOf(endpoint, total, order, skip).skip <= ANCHOR_STEP) return;
    // The rank of the page's first record, counted from the oldest.
    const wanted = order === 'ascending' ? skip : total - skip;
    const drops = anchors.drops();
    const nearest = anchors.ascending(endpoint, wanted);
    let from = nearest?.seq ?? FROM_START;
    for (let rank = wanted - (nearest?.offset ?? wanted); rank < wanted;) {
      const [seq] = store.places('ascending', { endpoint, from, take: 1, skip: ANCHOR_STEP - 1 });
      // Fewer are left than a step.
      if (seq === undefined) return;
      rank += ANCHOR_STEP;
      anchors.note(endpoint, rank, seq);
      from = seq;
      await turn();
      // Records were deleted meanwhile, so the count is no longer valid.
      if (anchors.drops() !== drops) return;
    }
  };

  const places = (path: string, { order, skip, take }: Omit<RecordReadOptions, 'meta'>): number[] => {
    const endpoint = endpoints.find(path);
    const total = endpoints.summary(path)?.records ?? 0;
    if (endpoint === undefined) return [];
    const start = startOf(endpoint, total, order, skip);
    const seqs = store.places(order, { endpoint, from: start.from, take, skip: start.skip });
    noteEnd(endpoint, total, order, skip + seqs.length, seqs.at(-1) ?? null);
    return seqs;
  };

  const changeOne = (tx: Transaction, change: Change, by: Origin, { origin, time }: Happening): void => {
    const found = find(change.recordId);
    if (found === undefined || found.endpoint !== change.endpoint) throw missing('update');
    const { record } = found;
    const bytes = Buffer.byteLength(change.data) - Buffer.byteLength(record.data);
    quota.charge(tx, { endpoint: record.endpoint, origin: record.origin, bytes }, by);
    store.update(tx, record.seq, change.data, time);
    fingerprints.changed(tx, record, change.data);
    events.report(tx, oneRecord('updated', record, bytes, { origin, time }));
  };

  const updateWithin = (tx: Transaction, changes: readonly Change[], origin: Origin): void => {
    const happening = { origin: endpoints.origin(tx, origin), time: clock.now() };
    for (const change of changes) changeOne(tx, change, origin, happening);
  };

  return {
    create: (records, origin) => writer.write((tx) => createWithin(tx, records, origin)),
    createDistinct: distinct.create,

    createWithin,

    read: readPage,

    async readSeen(path, options, { recordReads: seen, longRead }) {
      const endpoint = endpoints.find(path);
      const summary = endpoint === undefined ? undefined : endpoints.summary(path);
      if (endpoint === undefined || summary === undefined || options.take === 0) return EMPTY;
      const whole = readWhole(path, endpoint, summary, options);
      if (whole !== undefined) {
        // Both reads happen in one turn of the event loop, so nothing is written between them.
        seen(path, places(path, options));
        return whole;
      }
      const perPiece = recordsPerPiece(summary.records, summary.bytes);
      longRead();
      const seqs = await placesOf(endpoint, summary.records, options);
      seen(path, seqs);
      const { order, meta } = options;
      return exactPieces({ store, endpoints }, { path, endpoint, order, meta, perPiece, seqs });
    },

    approach,

    places,

    find,
    locate,
    text: textOf,

    update: (changes, origin) => writer.write((tx) => updateWithin(tx, changes, origin)),
    updateWithin,

    remove: (ids, mayWrite, origin) =>
      writer.write((tx) => {
        const happening = { origin: endpoints.origin(tx, origin), time: clock.now() };
        const removed: Removed[] = [];
        for (const id of new Set(ids)) {
          const found = find(id);
          if (found === undefined) throw missing('delete');
          if (!mayWrite(namespaceOf(found.endpoint))) {
            throw new Failure(
              'forbidden',
              'This token may not change records in some of the namespaces. Nothing was deleted.',
            );
          }
          removeRecord(removal, tx, found.record, happening);
          removed.push({ endpoint: found.endpoint, seq: found.record.seq, id: found.record.id });
        }
        return removed;
      }),

    sources: (mayKnow) => endpoints.sources(mayKnow),
    prepareFingerprints,
    newestSeq: () => store.newestSeq(),
  };
};
