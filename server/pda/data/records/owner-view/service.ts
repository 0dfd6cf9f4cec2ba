import { setImmediate as turn } from 'node:timers/promises';
import { isoTime } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { EndpointSummary } from '../../../../wire/owner.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import { textSlices } from '../../../../platform/json/text-slices.ts';
import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import { likePattern, searchKeysSql, type BrowsedRow, type BrowseStore } from './store.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { RecordQueries } from '../query-port.ts';
import type { RecordService } from '../service.ts';

/** The owner's look at their own data: pages with all that is known of each record, and the total. */
export type BrowseService = {
  endpoints(): EndpointSummary[];
  /** A page as JSON text (`BrowsePage`). */
  page(request: BrowseRequest): Promise<AsyncGenerator<string | Buffer>>;
  /** @throws Failure not_found */
  record(id: string): AsyncGenerator<string | Buffer>;
};

export type BrowseRequest = {
  endpoint: string;
  search: string | undefined;
  orderBy: string | undefined;
  order: 'ascending' | 'descending';
  skip: number;
  take: number;
};

/** Bytes of records that are read in one turn of the event loop. */
const PIECE_BYTES = 256_000;

export type BrowseParts = {
  store: BrowseStore;
  endpoints: EndpointStore;
  records: RecordService;
  queries: Pick<RecordQueries, 'keys'>;
  reader: DatabaseThread;
};

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

/** Of what a function made, also the run that it came from. */
const shownOrigin = ({ kind, name, reference }: Required<Origin>) =>
  kind === 'function' ? { kind, name, run: reference } : { kind, name };

export const createBrowseService = (parts: BrowseParts): BrowseService => {
  const { store, endpoints, records, queries, reader } = parts;

  /** What stands around the data of a record, which is shown to the letter. */
  const frameOf = (row: BrowsedRow, path: string): { head: string; tail: string } => {
    const rest = {
      dateCreated: isoTime(row.created),
      lastUpdated: isoTime(row.updated ?? row.created),
      bytes: row.bytes,
      origin: shownOrigin(endpoints.originOf(row.origin)),
    };
    return {
      head: `{"endpoint":${JSON.stringify(path)},"recordId":"${row.id}","data":`,
      tail: `,${JSON.stringify(rest).slice(1)}`,
    };
  };

  /** Total and the page's places. */
  const keysOf = async (
    id: number,
    total: number,
    request: BrowseRequest,
  ): Promise<{ total: number; seqs: number[] }> => {
    const { endpoint, search, orderBy, order, skip, take } = request;
    if (search !== undefined && search !== '') {
      // All places that match: the total is asked for anyway, and the thread hands a million of them over at once.
      const sql = searchKeysSql(order === 'ascending' ? 'ASC' : 'DESC');
      const places = await reader.numbers(sql, [id, likePattern(search)]).catch((error: unknown) => {
        throw asReadFailure(error);
      });
      const found = everySecond(places);
      if (orderBy === undefined) return { total: found.length, seqs: found.slice(skip, skip + take) };
      const wanted = new Set(found);
      const ordered = everySecond(
        await queries.keys([{ endpoint }], { orderBy, ordering: order, skip: 0, take: null }),
      );
      return { total: found.length, seqs: ordered.filter((seq) => wanted.has(seq)).slice(skip, skip + take) };
    }
    if (orderBy !== undefined) {
      return { total, seqs: everySecond(await queries.keys([{ endpoint }], { orderBy, ordering: order, skip, take })) };
    }
    await records.approach(endpoint, { order, skip });
    return { total, seqs: records.places(endpoint, { order, skip, take }) };
  };

  async function* pagePieces(total: number, seqs: readonly number[], path: string): AsyncGenerator<string | Buffer> {
    yield `{"total":${total},"records":[`;
    let gathered: (string | Buffer)[] = [];
    let bytes = 0;
    let separator = '';
    for (const seq of seqs) {
      const row = store.bySeq(seq);
      if (row === undefined) continue;
      const { head, tail } = frameOf(row, path);
      gathered.push(separator, head);
      separator = ',';
      bytes += row.bytes;
      if (bytes < PIECE_BYTES) {
        gathered.push(row.data, tail);
        continue;
      }
      for (const piece of gathered) yield piece;
      yield* textSlices(row.data);
      [gathered, bytes] = [[tail], 0];
      await turn();
    }
    yield Buffer.concat(gathered.map((piece) => Buffer.from(piece)));
    yield ']}';
  }

  return {
    endpoints: () =>
      endpoints.list().map((row) => ({
        endpoint: row.path,
        records: row.records,
        bytes: row.bytes,
        firstRecord: isoOrNull(row.first_created),
        lastRecord: isoOrNull(row.last_created),
        lastChange: isoOrNull(row.last_change),
      })),

    async page(request) {
      const summary = endpoints.summary(request.endpoint);
      if (summary === undefined) return pagePieces(0, [], request.endpoint);
      const { total, seqs } = await keysOf(summary.id, summary.records, request);
      return pagePieces(total, seqs, request.endpoint);
    },

    record(id) {
      const found = records.locate(id);
      const row = found === undefined ? undefined : store.bySeq(found.seq);
      if (found === undefined || row === undefined)
        throw new Failure('not_found', 'This record is not here (any more).');
      return (async function* pieces() {
        const { head, tail } = frameOf(row, found.endpoint);
        yield head;
        yield* textSlices(row.data);
        yield tail;
      })();
    },
  };
};

/** Keys come as pairs of entry and place. */
const everySecond = (keys: Float64Array): number[] =>
  Array.from({ length: keys.length / 2 }, (_, index) => keys[2 * index + 1] ?? 0);
