import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readJson, replaceText } from '../system/json-file.ts';
import { readRecord, type UpdateRecord } from './rules.ts';

/** Stores the record of an update. */
export type UpdateFile = {
  read(): UpdateRecord;
  /** Writes the record; it is on disk on return. @throws if it cannot be written */
  write(record: UpdateRecord): void;
};

/** @param file in the app's data folder, not in the home: it concerns this installation */
export function createUpdateFile(file: string): UpdateFile {
  return {
    // An unreadable file counts as settled. Our own files are complete, since they are renamed into place.
    read: () => readRecord(readJson(file)),
    write(record) {
      if (record.phase === 'settled') {
        rmSync(file, { force: true });
        return;
      }
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      replaceText(file, JSON.stringify(record));
      syncFolder(dirname(file));
    },
  };
}

/** Makes a new name last through a power cut, where the system can do that for a folder. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
