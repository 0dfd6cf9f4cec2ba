import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../../server/wire/values.ts';
import { nodeFileName, entryPointOf, type Installation } from '../server/installation.ts';
import { syncFolder } from './update-file.ts';

export type DatabaseCopies = ReturnType<typeof createDatabaseCopies>;

const COPY_TIMEOUT_MS = 30 * 60_000;
/** Factor by which the required space exceeds the size of the copies, so that the disk is not full afterwards. */
const SPACE_MARGIN = 1.1;

export function createDatabaseCopies(config: {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}) {
  const run = (installation: Installation, command: string, name: string): Promise<string> => {
    const args = [entryPointOf(installation), 'copy', command, '--home', config.home, '--name', name];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const options = { cwd: installation.root, env: { ...config.env }, timeout: COPY_TIMEOUT_MS, windowsHide: true };
    execFile(installation.node, args, options, (error, stdout, stderr) => {
      const lastLine = stderr.trim().split('\n').at(-1) ?? '';
      if (error === null) resolve(stdout.trim());
      else reject(new Error(lastLine === '' ? error.message : lastLine));
    });
    return promise;
  };
  return {
    /** @returns the output of the command @throws {Error} with a message for the owner; the database is unchanged */
    create: (installation: Installation, name: string): Promise<string> => run(installation, 'create', name),
    /** @returns a message about the database @throws {Error} with a message for the owner */
    restore: (installation: Installation, name: string): Promise<string> => run(installation, 'restore', name),
  };
}

export function preservedInstallation(folder: string, platform: NodeJS.Platform): Installation {
  return { root: folder, node: join(folder, 'bin', nodeFileName(platform)) };
}

/**
 * Copies the running server to a folder that the installer does not replace, unless it already runs from there. First
 * removes the servers that were preserved earlier.
 * @returns the folder of the server
 * @throws {Error} a file system error; no partial copy remains
 */
export async function preserveServer(installation: Installation, folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // After a rollback, the running server is already a preserved copy.
  if (dirname(installation.root) === folder) return installation.root;
  const targetFolder = join(folder, version);
  await removePreservedServers(folder);
  const unfinishedFolder = `${targetFolder}.new`;
  try {
    await cp(installation.root, unfinishedFolder, { recursive: true, dereference: true });
    await rename(unfinishedFolder, targetFolder);
    syncFolder(folder);
  } catch (error) {
    await rm(unfinishedFolder, { recursive: true, force: true });
    throw error;
  }
  return targetFolder;
}

/** @param neededServer folder of a server that must remain @throws {Error} a file system error */
export async function removePreservedServers(folder: string, neededServer?: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch (error) {
    // No server has been preserved yet.
    if (codeOf(error) === 'ENOENT') return;
    throw error;
  }
  for (const name of names)
    if (neededServer === undefined || name !== basename(neededServer))
      await rm(join(folder, name), { recursive: true, force: true });
}

/**
 * Returns the required and the free bytes if there is too little space for the copy of the database and the preserved
 * server; null if there is enough.
 */
export async function findMissingSpace(
  installation: Installation,
  home: string,
  folder: string,
): Promise<{ readonly required: number; readonly free: number } | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const serverBytes = (await bytesOf(installation.root)) * SPACE_MARGIN;
  const [databaseBytes = 0, walBytes = 0] = await Promise.all(
    ['pda.sqlite', 'pda.sqlite-wal'].map((name) => bytesOf(join(home, name))),
  );
  const copyBytes = (databaseBytes + walBytes) * SPACE_MARGIN;
  const isSameDisk = (await stat(folder)).dev === (await stat(home)).dev;
  for (const [disk, required] of isSameDisk
    ? ([[folder, serverBytes + copyBytes]] as const)
    : ([
        [folder, serverBytes],
        [home, copyBytes],
      ] as const)) {
    const { bavail, bsize } = await statfs(disk);
    if (bavail * bsize < required) return { required, free: bavail * bsize };
  }
  return null;
}

async function bytesOf(path: string): Promise<number> {
  const stats = await stat(path).catch(() => null);
  if (stats === null) return 0;
  if (!stats.isDirectory()) return stats.size;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
