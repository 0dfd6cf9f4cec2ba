import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { EndpointDisplay } from '../../../../wire/fields.ts';
import type { EndpointSummary } from '../../../../wire/owner.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import { likePattern, searchKeysSql, type BrowsedRow, type BrowseStore } from './store.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { RecordQueries } from '../query-port.ts';
import type { RecordService } from '../service.ts';

/** Lets the owner browse records: pages with metadata and the total. */
export type BrowseService = {
  /** Returns the endpoints that have records. */
  endpoints(): EndpointSummary[];
  /** Returns a page as JSON text (`BrowsePage`). */
  page(request: BrowseRequest): Promise<AsyncGenerator<string | Buffer>>;
  /** Returns one record as JSON text. @throws Failure not_found */
  record(id: string): AsyncGenerator<string | Buffer>;
};

/** Page of an endpoint, with an optional search. */
export type BrowseRequest = {
  endpoint: string;
  search: string | undefined;
  orderBy: string | undefined;
  order: 'ascending' | 'descending';
  skip: number;
  take: number;
};

/** Bytes of records that are read in one turn of the event loop. */
const CHUNK_BYTES = 256_000;

/** Dependencies of the browse service. */
export type BrowseParts = {
  store: BrowseStore;
  endpoints: EndpointStore;
  records: RecordService;
  queries: Pick<RecordQueries, 'keys'>;
  reader: DatabaseThread;
  /** Returns name, icon and colour of an endpoint. */
  displayOf: (endpoint: string) => EndpointDisplay;
};

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** Converts an origin to its response format. The origin of a function includes the run. */
const originToWire = ({ kind, name, reference }: Required<Origin>) =>
  kind === 'function' ? { kind, name, run: reference } : { kind, name };

export const createBrowseService = (parts: BrowseParts): BrowseService => {
  const { store, endpoints, records, queries, reader, displayOf } = parts;

  /** Returns the JSON text before and after the data of a record. The data itself is sent unchanged. */
  const frameOf = (row: BrowsedRow, path: string): { head: string; tail: string } => {
    const metadata = {
      dateCreated: isoTime(row.created),
      lastUpdated: isoTime(row.updated ?? row.created),
      bytes: row.bytes,
      origin: originToWire(endpoints.originOf(row.origin)),
    };
    return {
      head: `{"endpoint":${JSON.stringify(path)},"recordId":"${row.id}","data":`,
      tail: `,${JSON.stringify(metadata).slice(1)}`,
    };
  };

  /** Finds the sequence numbers of a page and the total of the matching records. */
  const findPage = async (
    id: number,
    total: number,
    request: BrowseRequest,
  ): Promise<{ total: number; seqs: number[] }> => {
    const { endpoint, search, orderBy, order, skip, take } = request;
    if (search !== undefined && search !== '') {
      // Reads all matches, because the response contains the total. A million numbers are transferred from the thread
      // at once.
      const sql = searchKeysSql(order === 'ascending' ? 'ASC' : 'DESC');
      const keys = await reader.numbers(sql, [id, likePattern(search)]).catch((error: unknown) => {
        throw asReadFailure(error);
      });
      const matchingSeqs = seqsOfKeys(keys);
      if (orderBy === undefined) return { total: matchingSeqs.length, seqs: matchingSeqs.slice(skip, skip + take) };
      const matches = new Set(matchingSeqs);
      const orderedSeqs = seqsOfKeys(
        await queries.keys([{ endpoint }], { orderBy, ordering: order, skip: 0, take: null }),
      );
      return {
        total: matchingSeqs.length,
        seqs: orderedSeqs.filter((seq) => matches.has(seq)).slice(skip, skip + take),
      };
    }
    if (orderBy !== undefined) {
      return { total, seqs: seqsOfKeys(await queries.keys([{ endpoint }], { orderBy, ordering: order, skip, take })) };
    }
    await records.extendPageOffsets(endpoint, { order, skip });
    return { total, seqs: records.seqs(endpoint, { order, skip, take }) };
  };

  async function* pageChunks(total: number, seqs: readonly number[], path: string): AsyncGenerator<string | Buffer> {
    yield `{"total":${total},"records":[`;
    let buffered: (string | Buffer)[] = [];
    let bytes = 0;
    let separator = '';
    for (const seq of seqs) {
      const row = store.bySeq(seq);
      if (row === undefined) continue;
      const { head, tail } = frameOf(row, path);
      buffered.push(separator, head);
      separator = ',';
      bytes += row.bytes;
      if (bytes < CHUNK_BYTES) {
        buffered.push(row.data, tail);
        continue;
      }
      for (const chunk of buffered) yield chunk;
      yield* decodeInSlices(row.data);
      [buffered, bytes] = [[tail], 0];
      await nextTurn();
    }
    yield Buffer.concat(buffered.map((chunk) => Buffer.from(chunk)));
    yield ']}';
  }

  return {
    endpoints: () =>
      endpoints.list().map((row) => ({
        endpoint: row.path,
        ...displayOf(row.path),
        records: row.records,
        bytes: row.bytes,
        firstRecord: isoOrNull(row.first_created),
        lastRecord: isoOrNull(row.last_created),
        lastChange: isoOrNull(row.last_change),
      })),

    async page(request) {
      const summary = endpoints.summary(request.endpoint);
      if (summary === undefined) return pageChunks(0, [], request.endpoint);
      const { total, seqs } = await findPage(summary.id, summary.records, request);
      return pageChunks(total, seqs, request.endpoint);
    },

    record(id) {
      const location = records.locate(id);
      const row = location === undefined ? undefined : store.bySeq(location.seq);
      if (location === undefined || row === undefined)
        throw new Failure('not_found', 'There is no record with this id.');
      return (async function* chunks() {
        const { head, tail } = frameOf(row, location.endpoint);
        yield head;
        yield* decodeInSlices(row.data);
        yield tail;
      })();
    },
  };
};

/** Extracts the sequence numbers from keys, which are pairs of entry and sequence number. */
const seqsOfKeys = (keys: Float64Array): number[] =>
  Array.from({ length: keys.length / 2 }, (_, index) => keys[2 * index + 1] ?? 0);
