import { parentPort } from 'node:worker_threads';
import type { CsvJob } from './csv-table.ts';
import { CsvColumns, formatCsvHeader, formatCsvRow } from '../../../platform/json/csv-writer.ts';

/** Worker that writes one CSV table. Responds to each message with the next bytes, which may be empty. */

const port = parentPort;
if (port === null) throw new Error('csv-worker.ts must run in a worker thread');

const columns = new CsvColumns();
let names: readonly string[] | undefined;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes a record and frees its bytes at once. The garbage collector would free them late, because it only sees a
 * small buffer object.
 */
const decode = (record: string | Uint8Array<ArrayBuffer>): string => {
  if (typeof record === 'string') return record;
  const text = decoder.decode(record);
  record.buffer.transfer(0);
  return text;
};

const runJob = ({ op, records: encoded }: CsvJob): string => {
  const records = encoded.map(decode);
  if (op === 'columns') {
    columns.add(records);
    return '';
  }
  const header = names === undefined ? formatCsvHeader((names = columns.names)) : '';
  const columnNames = names;
  return header + records.map((record) => formatCsvRow(record, columnNames)).join('');
};

port.on('message', (job: CsvJob) => {
  const bytes = new TextEncoder().encode(runJob(job));
  port.postMessage(bytes, [bytes.buffer]);
});
