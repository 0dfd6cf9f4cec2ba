import { parentPort } from 'node:worker_threads';
import type { CsvJob } from './csv-table.ts';
import { CsvColumns, csvHeader, csvRow } from './csv-writer.ts';

/** Writes one CSV table; each message is answered by bytes of it, or by none. */

const port = parentPort;
if (port === null) throw new Error('csv-thread.ts runs in a worker thread');

const columns = new CsvColumns();
let names: readonly string[] | undefined;

const textOf = ({ op, records }: CsvJob): string => {
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
