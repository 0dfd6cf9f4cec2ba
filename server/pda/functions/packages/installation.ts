import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { syncFolderAsync, hashFile } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { createMutex } from '../../../platform/async/mutex.ts';
import type { PublishedFunction } from '../../../wire/functions.ts';
import { MAX_FUNCTION_PACKAGE_BYTES } from '../../../wire/limits.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { requestConfiguration } from '../runs/execution.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import { openPackage, rejection } from './source.ts';
import { functionOfPackage, type RegisteredFunction } from '../catalogue/registry.ts';
import type { FunctionStore, PackageRow } from '../store.ts';

export type InspectedPackage = { registered: RegisteredFunction; published: PublishedFunction };

/** Called in the transaction that changes a function. */
type OnChange = (tx: Transaction, id: string) => void;

/**
 * Manages installed packages. A crash leaves the old or the new version intact, because each version has its own
 * folder, and a database row names the folder of the current one.
 */
export type Packages = {
  /**
   * Installs a package, which replaces any other version of it. Returns the id of the function.
   * @param path folder or zip file
   * @throws Failure not_found | invalid_input | already_exists | too_large
   */
  install(path: string, onChange: OnChange): Promise<string>;
  /** Installs a package from a zip stream. @throws Failure invalid_input | already_exists | too_large */
  receive(content: Readable, onChange: OnChange): Promise<string>;
  /**
   * Unpacks a package without installing it, and deletes the files when `work` has ended.
   * @throws Failure not_found | invalid_input | too_large
   */
  withUnpacked<T>(path: string, work: (inspectedPackage: InspectedPackage) => Promise<T>): Promise<T>;
  remove(row: PackageRow, onChange: OnChange): Promise<void>;
  verify(row: PackageRow): Promise<{ ok: true; path: string } | { ok: false; problem: string }>;
  /**
   * Deletes the staging folder, and visible files and folders that belong to no installed version. A crash can leave
   * them behind.
   */
  removeLeftovers(): Promise<void>;
};

const PRIVATE_FOLDER_MODE = 0o700;
const PRIVATE_FILE_MODE = 0o600;

const tooLargeFailure = (): Failure =>
  new Failure('too_large', `A package can be at most ${MAX_FUNCTION_PACKAGE_BYTES} bytes. Nothing was installed.`);

/** Staging folder of packages that are being installed or tested. No function id begins with a dot. */
const STAGING_FOLDER = '.incoming';
/** File name of the installed module. The extension makes it an ES module regardless of its original name. */
const MODULE_FILE = 'function.mjs';
/** Device names of Windows, and names with a trailing dot, which Windows ignores. */
const WINDOWS_RESERVED_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/iu;

