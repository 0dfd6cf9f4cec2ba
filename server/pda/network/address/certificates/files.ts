import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFileAsync } from '../../../../platform/io/file-system.ts';
import type { Log } from '../../../../platform/log.ts';

/**
 * The folder with the certificate, its key and related files. Files are replaced atomically: a crash leaves the old or
 * the new version. Certificate and key are one file, so that they always match.
 */

/** Maximum size of a file. A chain of ten certificates is a tenth of it. */
const FILE_MAX_BYTES = 200_000;

export type CertificateFiles = {
  /** Reads a file. Returns undefined if it does not exist or cannot be read. */
  read(name: string): string | undefined;
  /** Replaces a file and resolves when it is on the disk. @throws file system errors */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
};

/** Opens the folder. Creates it if it does not exist. @throws file system errors */
export const openCertificateFiles = (folder: string, log: Log): CertificateFiles => {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  return {
    read(name) {
      const file = join(folder, name);
      try {
        const stats = statSync(file, { throwIfNoEntry: false });
        if (stats === undefined) return undefined;
        if (!stats.isFile() || stats.size > FILE_MAX_BYTES)
          throw new Error(`${file} is not a regular file, or has more than ${FILE_MAX_BYTES} bytes`);
        // A file that was restored from a copy may be readable by other users.
        if ((stats.mode & 0o077) !== 0) chmodSync(file, 0o600);
        return readFileSync(file, 'utf8');
      } catch (error) {
        log.warn({ err: error, file: name }, 'cannot read a file in the certificates folder, continuing without it');
        return undefined;
      }
    },
    write: (name, text) => replaceFileAsync(join(folder, name), text),
    remove: (name) => rm(join(folder, name), { recursive: true, force: true }),
  };
};
