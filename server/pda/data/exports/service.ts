import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { createDownloadTickets } from '../../../platform/http/download-tickets.ts';
import { Failure } from '../../../platform/failure.ts';
import { decodeInSlices } from '../../../platform/json/text-slices.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import { streamCsvTable } from './csv-table.ts';

export type ExportFormat = 'ndjson' | 'csv';

export type ExportService = {
  /** Issues a ticket for one download, because a browser starts a download without our authentication header. */
  issueTicket(endpoint: string, format: ExportFormat, sessionId: string): string;
  /** Redeems a ticket while its session lasts. @throws Failure not_found if the ticket is unknown, used or expired */
  download(ticket: string): { stream: Readable; endpoint: string; format: ExportFormat };
  /** Streams all records of an endpoint, oldest first, as NDJSON or CSV. */
  stream(endpoint: string, format: ExportFormat): AsyncGenerator<string | Buffer>;
};

type ExportedRow = ReturnType<RecordReader['sizedChunk']>[number];

/** Records per chunk: a few milliseconds of work per turn of the event loop. */
const CHUNK_RECORDS = 300;
/** Larger records are passed on as bytes: a string would stay on the heap until the next full garbage collection. */
const LARGE_RECORD_BYTES = 256_000;
const MAX_TICKETS = 1000;

/** Creates the export service. */
export const createExportService = (parts: {
  endpoints: Endpoints;
  records: RecordReader;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
}): ExportService => {
  const { endpoints, records, owner, clock } = parts;
  const downloads = createDownloadTickets<{ endpoint: string; format: ExportFormat }>({
    sessions: owner,
    clock,
    maxTickets: MAX_TICKETS,
  });

  async function* chunks(endpoint: number, upTo = Number.MAX_SAFE_INTEGER): AsyncGenerator<ExportedRow[]> {
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
  }

  const idOf = (path: string): number => {
    const id = endpoints.find(path);
    if (id === undefined) throw new Failure('not_found', `There are no records at ${path}.`);
    return id;
  };

  /**
   * Streams a CSV table. Reads the records twice: first for the columns, then for the rows, so that memory stays
   * bounded.
   */
  const table = (endpoint: number): AsyncGenerator<Buffer> => {
    let newest = Number.MAX_SAFE_INTEGER;
    return streamCsvTable(async function* texts() {
      let last = -1;
      for await (const rows of chunks(endpoint, newest)) {
        last = rows.at(-1)?.seq ?? last;
        yield rows.flatMap(({ seq, data }) => data ?? records.content(seq) ?? []);
      }
      // Records stored between the two passes are left out: they may have columns that are not in the header.
      newest = last;
    });
  };

  async function* lines(endpoint: number): AsyncGenerator<string> {
    for await (const rows of chunks(endpoint)) {
      const small = rows.flatMap(({ data }) => data ?? []);
      if (small.length > 0) yield `${small.join('\n')}\n`;
      const last = rows.at(-1);
      const content = last?.data === null ? records.content(last.seq) : undefined;
      if (content === undefined) continue;
      yield* decodeInSlices(content);
      yield '\n';
    }
  }

  const stream = (endpoint: string, format: ExportFormat): AsyncGenerator<string | Buffer> =>
    format === 'csv' ? table(idOf(endpoint)) : lines(idOf(endpoint));

  return {
    issueTicket(endpoint, format, sessionId) {
      idOf(endpoint);
      return downloads.issue({ endpoint, format }, sessionId);
    },
    download(ticket) {
      const { subject, bind } = downloads.redeem(ticket);
      const content = Readable.from(stream(subject.endpoint, subject.format), { objectMode: false });
      bind(content);
      // The stream may fail before anything else listens for errors.
      content.on('error', () => undefined);
      return { stream: content, ...subject };
    },
    stream,
  };
};
