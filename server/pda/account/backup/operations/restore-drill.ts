import { createHash, randomInt } from 'node:crypto';
import { closeSync, openSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BackupArchive } from '../format/archive.ts';
import { openChunks } from '../format/chunks.ts';
import { DATABASE, type Entry, type FileEntry, type Page } from '../format/manifest-rules.ts';
import { openHomeDatabase } from '../home/store.ts';
import { entriesOf } from './backup.ts';
import { BackupProblem, backupErrorText } from '../format/error.ts';
import { writeEntries } from './restore.ts';

export type Drilled = { files: number; bytes: number; ms: number };

/** Files of a sample, and bytes of them. */
const SAMPLE_FILES = 25;
const SAMPLE_BYTES = 256 * 1024 * 1024;

const hashOfFile = (file: string): string => {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(1024 * 1024);
  const descriptor = openSync(file, 'r');
  try {
    for (let got = readSync(descriptor, buffer); got > 0; got = readSync(descriptor, buffer))
      hash.update(buffer.subarray(0, got));
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
};

const sampleOf = (entries: readonly FileEntry[]): FileEntry[] => {
  const left = [...entries];
  const sample: FileEntry[] = [];
  let bytes = 0;
  while (left.length > 0 && sample.length < SAMPLE_FILES) {
    const [one] = left.splice(randomInt(left.length), 1);
    if (one === undefined || bytes + one.size > SAMPLE_BYTES) continue;
    bytes += one.size;
    sample.push(one);
  }
  return sample;
};

/**
 * Restores a backup into a scratch folder and holds it against what was backed up: the database is sound and has every row of every table, each file has
 * the content that the database says it has. Files go again one by one, so that it takes no more room than the database and the largest of them.
 * @throws BackupProblem damaged when it is not what was backed up
 */
export const drill = async (
  archive: BackupArchive,
  page: Page,
  parts: { scratch: string; whole: boolean; tell: (done: number, total: number) => void; pause: () => Promise<void> },
): Promise<Drilled> => {
  const { scratch, whole, pause } = parts;
  const began = performance.now();
  const wrong = (what: string): BackupProblem =>
    new BackupProblem('damaged', `The backup of ${page.created} did not come back as it was: ${what}.`);
  try {
    const chunks = openChunks(archive, { complete: false });
    const entries = entriesOf(chunks, page);
    const isDatabase = (entry: Entry): boolean => entry.path === DATABASE;
    const files = entries.filter((entry): entry is FileEntry => entry.kind === 'file' && !isDatabase(entry));
    const chosen = whole ? files : sampleOf(files);
    const total = [...chosen, ...entries.filter(isDatabase)].reduce(
      (sum, entry) => sum + (entry.kind === 'file' ? entry.size : 0),
      0,
    );
    let done = 0;
    const write = { each: (bytes: number): void => parts.tell((done += bytes), total), pause, lasting: false };

    await writeEntries(chunks, entries.filter(isDatabase), scratch, write);
    const db = openHomeDatabase(join(scratch, DATABASE));
    try {
      const [problem] = db.problems();
      if (problem !== undefined) throw wrong(`the database is not sound (${problem})`);
      const tables = db.tables();
      for (const [table, rows] of Object.entries(page.tables))
        if (tables[table] !== rows) throw wrong(`${rows} rows were in ${table}, and ${tables[table] ?? 0} are`);
      await pause();
      for (const [at, entry] of chosen.entries()) {
        const folder = join(scratch, String(at));
        await writeEntries(chunks, [entry], folder, write);
        const known = entry.path.startsWith('files/') ? db.fileAt(entry.path.slice('files/'.length)) : undefined;
        // Changed while the backup ran: the database had not been told yet.
        if (
          known?.sha256 !== null &&
          known?.size === entry.size &&
          known.modified === entry.modified &&
          entry.looks !== '' &&
          hashOfFile(join(folder, ...entry.path.split('/'))) !== known.sha256
        )
          throw wrong('a file has another content than the database says');
        rmSync(folder, { recursive: true });
      }
    } finally {
      db.close();
    }
    return { files: chosen.length + 1, bytes: done, ms: Math.round(performance.now() - began) };
  } catch (error) {
    throw backupErrorText(error, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};
