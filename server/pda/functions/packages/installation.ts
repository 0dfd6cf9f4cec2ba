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
import { askConfiguration } from '../runs/execution.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import { openPackage } from './source.ts';
import { ofPackage, type Registered } from '../catalogue/registry.ts';
import type { FunctionStore, PackageRow } from '../store.ts';

/**
 * Installed packages. Each version lies in a folder below the function's; a row in the database names the current one, so
 * that a crash leaves either the old or the new version intact. Folders that no row names are deleted.
 */

/** A package as it lies on the disk, and what it publishes of itself. */
export type Installed = { registered: Registered; published: PublishedFunction };

type Changed = (tx: Transaction, id: string) => void;

export type Packages = {
  /** Installs a folder or a zip file; also over another version. Returns the function's id. @throws Failure invalid_input … */
  install(path: string, changed: Changed): Promise<string>;
  /** The same of a zip file on its way. */
  receive(content: Readable, changed: Changed): Promise<string>;
  /** Unpacks for as long as the work takes, and installs nothing. */
  borrow<T>(path: string, work: (found: Installed) => Promise<T>): Promise<T>;
  remove(row: PackageRow, changed: Changed): Promise<void>;
  /** The module, if it is what was installed. */
  verified(row: PackageRow): Promise<{ ok: true; path: string } | { ok: false; problem: string }>;
  /** Takes away what a crash left. */
  sweep(): Promise<void>;
};

export type PackageParts = {
  /** `functions/` in the home. */
  folder: string;
  store: FunctionStore;
  /** Ids that config.json gives to functions elsewhere. */
  taken: (id: string) => boolean;
  host: () => FunctionHost;
  inLine: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
  writer: Writer;
  clock: Clock;
  log: Log;
};

const PRIVATE_FOLDER = 0o700;
/** Packages on their way; no function can be called so. */
const INCOMING = '.incoming';
/** Whatever a module was called, it is an ES module. */
const MODULE = 'function.mjs';
/** Names that Windows keeps for devices, or takes for the same without the dot at their end. */
const ANOTHER_NAME = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|\.$/iu;

