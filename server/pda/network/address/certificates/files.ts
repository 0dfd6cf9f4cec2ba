import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFileAsync } from '../../../../platform/io/file-system.ts';
import type { Log } from '../../../../platform/log.ts';

const FILE_MAX_BYTES = 200_000;

export type CertificateFiles = {
  /** Returns undefined if the file does not exist, is too large or cannot be read. */
  read(name: string): string | undefined;
  /** Resolves when the file is durable. @throws file system errors */
  write(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
};

/** Creates the folder if it does not exist. @throws file system errors */
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
        // Other users may have read access to a file that was restored from a copy.
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
