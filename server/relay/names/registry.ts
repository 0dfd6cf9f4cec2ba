import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime, type Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { isMissing, syncFolderAsync } from '../../platform/io/file-system.ts';
import type { Log } from '../../platform/log.ts';
import { dateTimeSchema } from '../../wire/common.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import { codeOf } from '../../wire/values.ts';

/** `key` is the key's fingerprint: SHA-256 of the SubjectPublicKeyInfo, base64url. */
const registeredNameSchema = z.strictObject({
  name: pdaNameSchema,
  key: z.string().regex(/^[\w-]{43}$/u),
  since: dateTimeSchema,
});
export type RegisteredName = z.infer<typeof registeredNameSchema>;

export type NameRegistry = Awaited<ReturnType<typeof openNameRegistry>>;

const FILE_SUFFIX = '.json';
const DRAFT_PREFIX = '.new-';

/**
 * Opens the registry of names and keys. Each name is a small file that is created and removed atomically, so the
 * command line and a running relay can use the folder concurrently. A name stays registered even if its file is
 * unreadable.
 */
export const openNameRegistry = async (parts: { home: string; maxNames: number; clock: Clock; log: Log }) => {
  const { home, maxNames, clock, log } = parts;
  const folder = join(home, 'names');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fileOf = (name: string): string => join(folder, `${name}${FILE_SUFFIX}`);
  const nameOf = (file: string): string => file.slice(0, -FILE_SUFFIX.length);
  const registeredNames = new Set((await readdir(folder)).filter((file) => file.endsWith(FILE_SUFFIX)).map(nameOf));

  /** True after a failed sync. The folder may then contain a name that is not durable and was not confirmed. */
  let hasSyncFailed = false;
  const sync = async (): Promise<void> => {
    try {
      await syncFolderAsync(folder);
      hasSyncFailed = false;
    } catch (error) {
      hasSyncFailed = true;
      throw error;
    }
  };

  const find = async (name: string): Promise<RegisteredName | undefined> => {
    try {
      if (hasSyncFailed) await sync();
      return registeredNameSchema.parse(JSON.parse(await readFile(fileOf(name), 'utf8')));
    } catch (error) {
      if (isMissing(error)) return undefined;
      log.error({ name, err: error }, 'could not look up a name');
      throw new Failure('unavailable', 'This name cannot be looked up. Try again later.', {
        headers: { 'retry-after': '60' },
      });
    }
  };

  /** @returns false if the name is already registered */
  const add = async (entry: RegisteredName): Promise<boolean> => {
    const draft = join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
    try {
      await writeFile(draft, `${JSON.stringify(entry)}\n`, { flag: 'wx', mode: 0o600, flush: true });
      // Unlike rename, link fails if the file exists, so exactly one of several concurrent claims succeeds.
      await link(draft, fileOf(entry.name));
      registeredNames.add(entry.name);
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    await sync();
    return true;
  };

  return {
    find,

    /**
     * Removes the drafts that a killed process left behind. Must be called only by the process that has locked the
     * folder, before it registers names.
     */
    async removeDrafts(): Promise<void> {
      for (const file of await readdir(folder))
        if (file.startsWith(DRAFT_PREFIX)) await rm(join(folder, file), { force: true });
    },

    /**
     * Registers a name for a key. Returns the existing entry if the name was registered concurrently.
     * @throws Failure unavailable
     */
    async register(name: string, key: string): Promise<RegisteredName> {
      if (registeredNames.size >= maxNames) {
        log.error({ names: registeredNames.size }, 'the maximum number of names is reached; new names are refused');
        throw new Failure('unavailable', 'This relay accepts no more names. Ask its operator.', {
          headers: { 'retry-after': '3600' },
        });
      }
      const entry = { name, key, since: isoTime(clock.now()) };
      if (await add(entry)) return entry;
      const existing = await find(name);
      if (existing === undefined)
        throw new Failure('unavailable', 'The name was just released. Try again.', { headers: { 'retry-after': '1' } });
      return existing;
    },

    /** @throws Failure unavailable if a file cannot be read */
    async list(): Promise<RegisteredName[]> {
      const entries: RegisteredName[] = [];
      for (const file of (await readdir(folder)).toSorted()) {
        const entry = file.endsWith(FILE_SUFFIX) ? await find(nameOf(file)) : undefined;
        if (entry !== undefined) entries.push(entry);
      }
      return entries;
    },

    /** Releases a name, so that any key can claim it. @throws Failure not_found */
    async release(name: string): Promise<void> {
      try {
        await rm(fileOf(name));
      } catch (error) {
        if (!isMissing(error)) throw error;
        throw new Failure('not_found', `The name ${name} is not registered.`);
      }
      await sync();
    },

    /** Reports names that the operator releases on the command line. */
    watch(onReleased: (name: string) => void): { close(): void } {
      const check = async (file: string): Promise<void> => {
        try {
          await stat(join(folder, file));
        } catch (error) {
          if (!isMissing(error)) throw error;
          registeredNames.delete(nameOf(file));
          onReleased(nameOf(file));
        }
      };
      const watcher = watch(folder, (_event, file) => {
        if (file?.endsWith(FILE_SUFFIX) !== true) return;
        check(file).catch((error: unknown) => log.error({ err: error }, 'could not check a name'));
      });
      watcher.on('error', (error) =>
        log.error({ err: error }, 'the folder of names is no longer watched; restart to end tunnels of released names'),
      );
      return { close: () => watcher.close() };
    },
  };
};
