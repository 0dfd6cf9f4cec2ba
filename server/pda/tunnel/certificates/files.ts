import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../../platform/log.ts';

/**
 * The folder with the certificate, its key and what belongs to them. Each file is replaced as a whole: after a kill or a power cut there is the old
 * one or the new one, and a key never without its certificate, because the two are one file.
 */

/** Bytes of the largest of them: a chain of ten certificates is a tenth of it. */
const MAX_FILE_BYTES = 200_000;
const BEGUN = '.begun';

export type CertificateFiles = {
  /** The text of a file, undefined where there is none that can be read. */
  read(name: string): string | undefined;
  /** Resolves once it is on the disk. @throws what the file system says */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
};

const syncFolder = async (path: string): Promise<void> => {
  // Windows has no such thing.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes the folder where it is missing. @throws what the file system says */
export const openCertificateFiles = (folder: string, log: Log): CertificateFiles => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  // Left behind by a write that was cut off.
  for (const name of readdirSync(folder)) if (name.endsWith(BEGUN)) rmSync(join(folder, name), { force: true });
  return {
    read(name) {
      const file = join(folder, name);
      try {
        const found = statSync(file, { throwIfNoEntry: false });
        if (found === undefined) return undefined;
        if (!found.isFile() || found.size > MAX_FILE_BYTES)
          throw new Error('This is not a file that was written here.');
        // Put back from a copy, perhaps, for all to read.
        if ((found.mode & 0o077) !== 0) chmodSync(file, 0o600);
        return readFileSync(file, 'utf8');
      } catch (error) {
        log.warn({ err: error, file: name }, 'a file beside the certificate cannot be read, going on without it');
        return undefined;
      }
    },
    async write(name, text) {
      const begun = join(folder, `${name}.${randomUUID()}${BEGUN}`);
      try {
        const handle = await open(begun, 'wx', 0o600);
        try {
          await handle.writeFile(text);
          // On the disk before it takes the other's place: after a power cut a renamed file could otherwise be an empty one.
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(begun, join(folder, name));
      } catch (error) {
        await rm(begun, { force: true });
        throw error;
      }
      await syncFolder(folder);
    },
    remove: (name) => rm(join(folder, name), { recursive: true, force: true }),
  };
};
