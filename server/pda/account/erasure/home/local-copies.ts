import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isoTime } from '../../../../platform/clock.ts';
import type { LocalCopy } from '../../../../wire/erasure.ts';
import { isLocalCopy } from './copy-rules.ts';

/** Copies of the database in the home folder, newest first. */
export const localCopies = (folder: string): LocalCopy[] =>
  readdirSync(folder)
    .filter(isLocalCopy)
    .flatMap((name) => {
      const found = statSync(join(folder, name), { throwIfNoEntry: false });
      return found === undefined ? [] : [{ name, at: isoTime(Math.floor(found.mtimeMs)), bytes: found.size }];
    })
    .toSorted((a, b) => b.at.localeCompare(a.at));
