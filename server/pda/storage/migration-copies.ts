import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeDatabase } from './database.ts';

const COPY_PATTERN = /^before-format-(\d+)-from-\d+\.sqlite$/u;
const COPY_MAX_AGE_MS = 30 * 86_400_000;

/**
 * Deletes the copies of the database that were made before migrations, because they contain data that was deleted
 * since: copies older than 30 days, and those of earlier migrations. Copies with the same target stay, because a
 * repeated migration starts from an intermediate format. Must run after the migration, while no copy is being made.
 * @throws an error of the file system
 */
export const removeOldMigrationCopies = (backups: string, now: number): void => {
  const names = readdirSync(backups).map((name) => name.replace(/(?:-wal|-shm|-journal|\.new)$/u, ''));
  const copies = [...new Set(names)].flatMap((name) => {
    const target = COPY_PATTERN.exec(name)?.[1];
    if (target === undefined) return [];
    const path = join(backups, name);
    const createdAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
    return [{ path, target: Number(target), createdAt }];
  });
  const newestTarget = Math.max(
    ...copies.filter(({ createdAt }) => createdAt !== undefined).map((copy) => copy.target),
  );
  for (const { path, target, createdAt } of copies) {
    rmSync(`${path}.new`, { force: true });
    if (createdAt === undefined || target < newestTarget || now - createdAt > COPY_MAX_AGE_MS) removeDatabase(path);
  }
};
