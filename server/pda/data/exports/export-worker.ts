import { parentPort, workerData } from 'node:worker_threads';
import type { ExportJob, ExportWorkerData } from './encoding.ts';
import { CsvColumns, formatCsvCells, formatCsvHeader, formatCsvRow } from '../../../platform/json/csv-writer.ts';
import { createProjection } from '../../../platform/json/projection.ts';

// Worker that encodes the records of one export, because large records would block the event loop of the server.

const port = parentPort;
if (port === null) throw new Error('export-worker.ts must run in a worker thread');

const { columns: chosenColumns } = workerData as ExportWorkerData;
const projection = createProjection((chosenColumns ?? []).map(({ path }) => path));
const collectedColumns = new CsvColumns();
/** Column names of the CSV header; undefined until it is written. */
let headerNames: readonly string[] | undefined;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * Decodes a record and frees its bytes immediately. The garbage collector would free them late, because it only sees a
 * small object.
 */
const decode = (record: string | Uint8Array<ArrayBuffer>): string => {
  if (typeof record === 'string') return record;
  const text = decoder.decode(record);
  record.buffer.transfer(0);
  return text;
};

/** Returns the CSV rows of records. The first call also returns the header. */
const writeRows = (records: readonly string[]): string => {
  const isFirst = headerNames === undefined;
  const columnNames = (headerNames ??= chosenColumns?.map(({ name }) => name) ?? collectedColumns.names);
  const rows = records.map((record) =>
    chosenColumns === undefined ? formatCsvRow(record, columnNames) : formatCsvCells(projection.values(record)),
  );
  return (isFirst ? formatCsvHeader(columnNames) : '') + rows.join('');
};

const runJob = ({ op, records: encoded }: ExportJob): string => {
  const records = encoded.map(decode);
  switch (op) {
    case 'columns':
      collectedColumns.add(records);
      return '';
    case 'rows':
      return writeRows(records);
    case 'lines':
      return records.map(projection.select).join('\n');
    case 'array-lines':
      return records.map(projection.select).join(',\n');
  }
};

port.on('message', (job: ExportJob) => {
  const bytes = new TextEncoder().encode(runJob(job));
  port.postMessage(bytes, [bytes.buffer]);
});
