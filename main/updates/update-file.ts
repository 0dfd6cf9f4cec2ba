import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readJson, replaceText } from '../system/json-file.ts';
import { parseRecord, type UpdateRecord } from './rules.ts';

export type UpdateFile = {
  read(): UpdateRecord;
  /** Writes the record durably; removes the file if the record is settled. @throws {Error} of the file system */
  write(record: UpdateRecord): void;
};

export function createUpdateFile(file: string): UpdateFile {
  return {
    // An unreadable file counts as settled. A file is never incomplete, because it is renamed into place.
    read: () => parseRecord(readJson(file)),
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

/** Makes new names in a folder durable. Windows does not support this. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