export const createPackages = (parts: {
  folder: string;
  store: FunctionStore;
  isRemoteId: (id: string) => boolean;
  host: () => FunctionHost;
  runQueued: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  writer: Writer;
  clock: Clock;
  log: Log;
}): Packages => {
  const { folder, store, writer, clock, log } = parts;
  const moduleOf = (row: PackageRow): string => join(folder, row.id.toLowerCase(), row.folder, row.module);

  const removeFolder = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

  const unpack = async (path: string, stagingFolder: string): Promise<PackageRow> => {
    const { manifest, module } = await openPackage(path);
    const hash = createHash('sha256');
    let bytes = 0;
    const handle = await open(join(stagingFolder, MODULE_FILE), 'wx', PRIVATE_FILE_MODE);
    try {
      for await (const chunk of module.content()) {
        bytes += chunk.length;
        if (bytes > MAX_FUNCTION_PACKAGE_BYTES) throw tooLargeFailure();
        hash.update(chunk);
        await handle.writeFile(chunk);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolderAsync(stagingFolder);
    return {
      id: manifest.id,
      manifest: JSON.stringify(manifest),
      folder: basename(stagingFolder),
      module: MODULE_FILE,
      sha256: hash.digest('hex'),
      bytes,
      installed: clock.now(),
    };
  };

  const inspect = async (row: PackageRow, module: string): Promise<InspectedPackage> => {
    const registered = functionOfPackage(row);
    const target: FunctionTarget = {
      id: row.id,
      version: registered.version,
      memoryMb: registered.memoryMb ?? 0,
      timeoutMs: registered.timeoutMs,
      location: module,
    };
    const host = parts.host();
    const response = await parts.runQueued((signal) => requestConfiguration(host, target, signal));
    if (response.ok) return { registered, published: response.published };
    throw rejection(response.problem.replace(/\.$/u, ''));
  };

  /** Serialises installations and removals, so that one does not delete the folder that another has just created. */
  const runExclusive = createMutex();

  const rejectNameConflict = ({ id }: PackageRow): void => {
    if (WINDOWS_RESERVED_NAME.test(id))
      throw new Failure(
        'invalid_input',
        `Some systems reserve the name ${id}. Choose another id. Nothing was installed.`,
      );
    if (parts.isRemoteId(id))
      throw new Failure('already_exists', `config.json names a remote function ${id}. Nothing was installed.`);
    const other = store.packages().find((row) => row.id !== id && row.id.toLowerCase() === id.toLowerCase());
    if (other !== undefined)
      throw new Failure('already_exists', `A function ${other.id} already exists. Nothing was installed.`);
  };

  const withStagingFolder = async <T>(work: (stagingFolder: string) => Promise<T>): Promise<T> => {
    const stagingFolder = join(folder, STAGING_FOLDER, randomUUID());
    await mkdir(stagingFolder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
    try {
      return await work(stagingFolder);
    } finally {
      await removeFolder(stagingFolder);
    }
  };

  const install = (path: string, onChange: OnChange): Promise<string> =>
    withStagingFolder(async (stagingFolder) => {
      const row = await unpack(path, stagingFolder);
      rejectNameConflict(row);
      const inspectedPackage = await inspect(row, join(stagingFolder, MODULE_FILE));
      await runExclusive(async () => {
        rejectNameConflict(row);
        const functionFolder = join(folder, row.id.toLowerCase());
        const versionFolder = join(functionFolder, row.folder);
        await mkdir(functionFolder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
        await rename(stagingFolder, versionFolder);
        const previous = store.findPackage(row.id);
        try {
          await syncFolderAsync(functionFolder);
          await writer.write((tx) => {
            store.putPackage(tx, row);
            const { version, location, endpoint, edition } = inspectedPackage.registered;
            store.register(tx, { id: row.id, version, location, endpoint });
            store.configure(tx, { id: row.id, configuration: JSON.stringify(inspectedPackage.published), edition });
            onChange(tx, row.id);
          });
        } catch (error) {
          await removeFolder(versionFolder);
          throw error;
        }
        if (previous !== undefined) await removeFolder(dirname(moduleOf(previous)));
      });
      log.info({ function: row.id, version: inspectedPackage.registered.version }, 'function installed');
      return row.id;
    });

  return {
    install,

    receive: (content, onChange) =>
      withStagingFolder(async (stagingFolder) => {
        const file = join(stagingFolder, 'package.zip');
        let size = 0;
        const handle = await open(file, 'wx', PRIVATE_FILE_MODE);
        try {
          // Keeps the stream open on rejection, because the response uses the same connection.
          for await (const chunk of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
            size += chunk.length;
            if (size > MAX_FUNCTION_PACKAGE_BYTES) throw tooLargeFailure();
            await handle.writeFile(chunk);
          }
        } catch (error) {
          content.resume();
          throw error;
        } finally {
          await handle.close();
        }
        return install(file, onChange);
      }),

    withUnpacked: (path, work) =>
      withStagingFolder(async (stagingFolder) => {
        const row = await unpack(path, stagingFolder);
        const inspectedPackage = await inspect(row, join(stagingFolder, MODULE_FILE));
        // The row points to the staging folder, relative to the function's folder.
        const stagedRow = { ...row, folder: join('..', STAGING_FOLDER, row.folder) };
        return work({ ...inspectedPackage, registered: { ...inspectedPackage.registered, package: stagedRow } });
      }),

    remove: (row, onChange) =>
      runExclusive(async () => {
        await writer.write((tx) => {
          store.dropPackage(tx, row.id);
          store.disable(tx, row.id);
          onChange(tx, row.id);
        });
        await removeFolder(join(folder, row.id.toLowerCase()));
      }),

    async verify(row) {
      const path = moduleOf(row);
      try {
        if ((await hashFile(path)) === row.sha256) return { ok: true, path };
        return { ok: false, problem: 'The module has changed since its installation. Install it again.' };
      } catch (error) {
        log.warn({ err: error, function: row.id }, 'module of a function could not be read');
        return { ok: false, problem: 'The module cannot be read. Install it again.' };
      }
    },

    async removeLeftovers() {
      const currentFolders = new Map(store.packages().map((row) => [row.id.toLowerCase(), row.folder]));
      const removeStale = async (name: string): Promise<void> => {
        const current = currentFolders.get(name);
        if (current === undefined && (name === STAGING_FOLDER || !name.startsWith('.')))
          await removeFolder(join(folder, name));
        if (current === undefined) return;
        for (const versionFolder of await readdir(join(folder, name)))
          if (versionFolder !== current) await removeFolder(join(folder, name, versionFolder));
      };
      for (const name of await readdir(folder).catch(() => []))
        await removeStale(name).catch((error: unknown) => {
          // An entry that cannot be removed must not prevent the start of the server.
          log.warn({ err: error, entry: name }, 'leftover entry among the function packages could not be removed');
        });
    },
  };
};
