import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeMark } from '../erasure/mark-store.ts';
import { placesIn } from './places.ts';
import { openMoveState } from './state.ts';

/** Whatever is written there finds no room. */
const FULL = '/dev/full';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'pda-state-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe.runIf(existsSync(FULL))('on a full disk', () => {
  it('an upload is not announced, and that is said', () => {
    const { folder, state: file } = placesIn(home);
    mkdirSync(folder, { recursive: true });
    symlinkSync(FULL, `${file}.new`);
    const state = openMoveState(home);
    const announce = (): void => state.change({ upload: { fileName: 'ada.zip', size: 10 } });
    expect(announce).toThrow(expect.objectContaining({ code: 'out_of_disk' }));
    expect(state.get().upload).toBeNull();
    rmSync(`${file}.new`);
    announce();
    expect(openMoveState(home).get().upload).toEqual({ fileName: 'ada.zip', size: 10 });
  });

  it('nothing is marked to be erased, and that is said', () => {
    const mark = join(home, 'mark.json');
    symlinkSync(FULL, `${mark}.new`);
    expect(() => writeMark(mark, '{}')).toThrow(expect.objectContaining({ code: 'out_of_disk' }));
    expect(existsSync(mark)).toBe(false);
  });
});
