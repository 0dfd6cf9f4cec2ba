import { createHash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIntakeThreads, type IntakeThreads } from './upload-writer-pool.ts';

let folder: string;
let fd: number;
let threads: IntakeThreads;
const file = () => join(folder, 'content');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'intake-'));
  fd = openSync(file(), 'w');
  threads = createIntakeThreads();
});
afterEach(async () => {
  await threads.close();
  closeSync(fd);
  rmSync(folder, { recursive: true });
});

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
/** A separate ArrayBuffer, like content from a socket; small Buffers share one. */
const fresh = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(bytes));

describe.each([
  ['what is small, on the server’s own thread', 1000],
  ['what is large, on another thread', 1e9],
  ['content of unknown size', undefined],
])('%s', (_name, expected) => {
  it('is written as it came, and hashed', async () => {
    const sink = threads.open(fd, expected);
    const pieces = [fresh(100_000), fresh(7), fresh(0), fresh(65_536)];
    // What is handed over is gone here.
    const all = Buffer.concat(pieces);
    await sink.write(pieces.slice(0, 2), 0);
    await sink.write(pieces.slice(2), 100_007);
    expect(await sink.end()).toBe(sha256(all));
    expect(readFileSync(file()).equals(all)).toBe(true);
  });

  it('leaves memory alone that others have a part in', async () => {
    const shared = fresh(1000);
    const kept = Buffer.from(shared);
    const sink = threads.open(fd, expected);
    await sink.write([shared.subarray(10, 500)], 0);
    expect(await sink.end()).toBe(sha256(kept.subarray(10, 500)));
    expect(kept.equals(shared)).toBe(true);
  });

  it('fails with the file system’s own code', async () => {
    const readOnly = openSync(file(), 'r');
    const sink = threads.open(readOnly, expected);
    await expect(sink.write([fresh(10)], 0)).rejects.toMatchObject({ code: 'EBADF' });
    sink.drop();
    closeSync(readOnly);
  });

  it('is nothing when nothing came', async () => {
    expect(await threads.open(fd, expected).end()).toBe(sha256(new Uint8Array()));
  });
});

describe('uploads at once', () => {
  it('are hashed each for itself', async () => {
    const other = openSync(join(folder, 'other'), 'w');
    const sinks = [threads.open(fd, 1e9), threads.open(other, 1e9)] as const;
    const [first, second] = [fresh(300_000), fresh(200_000)];
    const hashes = [sha256(first), sha256(second)];
    await Promise.all([sinks[0].write([first], 0), sinks[1].write([second], 0)]);
    expect(await Promise.all(sinks.map((sink) => sink.end()))).toEqual(hashes);
    closeSync(other);
  });

  it('fail when the thread ends, and the next gets a new one', async () => {
    const sink = threads.open(fd, 1e9);
    await sink.write([fresh(10)], 0);
    await threads.close();
    await expect(sink.write([fresh(10)], 10)).rejects.toThrow('has ended');
    await expect(sink.end()).rejects.toThrow('has ended');
    const bytes = fresh(10);
    const hash = sha256(bytes);
    const next = threads.open(fd, 1e9);
    await next.write([bytes], 0);
    expect(await next.end()).toBe(hash);
  });
});
