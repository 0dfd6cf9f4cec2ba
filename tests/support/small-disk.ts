import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from './server-process.ts';

// Small separate disks that tests can fill, make read-only and remove.

const DISK_BYTES = 24_000_000;
const mountedFolders = new Set<string>();

const run = (program: string, ...args: readonly string[]): void => void execFileSync(program, args, { stdio: 'pipe' });

/** Mounts a new disk. @returns its folder; undefined if this machine does not permit mounting */
export const mountSmallDisk = (): string | undefined => {
  const folder = join(newFolder(), 'disk');
  mkdirSync(folder);
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'pda-small-disk', folder);
  } catch {
    return undefined;
  }
  mountedFolders.add(folder);
  return folder;
};

export const growDisk = (folder: string): void => run('mount', '-o', `remount,size=${DISK_BYTES * 2}`, folder);

export const setReadOnly = (folder: string, isReadOnly: boolean): void =>
  run('mount', '-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, folder);

export const removeDisk = (folder: string): void => {
  run('umount', '--lazy', folder);
  mountedFolders.delete(folder);
};

export const removeDisks = (): void => mountedFolders.forEach(removeDisk);

/** Mounts a disk to find out whether this machine permits it. */
export const canMountDisk = (): boolean => {
  const folder = mountSmallDisk();
  if (folder === undefined) return false;
  removeDisk(folder);
  return true;
};
