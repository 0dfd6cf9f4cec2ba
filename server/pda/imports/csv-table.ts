import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../platform/thread-environment.ts';

export type CsvJob = {
  /** First all records for their columns, then all again for their rows. */
  op: 'columns' | 'rows';
  /** Minified JSON texts. */
  records: readonly string[];
};

/** A record of 10 MB with 800,000 fields takes 1.7 s; its table more memory than this is refused with an error. */
const MAX_HEAP_MB = 256;

/**
 * Writes a CSV table in a worker thread, so that no record holds the event loop.
 *
 * @param chunks called twice; the second time it must not have records that the first had not
 * @throws ERR_WORKER_OUT_OF_MEMORY
 */
export async function* csvTable(chunks: () => AsyncIterable<readonly string[]>): AsyncGenerator<Buffer> {
  const thread = new Worker(new URL('./csv-thread.ts', import.meta.url), {
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 4 },
  });
  const ask = async (job: CsvJob): Promise<Buffer> => {
    const answered = once(thread, 'message');
    thread.postMessage(job);
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
