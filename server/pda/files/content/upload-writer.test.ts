import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createUploadWriterFactory, type UploadWriterFactory } from './upload-writer-factory.ts';

let folder: string;
let fd: number;
let factory: UploadWriterFactory;
const file = () => join(folder, 'content');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-upload-'));
  fd = openSync(file(), 'w');
  factory = createUploadWriterFactory();
});
afterEach(async () => {
  await factory.close();
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** Returns bytes with an ArrayBuffer of their own, as from a socket; small Buffers share one ArrayBuffer. */
const randomChunk = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(bytes));

describe.each([
  ['small content, on the main thread', 1000],
  ['large content, on a worker thread', 1e9],
  ['content of unknown size', undefined],
])('%s', (_name, declaredBytes) => {
  it('is written unchanged and hashed', async () => {
    const writer = factory.open(fd, declaredBytes);
    const chunks = [randomChunk(100_000), randomChunk(7), randomChunk(0), randomChunk(65_536)];
    // Copied, because written chunks are transferred to the thread.
    const content = Buffer.concat(chunks);
    await writer.write(chunks.slice(0, 2), 0);
    await writer.write(chunks.slice(2), 100_007);
    expect(await writer.end()).toBe(sha256(content));
    expect(readFileSync(file()).equals(content)).toBe(true);
  });

  it('leaves other data in its buffer intact', async () => {
    const sharedChunk = randomChunk(1000);
    const copy = Buffer.from(sharedChunk);
    const writer = factory.open(fd, declaredBytes);
    await writer.write([sharedChunk.subarray(10, 500)], 0);
    expect(await writer.end()).toBe(sha256(copy.subarray(10, 500)));
    expect(copy.equals(sharedChunk)).toBe(true);
  });

  it('fails with the error code of the file system', async () => {
    const readOnlyFd = openSync(file(), 'r');
    const writer = factory.open(readOnlyFd, declaredBytes);
    await expect(writer.write([randomChunk(10)], 0)).rejects.toMatchObject({ code: 'EBADF' });
    writer.discard();
    closeSync(readOnlyFd);
  });

  it('has the hash of empty content if nothing was written', async () => {
    expect(await factory.open(fd, declaredBytes).end()).toBe(sha256(new Uint8Array()));
  });
});

describe('uploads on the worker thread', () => {
  it('are hashed separately if they are concurrent', async () => {
    const otherFd = openSync(join(folder, 'other'), 'w');
    const writers = [factory.open(fd, 1e9), factory.open(otherFd, 1e9)] as const;
    const [firstChunk, secondChunk] = [randomChunk(300_000), randomChunk(200_000)];
    const hashes = [sha256(firstChunk), sha256(secondChunk)];
    await Promise.all([writers[0].write([firstChunk], 0), writers[1].write([secondChunk], 0)]);
    expect(await Promise.all(writers.map((writer) => writer.end()))).toEqual(hashes);
    closeSync(otherFd);
  });

  it('fail when the thread ends, and the next upload starts a new thread', async () => {
    const writer = factory.open(fd, 1e9);
    await writer.write([randomChunk(10)], 0);
    await factory.close();
    await expect(writer.write([randomChunk(10)], 10)).rejects.toThrow('has ended');
    await expect(writer.end()).rejects.toThrow('has ended');
    const bytes = randomChunk(10);
    const hash = sha256(bytes);
    const nextWriter = factory.open(fd, 1e9);
    await nextWriter.write([bytes], 0);
    expect(await nextWriter.end()).toBe(hash);
  });
});
