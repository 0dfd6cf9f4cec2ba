import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Principal } from '../../../platform/auth/principal.ts';
import type { Clock } from '../../../platform/clock.ts';
import { createDownloadTickets } from '../../../platform/http/download-tickets.ts';
import { Failure } from '../../../platform/failure.ts';
import { decodeInSlices } from '../../../platform/json/text-slices.ts';
import type { ExportRequest } from '../../../wire/imports.ts';
import type { TableSelection } from '../../../wire/table.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { TableService } from '../queries/table/service.ts';
import type { Endpoints, RecordReader, RecordService } from '../records/service.ts';
import { streamCsvTable, streamJsonColumns, type ExportColumn, type ExportJob } from './encoding.ts';

type ExportFormat = ExportRequest['format'];

export type ExportService = {
  /**
   * Issues a ticket for one download, because a browser starts downloads without an authentication header.
   * @throws Failure not_found if the endpoint does not exist; query_limit_exceeded if the selection takes too long
   */
  issueTicket(request: ExportRequest, principal: Principal): Promise<string>;
  /**
   * Redeems a ticket, which is possible once.
   * @throws Failure not_found if the ticket is unknown, used or expired, if its session has ended, or if its endpoint
   *   has been deleted
   */
  download(ticket: string): { stream: Readable; endpoint: string; format: ExportFormat };
  /** Streams all records of an endpoint with all fields. @throws Failure not_found */
  stream(endpoint: string, format: ExportFormat): AsyncGenerator<string | Buffer>;
};

type ExportedRow = ReturnType<RecordReader['sizedChunk']>[number];
/** Yields the exported records in chunks. @param upTo highest sequence number; ignored if the records are listed */
type ExportSource = (upTo?: number) => AsyncGenerator<ExportedRow[]>;

/** Maximum records per chunk: a few milliseconds of work per turn of the event loop. */
const CHUNK_RECORDS = 300;
/**
 * A chunk ends at this size. Larger records are passed on as bytes, because a string would stay on the heap until the
 * next full garbage collection.
 */
const LARGE_RECORD_BYTES = 256_000;
/** For a larger endpoint, a selection in the order of creation is evaluated during the download, not before it. */
const LISTED_MAX_RECORDS = 100_000;
/** The number is limited, because a ticket may contain the sequence numbers of its records, 8 bytes each. */
const MAX_TICKETS = 50;

