import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { DOWNLOAD_TICKET_MS } from '../../wire/limits.ts';
import type { OwnerService } from '../owner/service.ts';
import type { Endpoints, RecordReader } from '../records/service.ts';

export type ExportFormat = 'ndjson' | 'csv';

export type ExportService = {
  /** A one-time word for a download that a browser starts by itself, without a header of ours. */
  ticket(endpoint: string, format: ExportFormat, sessionId: string): string;
  /** What it is for, while the session that asked for it lasts. @throws Failure not_found for a ticket that is unknown, used or over */
  download(ticket: string): { stream: Readable; endpoint: string; format: ExportFormat };
  /** All records of an endpoint, oldest first: a line of JSON each, or a table. */
  stream(endpoint: string, format: ExportFormat): AsyncGenerator<string>;
};

type RecordRow = ReturnType<RecordReader['chunk']>[number];

/** Records per piece: a few milliseconds of work between turns of the event loop. */
const AT_ONCE = 300;
const MAX_TICKETS = 1000;

export const createExportService = (parts: {
  endpoints: Endpoints;
  records: RecordReader;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
}): ExportService => {
  const { endpoints, records, owner, clock } = parts;
  const tickets = new Map<string, { endpoint: string; format: ExportFormat; until: number; sessionId: string }>();

  async function* chunks(endpoint: number, upTo = Number.MAX_SAFE_INTEGER): AsyncGenerator<RecordRow[]> {
    for (let after = -1; ;) {
      const rows = records.chunk(endpoint, after, AT_ONCE).filter((row) => row.seq <= upTo);
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

  async function* table(endpoint: number): AsyncGenerator<string> {
    const { CsvColumns, csvHeader, csvRow } = await import('./csv-writer.ts');
    // Twice through: the columns are known only at the end, and nothing is held in memory between.
    const columns = new CsvColumns();
    let last = -1;
    for await (const rows of chunks(endpoint)) {
      columns.add(rows.map((row) => row.data));
      last = rows.at(-1)?.seq ?? last;
    }
    const { names } = columns;
    yield csvHeader(names);
    // What came in between may have columns that the header has not.
    for await (const rows of chunks(endpoint, last)) yield rows.map((row) => csvRow(row.data, names)).join('');
  }

  async function* lines(endpoint: number): AsyncGenerator<string> {
    for await (const rows of chunks(endpoint)) yield `${rows.map((row) => row.data).join('\n')}\n`;
  }

  const stream = (endpoint: string, format: ExportFormat): AsyncGenerator<string> =>
    format === 'csv' ? table(idOf(endpoint)) : lines(idOf(endpoint));

  return {
    ticket(endpoint, format, sessionId) {
      idOf(endpoint);
      const now = clock.now();
      for (const [key, { until }] of tickets) if (until < now || tickets.size > MAX_TICKETS) tickets.delete(key);
      const ticket = randomBytes(24).toString('base64url');
      tickets.set(ticket, { endpoint, format, until: now + DOWNLOAD_TICKET_MS, sessionId });
      return ticket;
    },
    download(ticket) {
      const known = tickets.get(ticket);
      tickets.delete(ticket);
      if (known === undefined || known.until < clock.now() || !owner.isSessionAlive(known.sessionId))
        throw new Failure('not_found', 'This download address is over. Start the export again.');
      const { endpoint, format, sessionId } = known;
      const content = Readable.from(stream(endpoint, format), { objectMode: false });
      // Whoever ends the session that asked for it ends this too, also while nobody reads on.
      const deaf = owner.onSessionChange(() => {
        if (!owner.isSessionAlive(sessionId)) content.destroy(new Error('the session has ended'));
      });
      content.once('close', deaf);
      // It may end before anything else listens.
      content.on('error', () => undefined);
      return { stream: content, endpoint, format };
    },
    stream,
  };
};
