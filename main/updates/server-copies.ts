import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nodeFileName, programOf, type Parts } from '../server/installation.ts';
import { syncFolder } from './update-file.ts';

/** Creates and restores copies of the database with a server's own command line. */
export type Copies = {
  /** Creates a copy. @throws {Error} with a plain message; nothing has changed then */
  make(parts: Parts, name: string): Promise<string>;
  /** Restores a copy. @throws {Error} with a plain message */
  bringBack(parts: Parts, name: string): Promise<string>;
};

/** Milliseconds for a copy, which may be large. */
const COPY_MS = 30 * 60_000;
/** Factor of required free space, so that the disk is not full afterwards. */
const SPACE_MARGIN = 1.1;

/** @param config `env`: environment of the server */
export function createCopies(config: {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Copies {
  const run = (parts: Parts, command: string, name: string): Promise<string> => {
    const args = [programOf(parts), 'copy', command, '--home', config.home, '--called', name];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { cwd: parts.root, env: { ...config.env }, timeout: COPY_MS, windowsHide: true };
    execFile(parts.node, args, options, (error, stdout, stderr) => {
      const lastLine = stderr.trim().split('\n').at(-1) ?? '';
      if (error === null) resolve(stdout.trim());
      else reject(new Error(lastLine === '' ? error.message : lastLine));
    });
    return promise;
  };
  return {
    make: (parts, name) => run(parts, 'make', name),
    bringBack: (parts, name) => run(parts, 'bring-back', name),
  };
}

/** Returns the parts in a folder of a previous server. */
export function partsOfPreserved(folder: string, platform: NodeJS.Platform): Parts {
  return { root: folder, node: join(folder, 'bin', nodeFileName(platform)) };
}

/**
 * Keeps the server of an app beside the app, because the installer replaces the app itself. The folder gets its final
 * name once it is complete; other kept servers are removed.
 * @returns the folder
 * @throws {Error} on a full disk or a file system error; nothing is left then
 */
export async function preserveServer(parts: Parts, folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // After a rollback the running server is the kept one already.
  if (dirname(parts.root) === folder) return parts.root;
  const targetFolder = join(folder, version);
  await removePreservedServers(folder);
  const making = `${targetFolder}.new`;
  try {
    await cp(parts.root, making, { recursive: true, dereference: true });
    await rename(making, targetFolder);
    syncFolder(folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
  return targetFolder;
}

/** Removes kept servers. @param except a folder that is still needed */
export async function removePreservedServers(folder: string, except?: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    // Nothing was kept before.
    return;
  }
  for (const name of names)
    if (except === undefined || name !== basename(except))
      await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Returns required and free bytes if there is not enough space for the copy of the database and the kept server; else
 * null.
 */
export async function findMissingSpace(
  parts: Parts,
  home: string,
  folder: string,
): Promise<{ readonly required: number; readonly free: number } | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const server = (await bytesOf(parts.root)) * SPACE_MARGIN;
  const [database = 0, log = 0] = await Promise.all(
    ['', '-wal'].map((rest) => bytesOf(join(home, `pda.sqlite${rest}`))),
  );
  const copy = (database + log) * SPACE_MARGIN;
  const onOneDisk = (await stat(folder)).dev === (await stat(home)).dev;
  for (const [targetDisk, required] of onOneDisk
    ? ([[folder, server + copy]] as const)
    : ([
        [folder, server],
        [home, copy],
      ] as const)) {
    const { bavail, bsize } = await statfs(targetDisk);
    if (bavail * bsize < required) return { required, free: bavail * bsize };
  }
  return null;
}

async function bytesOf(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.size;
  const inside = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    inside
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
