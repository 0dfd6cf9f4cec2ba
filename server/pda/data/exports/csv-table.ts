import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';

/** Message to the CSV worker. */
export type CsvJob = {
  /** `columns` collects the column names of all records; `rows` then writes the records. */
  op: 'columns' | 'rows';
  /** Minified JSON, as text or as UTF-8 bytes. */
  records: readonly (string | Uint8Array<ArrayBuffer>)[];
};

/** Heap of the worker. A 10 MB record with 800,000 fields fits and takes 1.7 s; a larger table fails with an error. */
const MAX_HEAP_MB = 256;

/**
 * Writes a CSV table in a worker thread, so that a large record does not block the event loop.
 *
 * @param chunks is called twice; the second call must not yield records that the first call did not yield. Records
 *   given as bytes are transferred to the worker and are empty afterwards
 * @throws ERR_WORKER_OUT_OF_MEMORY if the worker exceeds its heap limit
 */
export async function* streamCsvTable(chunks: () => AsyncIterable<CsvJob['records']>): AsyncGenerator<Buffer> {
  const thread = new Worker(new URL('./csv-worker.ts', import.meta.url), {
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 4 },
  });
  const runJob = async (job: CsvJob): Promise<Buffer> => {
    const response = once(thread, 'message');
    thread.postMessage(
      job,
      job.records.flatMap((record) => (typeof record === 'string' ? [] : [record.buffer])),
    );
    const [bytes] = (await response) as [Uint8Array<ArrayBuffer>];
    return Buffer.from(bytes.buffer);
  };
  try {
    for await (const records of chunks()) await runJob({ op: 'columns', records });
    // Writes the header even if the table has no rows.
    yield await runJob({ op: 'rows', records: [] });
    for await (const records of chunks()) yield await runJob({ op: 'rows', records });
  } finally {
    await thread.terminate();
  }
}
