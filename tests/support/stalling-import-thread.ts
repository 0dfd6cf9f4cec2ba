import fs, { type ReadStream } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

// Import reader thread whose reads stall after the first chunk of a file, as on a lost network drive. The thread then
// notifies `HANGING_CHANNEL`.

const HANGING_CHANNEL = 'hanging-import-thread';

const { createReadStream } = fs;

async function* firstChunkOf(stream: ReadStream): AsyncGenerator<Buffer> {
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    yield chunk;
    break;
  }
  new BroadcastChannel(HANGING_CHANNEL).postMessage('stalling');
  await new Promise<never>(() => undefined);
}

Object.assign(fs, {
  createReadStream: (...parameters: Parameters<typeof createReadStream>) => {
    const chunks = firstChunkOf(createReadStream(...parameters));
    return { [Symbol.asyncIterator]: () => chunks, destroy: () => undefined };
  },
});
syncBuiltinESMExports();

await import('../../server/pda/data/imports/worker/thread.ts');
