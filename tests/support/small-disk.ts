import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './server-process.ts';

/** Disks of their own that are quickly full, or can be taken away. */

/** Bytes of one. */
const DISK_BYTES = 24_000_000;
const mounted = new Set<string>();

const say = (program: string, ...args: readonly string[]): void => void execFileSync(program, args, { stdio: 'pipe' });

/** A folder that is a disk; undefined where this machine does not let us have one. */
export const smallDisk = (): string | undefined => {
  const folder = join(newFolder(), 'disk');
  mkdirSync(folder);
  try {
    say('mount', '-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'pda-small-disk', folder);
  } catch {
    return undefined;
  }
  mounted.add(folder);
  return folder;
};

/** Twice the room from now on. */
export const growDisk = (folder: string): void => say('mount', '-o', `remount,size=${DISK_BYTES * 2}`, folder);

/** Whether anything can be written there. */
export const setReadOnly = (folder: string, isReadOnly: boolean): void =>
  say('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder);

export const takeAwayDisk = (folder: string): void => {
  say('umount', '--lazy', folder);
  mounted.delete(folder);
};

export const takeAwayDisks = (): void => mounted.forEach(takeAwayDisk);

/** Known only by asking for one. */
export const canHaveDisk = (): boolean => {
  const folder = smallDisk();
  if (folder === undefined) return false;
  takeAwayDisk(folder);
  return true;
};
