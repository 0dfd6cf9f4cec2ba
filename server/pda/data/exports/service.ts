import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { createDownloadTickets } from '../../../platform/http/download-tickets.ts';
import { Failure } from '../../../platform/failure.ts';
import { textSlices } from '../../../platform/json/text-slices.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';
import { csvTable } from './csv-table.ts';

export type ExportFormat = 'ndjson' | 'csv';

export type ExportService = {
  /** A one-time word for a download that a browser starts by itself, without a header of ours. */
  ticket(endpoint: string, format: ExportFormat, sessionId: string): string;
  /** What it is for, while the session that asked for it lasts. @throws Failure not_found for a ticket that is unknown, used or over */
  download(ticket: string): { stream: Readable; endpoint: string; format: ExportFormat };
  /** All records of an endpoint, oldest first: a line of JSON each, or a table. */
  stream(endpoint: string, format: ExportFormat): AsyncGenerator<string | Buffer>;
};

type ExportedRow = ReturnType<RecordReader['sizedChunk']>[number];

/** Records per piece: a few milliseconds of work between turns of the event loop. */
const AT_ONCE = 300;
/** A larger record is handed on as bytes: a string of it would stay on the heap until the next full collection. */
const LARGE_RECORD_BYTES = 256_000;
const MAX_TICKETS = 1000;

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
    most: MAX_TICKETS,
  });

  async function* chunks(endpoint: number, upTo = Number.MAX_SAFE_INTEGER): AsyncGenerator<ExportedRow[]> {
    for (let after = -1; ;) {
      const rows = records.sizedChunk(endpoint, after, AT_ONCE, LARGE_RECORD_BYTES).filter((row) => row.seq <= upTo);
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      after = last.seq;
      await turn();
    }
  }

  const idOf = (path: string): number => {
    const id = endpoints.find(path);
    if (id === undefined) throw new Failure('not_found', `There is nothing at ${path}.`);
    return id;
  };

  /** Twice through the records: the columns are known only at the end, and nothing is held in memory between. */
  const table = (endpoint: number): AsyncGenerator<Buffer> => {
    let newest = Number.MAX_SAFE_INTEGER;
    return csvTable(async function* texts() {
      let last = -1;
      for await (const rows of chunks(endpoint, newest)) {
        last = rows.at(-1)?.seq ?? last;
        yield rows.flatMap(({ seq, data }) => data ?? records.content(seq) ?? []);
      }
      // What comes in before the second time may have columns that the header has not.
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
      yield* textSlices(content);
      yield '\n';
    }
  }

  const stream = (endpoint: string, format: ExportFormat): AsyncGenerator<string | Buffer> =>
    format === 'csv' ? table(idOf(endpoint)) : lines(idOf(endpoint));

  return {
    ticket(endpoint, format, sessionId) {
      idOf(endpoint);
      return downloads.issue({ endpoint, format }, sessionId);
    },
    download(ticket) {
      const { subject: what, bind } = downloads.redeem(ticket);
      const content = Readable.from(stream(what.endpoint, what.format), { objectMode: false });
      bind(content);
      // It may end before anything else listens.
      content.on('error', () => undefined);
      return { stream: content, ...what };
    },
    stream,
  };
};
