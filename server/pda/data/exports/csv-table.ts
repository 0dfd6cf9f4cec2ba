import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';

export type CsvJob = {
  /** First all records for their columns, then all again for their rows. */
  op: 'columns' | 'rows';
  /** Minified JSON, as text or as the UTF-8 bytes of it. */
  records: readonly (string | Uint8Array<ArrayBuffer>)[];
};

/** A record of 10 MB with 800,000 fields takes 1.7 s; its table more memory than this is refused with an error. */
const MAX_HEAP_MB = 256;

/**
 * Writes a CSV table in a worker thread, so that no record holds the event loop.
 *
 * @param chunks called twice; the second time it must not have records that the first had not. Bytes are handed over: they are gone afterwards
 * @throws ERR_WORKER_OUT_OF_MEMORY
 */
export async function* csvTable(chunks: () => AsyncIterable<CsvJob['records']>): AsyncGenerator<Buffer> {
  const thread = new Worker(new URL('./csv-worker.ts', import.meta.url), {
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 4 },
  });
  const ask = async (job: CsvJob): Promise<Buffer> => {
    const answered = once(thread, 'message');
    thread.postMessage(
      job,
      job.records.flatMap((record) => (typeof record === 'string' ? [] : [record.buffer])),
    );
    const [bytes] = (await answered) as [Uint8Array<ArrayBuffer>];
    return Buffer.from(bytes.buffer);
  };
  try {
    for await (const records of chunks()) await ask({ op: 'columns', records });
    // The header, also of a table without rows.
    yield await ask({ op: 'rows', records: [] });
    for await (const records of chunks()) yield await ask({ op: 'rows', records });
  } finally {
    await thread.terminate();
  }
}
