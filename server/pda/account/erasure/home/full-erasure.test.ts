import fs, { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ERASE_EVERYTHING_FILE,
  finishFullErasure,
  writeFullErasureMarker,
  type FullErasureMarker,
} from './full-erasure.ts';

const MARKER: FullErasureMarker = {
  id: '00000000-0000-4000-8000-000000000000',
  begun: 0,
  what: {
    records: 0,
    deletedRecords: 0,
    derivedRecords: 0,
    imports: 0,
    files: 0,
    bytes: 0,
    sessions: 0,
    consents: 0,
  },
  copies: 0,
  backups: null,
  backupFolders: [],
  setUpCode: 'code',
};

let home: string;
let marker: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-erasure-'));
  marker = join(home, ERASE_EVERYTHING_FILE);
  writeFileSync(join(home, 'pda.sqlite'), 'data');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(home, { recursive: true });
});

describe('a full erasure', () => {
  it('is not carried out at the next start if its request failed', () => {
    vi.spyOn(fs, 'fsyncSync').mockImplementation((descriptor) => {
      if (fs.fstatSync(descriptor).isDirectory()) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    });
    syncBuiltinESMExports();
    expect(() => writeFullErasureMarker(marker, MARKER)).toThrow('i/o error');
    expect(finishFullErasure(home)).toBeUndefined();
    expect(readdirSync(home)).toEqual(['pda.sqlite']);
  });

  it('is carried out at the next start if it was requested', () => {
    writeFullErasureMarker(marker, MARKER);
    expect(finishFullErasure(home)).toEqual(MARKER);
    expect(existsSync(join(home, 'pda.sqlite'))).toBe(false);
  });
});
