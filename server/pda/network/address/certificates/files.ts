import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFileAsync } from '../../../../platform/io/file-system.ts';
import type { Log } from '../../../../platform/log.ts';

/**
 * The folder with the certificate, its key and what belongs to them. Each file is replaced as a whole: after a kill or a power cut there is the old
 * one or the new one, and a key never without its certificate, because the two are one file.
 */

/** Bytes of the largest of them: a chain of ten certificates is a tenth of it. */
const MAX_FILE_BYTES = 200_000;

export type CertificateFiles = {
  /** The text of a file, undefined where there is none that can be read. */
  read(name: string): string | undefined;
  /** Resolves once it is on the disk. @throws what the file system says */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
};

/** Makes the folder where it is missing. @throws what the file system says */
export const openCertificateFiles = (folder: string, log: Log): CertificateFiles => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
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
    write: (name, text) => replaceFileAsync(join(folder, name), text),
    remove: (name) => rm(join(folder, name), { recursive: true, force: true }),
  };
};
