import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../../platform/clock.ts';
import type { LocalCopy } from '../../../../wire/erasure.ts';

/** Returns true for database copies that this program creates before a migration, on request, or during a restore. */
const isLocalCopy = (name: string): boolean => /^(?:copy-|before-format-|set-aside-).*\.sqlite$/u.test(name);
export const isLocalCopyOrSidecar = (name: string): boolean =>
  isLocalCopy(name.replace(/(?:-wal|-shm|-journal|\.new)$/u, ''));

/** Returns true for leftovers of a database whose creation was interrupted. */
export const isDatabaseLeftover = (name: string): boolean =>
  /^pda\.sqlite\.(?:new|copy)(?:-wal|-shm|-journal|\.new)?$/u.test(name);

/** Returns true for leftovers of an interrupted backup or restore drill. */
export const isBackupLeftover = (name: string): boolean => /^(?:snapshot-[\w-]+\.sqlite|drill-)/u.test(name);

/** Returns the database copies in a folder, newest first. */
export const listLocalCopies = (folder: string): LocalCopy[] =>
  readdirSync(folder)
    .filter(isLocalCopy)
    .flatMap((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ name, at: isoTime(Math.floor(stats.mtimeMs)), bytes: stats.size }];
    })
    .toSorted((a, b) => b.at.localeCompare(a.at));
