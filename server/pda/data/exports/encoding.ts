import { Worker } from 'node:worker_threads';
import { endsWithin } from '../../../platform/async/deadline.ts';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';
import { asError } from '../../../wire/values.ts';
import { EXPORT_CHUNK_MAX_MS } from '../../../wire/work-limits.ts';

export type ExportColumn = {
  path: string;
  /** Heading in a CSV table. */
  name: string;
};

/** Data of a worker. `columns`: columns of all its jobs; undefined for all fields. */
export type ExportWorkerData = { columns: readonly ExportColumn[] | undefined };

export type ExportJob = {
  /**
   * `columns` collects the names of all fields. `rows` writes records as rows of a CSV table; the first response to
   * `rows` begins with the header. `lines` writes the columns of the records as one JSON text per line, without a line
   * ending after the last; `array-lines` also separates them with commas.
   */
  op: 'columns' | 'rows' | 'lines' | 'array-lines';
  /** Minified JSON, as strings or UTF-8 bytes. */
  records: readonly (string | Uint8Array<ArrayBuffer>)[];
};

/** Heap of the worker. A 10 MB record with 800,000 fields fits and takes 1.7 s. An export that needs more fails. */
const MAX_HEAP_MB = 256;

/** Starts a worker that encodes records. @param chunkMaxMs milliseconds that the worker may take for one job */
const startWorker = (workerData: ExportWorkerData, chunkMaxMs = EXPORT_CHUNK_MAX_MS) => {
  const thread = new Worker(new URL('./export-worker.ts', import.meta.url), {
    env: threadEnvironment(),
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 4 },
  });
  let response: PromiseWithResolvers<Uint8Array<ArrayBuffer>> | undefined;
  let failure: Error | undefined;
  // Also called between two jobs. Without a listener, an error of the worker would end the process.
  const fail = (error: Error): void => {
    failure ??= error;
    response?.reject(failure);
  };
  thread.on('message', (bytes: Uint8Array<ArrayBuffer>) => response?.resolve(bytes));
  thread.on('error', (error: unknown) => fail(asError(error)));
  thread.on('exit', () => fail(new Error('The thread that encodes the records has ended.')));
  return {
    /** @throws ERR_WORKER_OUT_OF_MEMORY above the heap limit; Error after the time limit, or if the worker has ended */
    async run(job: ExportJob): Promise<Buffer> {
      if (failure !== undefined) throw failure;
      const { promise } = (response = Promise.withResolvers<Uint8Array<ArrayBuffer>>());
      thread.postMessage(
        job,
        job.records.flatMap((record) => (typeof record === 'string' ? [] : [record.buffer])),
      );
      if (!(await endsWithin(chunkMaxMs, promise))) throw new Error('Encoding the records took longer than allowed.');
      return Buffer.from((await promise).buffer);
    },
    stop: () => thread.terminate(),
  };
};

/**
 * Writes a CSV table.
 * @param chunks returns the records in chunks. Called twice if `columns` is undefined; the second call must not yield
 *   records that the first call did not yield. Records in bytes are transferred to the worker and are empty afterwards
 * @param columns columns of the table; undefined: all fields of the records
 * @param chunkMaxMs milliseconds that the worker may take for one chunk; for tests
 */
export async function* streamCsvTable(
  chunks: () => AsyncIterable<ExportJob['records']>,
  columns: readonly ExportColumn[] | undefined,
  chunkMaxMs?: number,
): AsyncGenerator<Buffer> {
  const worker = startWorker({ columns }, chunkMaxMs);
  try {
    if (columns === undefined) for await (const records of chunks()) await worker.run({ op: 'columns', records });
    // A table without rows has a header, too.
    yield await worker.run({ op: 'rows', records: [] });
    for await (const records of chunks()) yield await worker.run({ op: 'rows', records });
  } finally {
    await worker.stop();
  }
}

/**
 * Writes the columns of records as NDJSON, or as a JSON array with one record per line.
 * @param chunks at least one record each. Records in bytes are transferred to the worker and are empty afterwards
 */
export async function* streamJsonColumns(
  chunks: AsyncIterable<ExportJob['records']>,
  columns: readonly ExportColumn[],
  isArray: boolean,
): AsyncGenerator<string | Buffer> {
  const worker = startWorker({ columns });
  let separator = isArray ? '[\n' : '';
  try {
    for await (const records of chunks) {
      const lines = await worker.run({ op: isArray ? 'array-lines' : 'lines', records });
      if (separator !== '') yield separator;
      yield lines;
      separator = isArray ? ',\n' : '\n';
    }
    if (isArray) yield separator === '[\n' ? '[]\n' : '\n]\n';
    else if (separator !== '') yield '\n';
  } finally {
    await worker.stop();
  }
}
