import { closeSync, fsyncSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { readJson, replaceText } from '../system/json-file.ts';
import { readRecord, type UpdateRecord } from './rules.ts';

/** Where the record of an update is kept. */
export type UpdateFile = {
  read(): UpdateRecord;
  /** On the disk when it returns. @throws when it cannot be written */
  write(record: UpdateRecord): void;
};

/** @param file in the app's own data, not in the home: it is about this installation */
export function createUpdateFile(file: string): UpdateFile {
  return {
    // One that cannot be read is not ours, which gets its name when it is whole: it counts as settled.
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
