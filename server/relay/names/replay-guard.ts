import { mkdir, open, readFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { ignoreMissing, replaceFileAsync } from '../../platform/io/file-system.ts';
import type { Log } from '../../platform/log.ts';

export type ReplayGuard = Awaited<ReturnType<typeof openReplayGuard>>;

/** Name claims are stored longer than they are valid, because the clock can be set back. */
const CLOCK_TOLERANCE_MS = 60_000;
const REWRITE_AFTER_LINES = 20_000;

const LINE = /^(\d{1,15}) ([\w-]{43})$/u;

/**
 * Opens the list of used name claims. A name claim is on disk before it is confirmed, so it cannot be replayed after a
 * crash.
 */
export const openReplayGuard = async (parts: { home: string; maxClaims: number; clock: Clock; log: Log }) => {
  const { home, maxClaims, clock, log } = parts;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'used-claims');
  /** Expiry in Unix milliseconds by id of the name claim. */
  const usedClaims = new Map<string, number>();

  const deleteExpired = (): void => {
    const now = clock.now();
    for (const [id, expiry] of usedClaims) if (expiry <= now) usedClaims.delete(id);
  };

  const readAll = async (): Promise<void> => {
    const text = await readFile(file, 'utf8').catch(ignoreMissing);
    for (const line of text?.split('\n') ?? []) {
      // A crash can truncate the last line. Its name claim was not confirmed.
      const [, expiry, id] = LINE.exec(line) ?? [];
      if (expiry !== undefined && id !== undefined) usedClaims.set(id, Number(expiry));
    }
    deleteExpired();
  };

  const toLines = (entries: Iterable<[string, number]>): string =>
    [...entries].map(([id, expiry]) => `${expiry} ${id}\n`).join('');

  const rewrite = async (): Promise<FileHandle> => {
    await replaceFileAsync(file, toLines(usedClaims));
    return open(file, 'a', 0o600);
  };

  await readAll();
  let handle = await rewrite();
  let linesSinceRewrite = 0;
  /** False after a failed write: the last line can be incomplete, or `handle` can refer to a replaced file. */
  let isFileIntact = true;
  let batch: [string, number][] = [];
  let nextWrite: Promise<void> | undefined;
  let lastWrite: Promise<void> = Promise.resolve();

  const append = async (lines: string): Promise<void> => {
    await handle.writeFile(lines);
    await handle.datasync();
  };

  const replaceWithAll = async (): Promise<void> => {
    deleteExpired();
    const previousHandle = handle;
    handle = await rewrite();
    linesSinceRewrite = 0;
    await previousHandle.close();
  };

  const writeBatch = async (): Promise<void> => {
    await lastWrite;
    const entries = batch;
    batch = [];
    nextWrite = undefined;
    linesSinceRewrite += entries.length;
    const mustRewrite = !isFileIntact || linesSinceRewrite > REWRITE_AFTER_LINES;
    isFileIntact = false;
    await (mustRewrite ? replaceWithAll() : append(toLines(entries)));
    isFileIntact = true;
  };

  return {
    /**
     * Marks a name claim as used. Resolves when the mark is on disk.
     * @param expirySeconds Unix seconds
     * @returns false if the name claim was used before
     * @throws Failure unavailable
     */
    async use(id: string, expirySeconds: number): Promise<boolean> {
      if (usedClaims.has(id)) return false;
      if (usedClaims.size >= maxClaims) deleteExpired();
      if (usedClaims.size >= maxClaims) {
        throw new Failure('unavailable', 'Too many claims. Try again in 60 s.', { headers: { 'retry-after': '60' } });
      }
      const entry: [string, number] = [id, expirySeconds * 1000 + CLOCK_TOLERANCE_MS];
      usedClaims.set(...entry);
      batch.push(entry);
      if (nextWrite === undefined) {
        nextWrite = writeBatch();
        lastWrite = nextWrite.catch(() => undefined);
      }
      try {
        await nextWrite;
      } catch (error) {
        log.error({ err: error }, 'could not write a used claim');
        throw new Failure('unavailable', 'The claim cannot be stored. Try again in 10 s.', {
          headers: { 'retry-after': '10' },
        });
      }
      return true;
    },
    size: () => usedClaims.size,
    async close(): Promise<void> {
      await lastWrite;
      await handle.close();
    },
  };
};
