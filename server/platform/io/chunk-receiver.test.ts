import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { receiveChunk } from './chunk-receiver.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-chunks-'));
const file = join(folder, 'upload');
const OFFSET = 3;
const SIZE = 9;
beforeEach(() => writeFileSync(file, 'abc'));
afterAll(() => rmSync(folder, { recursive: true }));

const chunkOf = (...parts: string[]): Readable => Readable.from(parts.map((part) => Buffer.from(part)));
const brokenChunk = (...parts: string[]): Readable =>
  Readable.from(
    (async function* receive() {
      for (const part of parts) yield Buffer.from(part);
      throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    })(),
  );

type Operation = (this: FileHandle, ...parameters: unknown[]) => Promise<unknown>;

/** Makes one call to a file operation fail with EIO, as a failing disk would. */
const withFailure = async (operation: 'write' | 'sync', failedCall: number, run: () => Promise<void>) => {
  const handle = await open(file, 'r');
  const prototype = Object.getPrototypeOf(handle) as Record<typeof operation, Operation>;
  await handle.close();
  const originalOperation = prototype[operation];
  let calls = 0;
  prototype[operation] = function failOnce(...parameters) {
    calls += 1;
    if (calls === failedCall) return Promise.reject(Object.assign(new Error('i/o error'), { code: 'EIO' }));
    return Reflect.apply(originalOperation, this, parameters);
  };
  try {
    await run();
  } finally {
    prototype[operation] = originalOperation;
  }
};

describe('a received chunk', () => {
  it('is appended', async () => {
    expect(await receiveChunk(file, OFFSET, SIZE, chunkOf('def', 'ghi'))).toBe(SIZE);
    expect(readFileSync(file, 'utf8')).toBe('abcdefghi');
  });

  it('replaces the bytes after its offset', async () => {
    writeFileSync(file, 'abcdef');
    expect(await receiveChunk(file, OFFSET, SIZE, chunkOf('xy'))).toBe(5);
    expect(readFileSync(file, 'utf8')).toBe('abcxy');
  });

  it('is kept up to the point at which the connection broke, and rejected if nothing was received', async () => {
    expect(await receiveChunk(file, OFFSET, SIZE, brokenChunk('def'))).toBe(6);
    expect(readFileSync(file, 'utf8')).toBe('abcdef');
    await expect(receiveChunk(file, 6, SIZE, brokenChunk())).rejects.toThrow('aborted');
    expect(readFileSync(file, 'utf8')).toBe('abcdef');
  });

  it('is removed if the file would exceed its announced size', async () => {
    await expect(receiveChunk(file, OFFSET, SIZE, chunkOf('def', 'ghij'))).rejects.toThrow('longer than announced');
    expect(readFileSync(file, 'utf8')).toBe('abc');
  });

  it.each([
    ['the second write', 'write', 2, () => chunkOf('def', 'ghi')],
    ['the sync of a complete chunk', 'sync', 1, () => chunkOf('def', 'ghi')],
    ['the sync of an incomplete chunk', 'sync', 1, () => brokenChunk('def')],
  ] as const)('is removed, and the error reported, if %s fails', async (_, operation, failedCall, chunk) => {
    await withFailure(operation, failedCall, async () => {
      await expect(receiveChunk(file, OFFSET, SIZE, chunk())).rejects.toThrow('i/o error');
    });
    expect(readFileSync(file, 'utf8')).toBe('abc');
  });
});
