import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nodeFileName, programOf, type Parts } from '../server/installation.ts';
import { syncFolder } from './update-file.ts';

/** Making and using a copy of the database, with a server's own program. */
export type Copies = {
  /** @throws {Error} in plain words; nothing has changed then */
  make(parts: Parts, name: string): Promise<string>;
  /** @throws {Error} in plain words */
  bringBack(parts: Parts, name: string): Promise<string>;
};

/** A copy of a large database takes its time; one that takes longer hangs. */
const COPY_MS = 30 * 60_000;
/** More room than is needed, so that the disk is not full afterwards. */
const ROOM_TO_SPARE = 1.1;

/** @param config `env`: the environment of the server */
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

/** The parts inside a kept folder. */
export function partsOfKept(folder: string, platform: NodeJS.Platform): Parts {
  return { root: folder, node: join(folder, 'bin', nodeFileName(platform)) };
}

/**
 * Keeps the server that an app carries, beside the app: the installer replaces the app itself. The folder gets its name when it is whole. Others that were
 * kept are removed.
 *
 * @returns the folder
 * @throws {Error} when there is no room, or the disk says no; nothing is left then
 */
export async function keepServer(parts: Parts, folder: string, version: string): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // After a way back it is what was kept then.
  if (dirname(parts.root) === folder) return parts.root;
  const kept = join(folder, version);
  await forgetServers(folder);
  const making = `${kept}.new`;
  try {
    await cp(parts.root, making, { recursive: true, dereference: true });
    await rename(making, kept);
    syncFolder(folder);
  } catch (error) {
    await rm(making, { recursive: true, force: true });
    throw error;
  }
  return kept;
}

/** Removes what was kept. @param except a folder that is still needed */
export async function forgetServers(folder: string, except?: string): Promise<void> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    // There was never one.
    return;
  }
  for (const name of names)
    if (except === undefined || name !== basename(except))
      await rm(join(folder, name), { recursive: true, force: true });
}

/** Bytes that are wanted and bytes that are free where there is not enough for the copy of the database and the server that is kept; else null. */
export async function roomMissing(
  parts: Parts,
  home: string,
  folder: string,
): Promise<{ readonly wanted: number; readonly free: number } | null> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const server = (await bytesOf(parts.root)) * ROOM_TO_SPARE;
  const [database = 0, log = 0] = await Promise.all(
    ['', '-wal'].map((rest) => bytesOf(join(home, `pda.sqlite${rest}`))),
  );
  const copy = (database + log) * ROOM_TO_SPARE;
  const onOneDisk = (await stat(folder)).dev === (await stat(home)).dev;
  for (const [place, wanted] of onOneDisk
    ? ([[folder, server + copy]] as const)
    : ([
        [folder, server],
        [home, copy],
      ] as const)) {
    const { bavail, bsize } = await statfs(place);
    if (bavail * bsize < wanted) return { wanted, free: bavail * bsize };
  }
  return null;
}

async function bytesOf(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  if (found === null) return 0;
  if (!found.isDirectory()) return found.size;
  const inside = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    inside
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}
