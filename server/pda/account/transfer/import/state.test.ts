import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { transferPaths } from '../format/paths.ts';
import { openTransferState } from './state.ts';

/** Each write to this device fails with ENOSPC. */
const FULL_DEVICE = '/dev/full';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-state-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe.runIf(existsSync(FULL_DEVICE))('the state of transfers on a full disk', () => {
  it('rejects the start of an upload, and accepts it when there is space again', () => {
    const { folder, state: file } = transferPaths(home);
    mkdirSync(folder, { recursive: true });
    symlinkSync(FULL_DEVICE, `${file}.new`);
    const state = openTransferState(home);
    const startUpload = (): void => state.change({ upload: { fileName: 'ada.zip', size: 10 } });
    expect(startUpload).toThrow(expect.objectContaining({ code: 'ENOSPC' }));
    expect(state.get().upload).toBeNull();
    startUpload();
    expect(openTransferState(home).get().upload).toEqual({ fileName: 'ada.zip', size: 10 });
  });
});
