import { mkdtempSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { openNameRegistry } from './registry.ts';

const KEY = 'k'.repeat(43);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-names-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(home, { recursive: true });
});

const spyOnSync = async () => {
  const handle = await open(home, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  return vi.spyOn(prototype, 'sync');
};

describe('a name whose folder could not be synced', () => {
  it('is confirmed only after the folder is synced', async () => {
    const names = await openNameRegistry({ home, maxNames: 10, clock: { now: () => 0 }, log: silentLog() });
    const sync = await spyOnSync();
    sync.mockImplementation(async function failForFolders(this: FileHandle) {
      if ((await this.stat()).isDirectory()) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    });
    await expect(names.register('ada', KEY)).rejects.toThrow('i/o error');
    await expect(names.find('ada')).rejects.toMatchObject({ code: 'unavailable' });

    sync.mockReset();
    expect(await names.find('ada')).toMatchObject({ name: 'ada', key: KEY });
    expect(sync).toHaveBeenCalledTimes(1);
    expect(await names.find('ada')).toMatchObject({ name: 'ada', key: KEY });
    expect(sync).toHaveBeenCalledTimes(1);
  });
});
