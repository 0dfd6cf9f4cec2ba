import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';

export type UsedClaims = Awaited<ReturnType<typeof openUsedClaims>>;

/** Milliseconds for which one is remembered longer than it is good, in case the clock is put back a little. */
const LONGER_MS = 60_000;
/** Lines of the file that are over before it is written anew. */
const MAX_STALE = 20_000;

const LINE = /^(\d{1,15}) ([\w-]{43})$/u;

/**
 * The proofs that were used, each good once. They are on the disk before the claim is answered: after a restart, however it came about, none counts a
 * second time, and no PDA has to wait because its clock is behind ours. Claims that come together share one write.
 */
export const openUsedClaims = async (parts: { home: string; most: number; clock: Clock; log: Log }) => {
  const { home, most, clock, log } = parts;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const file = join(home, 'used-claims');
  /** Milliseconds (Unix time) until which each is remembered. */
  const used = new Map<string, number>();

  const forget = (): void => {
    const now = clock.now();
    for (const [id, until] of used) if (until <= now) used.delete(id);
  };

  const readAll = async (): Promise<void> => {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
      throw error;
    });
    for (const line of text.split('\n')) {
      // The last line of a process that was killed may be half a line: that claim was not answered.
      const [, until, id] = LINE.exec(line) ?? [];
      if (until !== undefined && id !== undefined) used.set(id, Number(until));
    }
    forget();
  };

  const lines = (entries: Iterable<[string, number]>): string =>
    [...entries].map(([id, until]) => `${until} ${id}\n`).join('');

  const rewrite = async () => {
    const draft = `${file}.new`;
    const handle = await open(draft, 'w', 0o600);
    await handle.writeFile(lines(used));
    await handle.sync();
    await rename(draft, file);
    const folder = await open(home, 'r');
    await folder.sync();
    await folder.close();
    return handle;
  };

  await readAll();
  let handle = await rewrite();
  let stale = 0;
  let batch: [string, number][] = [];
  let written: Promise<void> | undefined;
  let last: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    await last;
    const mine = batch;
    batch = [];
    written = undefined;
    stale += mine.length;
    if (stale > MAX_STALE) {
      forget();
      stale = 0;
      const before = handle;
      handle = await rewrite();
      await before.close();
      return;
    }
    await handle.writeFile(lines(mine));
    await handle.datasync();
  };

  return {
    /** Uses one up. `until`: Unix seconds at which it is over. @returns false when it was used before. @throws Failure unavailable */
    async take(id: string, untilSeconds: number): Promise<boolean> {
      if (used.has(id)) return false;
      if (used.size >= most) forget();
      if (used.size >= most) {
        throw new Failure('unavailable', 'Too many claims just now.', { headers: { 'retry-after': '60' } });
      }
      const entry: [string, number] = [id, untilSeconds * 1000 + LONGER_MS];
      used.set(...entry);
      batch.push(entry);
      if (written === undefined) {
        written = write();
        last = written.catch(() => undefined);
      }
      try {
        await written;
      } catch (error) {
        log.error({ err: error }, 'a used claim could not be written');
        throw new Failure('unavailable', 'Claims cannot be kept just now.', { headers: { 'retry-after': '10' } });
      }
      return true;
    },
    forget,
    size: () => used.size,
    async close(): Promise<void> {
      await last;
      await handle.close();
    },
  };
};
