import Sqlite from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { backUp, newArchive, restoreBackup, writeHomeFile } from '../../../../../tests/support/backups.ts';
import { newHome, removeFolders } from '../../../../../tests/support/server-process.ts';

afterAll(removeFolders);

const PATH = 'files/letter.txt';
const insertFile = (home: string, content: string): void => {
  const { mtimeNs, dev, ino } = statSync(join(home, PATH), { bigint: true });
  const db = new Sqlite(join(home, 'pda.sqlite'));
  db.prepare(
    `INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, kind, path, path_key, size, sha256, modified, inode)
     VALUES (1, 'id', 'letter.txt', 'letter.txt', 'folder', 1, 1, 1, 'Completed', 'folder', 'text', 'letter.txt', 'letter.txt', ?, ?, ?, ?)`,
  ).run(content.length, createHash('sha256').update(content).digest('hex'), String(mtimeNs), `${dev}:${ino}`);
  db.close();
};
/** Returns true if the database describes the file as it is on the disk, so that the first scan does not read it. */
const isKnown = (home: string): boolean => {
  const { mtimeNs, dev, ino } = statSync(join(home, PATH), { bigint: true });
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true });
  const row = db.prepare('SELECT modified, inode FROM files').get();
  db.close();
  expect(row).toBeDefined();
  return JSON.stringify(row) === JSON.stringify({ modified: String(mtimeNs), inode: `${dev}:${ino}` });
};

describe('a restored file', () => {
  it('is not read again by the first scan if it is as the database describes it', async () => {
    const home = await newHome();
    writeHomeFile(home, PATH, 'Dear Ada');
    insertFile(home, 'Dear Ada');
    const { archive } = await newArchive();
    expect(isKnown(await restoreBackup(archive, await backUp(archive, home)))).toBe(true);
  });

  it('is read by the first scan if another program changed it before the backup, even if its size is the same', async () => {
    const home = await newHome();
    writeHomeFile(home, PATH, 'Dear Ada');
    insertFile(home, 'Dear Ada');
    writeHomeFile(home, PATH, 'Dear Bob');
    utimesSync(join(home, PATH), 1.7e9, 1.7e9);
    const { archive } = await newArchive();
    expect(isKnown(await restoreBackup(archive, await backUp(archive, home)))).toBe(false);
  });
});
