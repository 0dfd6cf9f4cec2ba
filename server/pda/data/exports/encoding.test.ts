import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { streamCsvTable } from './encoding.ts';

/** A thread cannot start in this time. */
const TOO_SHORT_MS = 1;

const encodeTable = async (chunkMaxMs?: number): Promise<string> => {
  const chunks: Buffer[] = [];
  const source = async function* () {
    yield Promise.resolve(['{"a":1}', '{"a":2}']);
  };
  for await (const chunk of streamCsvTable(source, undefined, chunkMaxMs)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

it('writes a table', async () => {
  expect(await encodeTable()).toBe('a\r\n1\r\n2\r\n');
});

it('fails and terminates its worker if encoding a chunk takes too long', async () => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker): void => void workers.push(worker);
  process.on('worker', onWorker);
  await expect(encodeTable(TOO_SHORT_MS)).rejects.toThrow('longer than allowed');
  process.off('worker', onWorker);
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
});
