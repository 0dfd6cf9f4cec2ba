import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { openReplayGuard, type ReplayGuard } from './replay-guard.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const EXPIRY_SECONDS = NOW / 1000 + 60;
const MAX_CLAIMS = 100_000;
const MANY_CLAIMS = 20_001;

const claimIdOf = (name: string | number): string => String(name).padEnd(43, 'x');
const diskFull = (): Error => Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });

let home: string;
let fileHandlePrototype: FileHandle;
const openGuards: ReplayGuard[] = [];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'pda-claims-'));
  const handle = await open(home, 'r');
  fileHandlePrototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const guard of openGuards.splice(0)) await guard.close();
  rmSync(home, { recursive: true });
});

const openGuard = async (): Promise<ReplayGuard> => {
  const guard = await openReplayGuard({ home, maxClaims: MAX_CLAIMS, clock: { now: () => NOW }, log: silentLog() });
  openGuards.push(guard);
  return guard;
};
const use = (guard: ReplayGuard, name: string | number): Promise<boolean> => guard.use(claimIdOf(name), EXPIRY_SECONDS);

/** Uses enough claims that the write replaces the file. */
const useMany = (guard: ReplayGuard): Promise<PromiseSettledResult<boolean>[]> =>
  Promise.allSettled(Array.from({ length: MANY_CLAIMS }, (_, number) => use(guard, number)));

describe('a confirmed claim cannot be replayed after a restart', () => {
  it('even if an earlier write stored only part of a line', async () => {
    const guard = await openGuard();
    vi.spyOn(fileHandlePrototype, 'writeFile').mockImplementationOnce(async function writePart(this: FileHandle, text) {
      await this.write((text as string).slice(0, 30));
      throw diskFull();
    });
    await expect(use(guard, 'failed')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await use(guard, 'confirmed')).toBe(true);
    expect(await use(guard, 'next')).toBe(true);

    const restartedGuard = await openGuard();
    expect(await use(restartedGuard, 'confirmed')).toBe(false);
    expect(await use(restartedGuard, 'next')).toBe(false);
  });

  it('even if an earlier sync failed', async () => {
    const guard = await openGuard();
    vi.spyOn(fileHandlePrototype, 'datasync').mockRejectedValueOnce(diskFull());
    await expect(use(guard, 'failed')).rejects.toMatchObject({ code: 'unavailable' });
    expect(await use(guard, 'confirmed')).toBe(true);
    expect(await use(await openGuard(), 'confirmed')).toBe(false);
  });

  it.each([
    ['the sync of the new file', 1],
    ['the sync of the folder after the rename', 2],
  ])('even if %s failed during an earlier replacement of the file', async (_, failedSync) => {
    const guard = await openGuard();
    const sync = vi.spyOn(fileHandlePrototype, 'sync');
    for (let call = 1; call < failedSync; call += 1) sync.mockResolvedValueOnce();
    sync.mockRejectedValueOnce(diskFull());
    const results = await useMany(guard);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set(['rejected']));
    expect(await use(guard, 'confirmed')).toBe(true);
    expect(await use(guard, 'next')).toBe(true);

    const restartedGuard = await openGuard();
    expect(await use(restartedGuard, 'confirmed')).toBe(false);
    expect(await use(restartedGuard, 'next')).toBe(false);
  });
});
