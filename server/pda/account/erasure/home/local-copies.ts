import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../../platform/clock.ts';
import type { LocalCopy } from '../../../../wire/erasure.ts';
import { isLocalCopy } from './copy-rules.ts';

/** Returns the database copies in a folder, newest first. */
export const listLocalCopies = (folder: string): LocalCopy[] =>
  readdirSync(folder)
    .filter(isLocalCopy)
    .flatMap((name) => {
      const stats = statSync(join(folder, name), { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ name, at: isoTime(Math.floor(stats.mtimeMs)), bytes: stats.size }];
    })
    .toSorted((a, b) => b.at.localeCompare(a.at));