export const createExportService = (parts: {
  endpoints: Pick<Endpoints, 'find' | 'summary'>;
  records: Pick<RecordReader, 'findSized' | 'sizedChunk' | 'content'>;
  locate: RecordService['locate'];
  table: Pick<TableService, 'seqs' | 'sortSeqs' | 'seqParts'>;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
  /** Replaces LISTED_MAX_RECORDS; for tests. */
  listedMaxRecords?: number;
}): ExportService => {
  const { endpoints, records, locate, table, owner, clock, listedMaxRecords = LISTED_MAX_RECORDS } = parts;
  type Subject = {
    endpoint: string;
    format: ExportFormat;
    /** Sequence numbers of the exported records, or a selection in the order of creation; undefined: all records. */
    selected: Float64Array | TableSelection | undefined;
    /** Exported fields; undefined: all fields. */
    columns: readonly ExportColumn[] | undefined;
  };
  const downloads = createDownloadTickets<Subject>({ sessions: owner, clock, maxTickets: MAX_TICKETS });

  const idOf = (path: string): number => {
    const id = endpoints.find(path);
    if (id === undefined) throw new Failure('not_found', `There are no records at ${path}.`);
    return id;
  };

  const allRecords = (endpoint: number): ExportSource =>
    async function* chunks(upTo = Number.MAX_SAFE_INTEGER) {
      for (let after = -1; ;) {
        const rows = records
          .sizedChunk(endpoint, after, CHUNK_RECORDS, LARGE_RECORD_BYTES)
          .filter((row) => row.seq <= upTo);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows;
        after = last.seq;
        await nextTurn();
      }
    };

  /** Yields the records with these sequence numbers. Omits records that have been deleted or moved in the meantime. */
  async function* listedRecords(endpoint: number, seqs: Float64Array): AsyncGenerator<ExportedRow[]> {
    for (let index = 0; index < seqs.length;) {
      const rows: ExportedRow[] = [];
      let bytes = 0;
      for (; index < seqs.length && rows.length < CHUNK_RECORDS && bytes < LARGE_RECORD_BYTES; index += 1) {
        const seq = seqs[index] ?? 0;
        const record = records.findSized(seq, LARGE_RECORD_BYTES);
        if (record === undefined || record.endpoint !== endpoint) continue;
        rows.push({ seq, bytes: record.bytes, data: record.data });
        bytes += record.bytes;
      }
      if (rows.length > 0) yield rows;
      await nextTurn();
    }
  }

  const selectedRecords = (path: string, endpoint: number, selected: Float64Array | TableSelection): ExportSource =>
    async function* chunks(upTo = Number.MAX_SAFE_INTEGER) {
      if (selected instanceof Float64Array) yield* listedRecords(endpoint, selected);
      else
        for await (const seqs of table.seqParts(path, selected))
          yield* listedRecords(
            endpoint,
            seqs.filter((seq) => seq <= upTo),
          );
    };

  const textsOf = (rows: readonly ExportedRow[]): ExportJob['records'] =>
    rows.flatMap(({ seq, data }) => data ?? records.content(seq) ?? []);

  /**
   * Streams a CSV table. Without columns, the records are read twice: first for the columns, then for the rows, to
   * bound the memory.
   */
  const csvTable = (source: ExportSource, columns: Subject['columns']): AsyncGenerator<Buffer> => {
    let newestSeq = Number.MAX_SAFE_INTEGER;
    return streamCsvTable(async function* texts() {
      let last = -1;
      for await (const rows of source(newestSeq)) {
        last = rows.reduce((highest, { seq }) => Math.max(highest, seq), last);
        yield textsOf(rows);
      }
      // Records stored between the two passes are left out: they may have columns that are not in the header.
      newestSeq = last;
    }, columns);
  };

  async function* textChunks(source: ExportSource): AsyncGenerator<ExportJob['records']> {
    for await (const rows of source()) {
      const texts = textsOf(rows);
      if (texts.length > 0) yield texts;
    }
  }

  async function* streamJsonRecords(source: ExportSource, isArray: boolean): AsyncGenerator<string> {
    let isEmpty = true;
    const start = (): string => {
      const separator = isEmpty ? '[\n' : ',\n';
      isEmpty = false;
      return isArray ? separator : '';
    };
    const end = isArray ? '' : '\n';
    for await (const rows of source()) {
      let text = '';
      for (const { seq, data } of rows) {
        if (data !== null) {
          text += start() + data + end;
          continue;
        }
        const content = records.content(seq);
        if (content === undefined) continue;
        yield text + start();
        yield* decodeInSlices(content);
        text = end;
      }
      if (text !== '') yield text;
    }
    if (isArray) yield isEmpty ? '[]\n' : '\n]\n';
  }

  const encode = ({ endpoint, format, selected, columns }: Subject): AsyncGenerator<string | Buffer> => {
    const id = idOf(endpoint);
    const source = selected === undefined ? allRecords(id) : selectedRecords(endpoint, id, selected);
    if (format === 'csv') return csvTable(source, columns);
    const isArray = format === 'json';
    return columns === undefined
      ? streamJsonRecords(source, isArray)
      : streamJsonColumns(textChunks(source), columns, isArray);
  };

  const seqsOf = async (endpoint: string, ids: readonly string[], order: ExportRequest['order']) => {
    const seqs = ids.flatMap((id) => locate(id.toLowerCase())?.seq ?? []);
    if (order === undefined) return Float64Array.from(seqs);
    const { sorts, oldestFirst } = order;
    if (sorts.length > 0) return table.sortSeqs(endpoint, seqs, sorts);
    return Float64Array.from(seqs).toSorted((a, b) => (oldestFirst ? a - b : b - a));
  };

  const isReadInParts = (endpoint: string, selection: TableSelection): boolean =>
    selection.sorts.length === 0 && (endpoints.summary(endpoint)?.records ?? 0) > listedMaxRecords;

  const selectedOf = async (request: ExportRequest): Promise<Subject['selected']> => {
    const { endpoint, selection, records: ids, order } = request;
    if (ids !== undefined) return seqsOf(endpoint, ids, order);
    if (selection === undefined || isReadInParts(endpoint, selection)) return selection;
    return table.seqs(endpoint, selection);
  };

  return {
    async issueTicket(request, principal) {
      const { endpoint, format, columns } = request;
      idOf(endpoint);
      return downloads.issue({ endpoint, format, columns, selected: await selectedOf(request) }, principal);
    },
    download(ticket) {
      const { subject, bind } = downloads.redeem(ticket);
      const content = Readable.from(encode(subject), { objectMode: false });
      bind(content);
      return { stream: content, endpoint: subject.endpoint, format: subject.format };
    },
    stream: (endpoint, format) => encode({ endpoint, format, selected: undefined, columns: undefined }),
  };
};
