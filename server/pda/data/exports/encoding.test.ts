import { text } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { streamCsvTable } from './encoding.ts';

/** A thread cannot start in this time. */
const TOO_SHORT_MS = 1;

const encodeTable = async (chunkMaxMs?: number): Promise<string> => {
  const source = async function* () {
    yield Promise.resolve(['{"a":1}', '{"a":2}']);
  };
  return text(streamCsvTable(source, undefined, chunkMaxMs));
};

it('writes a table', async () => {
  expect(await encodeTable()).toBe('a\r\n1\r\n2\r\n');
});

it('fails if the worker ends between two chunks', async () => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker): void => void workers.push(worker);
  process.on('worker', onWorker);
  const source = async function* () {
    yield ['{"a":1}'];
    await workers[0]?.terminate();
    yield ['{"a":2}'];
  };
  const table = streamCsvTable(source, [{ path: 'a', name: 'a' }]);
  try {
    await expect(text(table)).rejects.toThrow('has ended');
  } finally {
    process.off('worker', onWorker);
  }
});

it('fails and terminates the worker if encoding a chunk takes too long', async () => {
  const workers: Worker[] = [];
  const onWorker = (worker: Worker): void => void workers.push(worker);
  process.on('worker', onWorker);
  await expect(encodeTable(TOO_SHORT_MS)).rejects.toThrow('longer than allowed');
  process.off('worker', onWorker);
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
});
