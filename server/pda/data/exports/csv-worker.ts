import { parentPort } from 'node:worker_threads';
import type { CsvJob } from './csv-table.ts';
import { CsvColumns, csvHeader, csvRow } from './csv-writer.ts';

/** Writes one CSV table; each message is answered by bytes of it, or by none. */

const port = parentPort;
if (port === null) throw new Error('csv-thread.ts runs in a worker thread');

const columns = new CsvColumns();
let names: readonly string[] | undefined;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Frees the bytes at once: the garbage collector sees how small the object is, not the megabytes behind it. */
const decoded = (record: string | Uint8Array<ArrayBuffer>): string => {
  if (typeof record === 'string') return record;
  const text = decoder.decode(record);
  record.buffer.transfer(0);
  return text;
};

const textOf = ({ op, records: given }: CsvJob): string => {
  const records = given.map(decoded);
  if (op === 'columns') {
    columns.add(records);
    return '';
  }
  const header = names === undefined ? csvHeader((names = columns.names)) : '';
  const written = names;
  return header + records.map((record) => csvRow(record, written)).join('');
};

port.on('message', (job: CsvJob) => {
  const bytes = new TextEncoder().encode(textOf(job));
  port.postMessage(bytes, [bytes.buffer]);
});