export const createPackages = (parts: PackageParts): Packages => {
  const { folder, store, writer, clock, log } = parts;
  const moduleOf = (row: PackageRow): string => join(folder, row.id.toLowerCase(), row.folder, row.module);

  const newStaging = async (): Promise<string> => {
    const staging = join(folder, INCOMING, randomUUID());
    await mkdir(staging, { recursive: true, mode: PRIVATE_FOLDER });
    return staging;
  };
  const drop = (path: string): Promise<void> => rm(path, { recursive: true, force: true });

  /** Writes the module to a new folder and describes it. */
  const unpack = async (path: string, staging: string): Promise<PackageRow> => {
    const { manifest, module } = await openPackage(path);
    const hash = createHash('sha256');
    let bytes = 0;
    const handle = await open(join(staging, MODULE), 'wx', 0o600);
    try {
      for await (const piece of module.content()) {
        bytes += piece.length;
        if (bytes > MAX_FUNCTION_PACKAGE_BYTES)
          throw new Failure('too_large', `A package has at most ${MAX_FUNCTION_PACKAGE_BYTES} bytes.`);
        hash.update(piece);
        await handle.writeFile(piece);
      }
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolderAsync(staging);
    const sha256 = hash.digest('hex');
    return {
      id: manifest.id,
      manifest: JSON.stringify(manifest),
      folder: basename(staging),
      module: MODULE,
      sha256,
      bytes,
      installed: clock.now(),
    };
  };

  const published = async (row: PackageRow, module: string): Promise<Installed> => {
    const registered = ofPackage(row);
    const target: FunctionTarget = {
      id: row.id,
      version: registered.version,
      memoryMb: registered.memoryMb ?? 0,
      timeoutMs: registered.timeoutMs,
      location: module,
    };
    const host = parts.host();
    const asked = await parts.inLine((signal) => askConfiguration(host, target, signal));
    if (asked.ok) return { registered, published: asked.published };
    throw new Failure('invalid_input', `This package is not taken: ${asked.problem} Nothing was installed.`);
  };

  /** One after the other: what one leaves behind is not what another one has just put there. */
  const alone = createMutex();

  const refuseClash = ({ id }: PackageRow): void => {
    if (ANOTHER_NAME.test(id))
      throw new Failure('invalid_input', `On some systems ${id} is the name of something else. Nothing was installed.`);
    if (parts.taken(id))
      throw new Failure('already_exists', `config.json has a function ${id} elsewhere. Nothing was installed.`);
    const other = store.packages().find((row) => row.id !== id && row.id.toLowerCase() === id.toLowerCase());
    if (other !== undefined)
      throw new Failure('already_exists', `There is a function ${other.id} already. Nothing was installed.`);
  };

  const staged = async <T>(work: (staging: string) => Promise<T>): Promise<T> => {
    let staging: string | undefined;
    try {
      staging = await newStaging();
      return await work(staging);
    } finally {
      if (staging !== undefined) await drop(staging);
    }
  };

  const install = (path: string, changed: Changed): Promise<string> =>
    staged(async (staging) => {
      const row = await unpack(path, staging);
      refuseClash(row);
      const found = await published(row, join(staging, MODULE));
      await alone(async () => {
        refuseClash(row);
        const own = join(folder, row.id.toLowerCase());
        const lies = join(own, row.folder);
        await mkdir(own, { recursive: true, mode: PRIVATE_FOLDER });
        await rename(staging, lies);
        const before = store.findPackage(row.id);
        try {
          await syncFolderAsync(own);
          await writer.write((tx) => {
            store.putPackage(tx, row);
            const { version, location, endpoint, edition } = found.registered;
            store.register(tx, { id: row.id, version, location, endpoint });
            store.configure(tx, { id: row.id, configuration: JSON.stringify(found.published), edition });
            changed(tx, row.id);
          });
        } catch (error) {
          await drop(lies);
          throw error;
        }
        if (before !== undefined) await drop(dirname(moduleOf(before)));
      });
      log.info({ function: row.id, version: found.registered.version }, 'a function was installed');
      return row.id;
    });

  return {
    install,

    receive: (content, changed) =>
      staged(async (staging) => {
        const file = join(staging, 'package.zip');
        let size = 0;
        const handle = await open(file, 'wx', 0o600);
        try {
          // Left open when it is refused: the answer goes out on the same line.
          for await (const piece of content.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
            size += piece.length;
            if (size > MAX_FUNCTION_PACKAGE_BYTES)
              throw new Failure('too_large', `A package has at most ${MAX_FUNCTION_PACKAGE_BYTES} bytes.`);
            await handle.writeFile(piece);
          }
        } catch (error) {
          content.resume();
          throw error;
        } finally {
          await handle.close();
        }
        return install(file, changed);
      }),

    borrow: (path, work) =>
      staged(async (staging) => {
        const row = await unpack(path, staging);
        const module = join(staging, MODULE);
        const found = await published(row, module);
        // Where it lies is said by the row: below the folder of those on their way.
        const lies = { ...row, folder: join('..', INCOMING, row.folder) };
        return work({ ...found, registered: { ...found.registered, package: lies } });
      }),

    remove: (row, changed) =>
      alone(async () => {
        await writer.write((tx) => {
          store.dropPackage(tx, row.id);
          store.disable(tx, row.id);
          changed(tx, row.id);
        });
        await drop(join(folder, row.id.toLowerCase()));
      }),

    async verified(row) {
      const path = moduleOf(row);
      try {
        if ((await hashFile(path)) === row.sha256) return { ok: true, path };
        return { ok: false, problem: 'Its module is not the one that was installed. Install it again.' };
      } catch (error) {
        log.warn({ err: error, function: row.id }, 'the module of a function cannot be read');
        return { ok: false, problem: 'Its module cannot be read. Install it again.' };
      }
    },

    async sweep() {
      const named = new Map(store.packages().map((row) => [row.id.toLowerCase(), row.folder]));
      const sweepOne = async (id: string): Promise<void> => {
        const current = named.get(id);
        if (current === undefined && (id === INCOMING || !id.startsWith('.'))) await drop(join(folder, id));
        if (current === undefined) return;
        for (const one of await readdir(join(folder, id))) if (one !== current) await drop(join(folder, id, one));
      };
      for (const id of await readdir(folder).catch(() => []))
        await sweepOne(id).catch((error: unknown) => {
          // Something in the way is no reason for not starting.
          log.warn({ err: error, entry: id }, 'what lies among the function packages cannot be swept away');
        });
    },
  };
};
