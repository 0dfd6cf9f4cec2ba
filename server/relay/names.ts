import { randomUUID } from 'node:crypto';
import { watch } from 'node:fs';
import { link, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime, type Clock } from '../platform/clock.ts';
import { Failure } from '../platform/failure.ts';
import type { Log } from '../platform/log.ts';
import { dateTimeSchema } from '../wire/common.ts';
import { pdaNameSchema } from '../wire/owner.ts';

/** A name and the key that it belongs to: SHA-256 of its SubjectPublicKeyInfo. */
const heldSchema = z.strictObject({
  name: pdaNameSchema,
  key: z.string().regex(/^[\w-]{43}$/u),
  since: dateTimeSchema,
});
export type HeldName = z.infer<typeof heldSchema>;

export type Names = Awaited<ReturnType<typeof openNames>>;

const SUFFIX = '.json';
const isNoFile = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
const isThere = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** Writes a file, or a folder's list of files, through to the disk. */
const flush = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/**
 * Which name belongs to which key: one small file each, which is there as a whole or not at all, so that the command line and a relay that runs need
 * not know of each other. A file that cannot be read holds its name all the same: it never becomes free by itself.
 */
export const openNames = async (parts: { home: string; most: number; clock: Clock; log: Log }) => {
  const { home, most, clock, log } = parts;
  const folder = join(home, 'names');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fileOf = (name: string): string => join(folder, `${name}${SUFFIX}`);
  let count = 0;
  for (const file of await readdir(folder)) {
    if (file.endsWith(SUFFIX)) count += 1;
    // Begun by a process that was killed: nobody was told that it is theirs.
    else if (file.startsWith('.new-')) await rm(join(folder, file), { force: true });
  }

  const find = async (name: string): Promise<HeldName | undefined> => {
    try {
      return heldSchema.parse(JSON.parse(await readFile(fileOf(name), 'utf8')));
    } catch (error) {
      if (isNoFile(error)) return undefined;
      log.error({ name, err: error }, 'the file of a name cannot be read');
      throw new Failure('unavailable', 'This name cannot be looked up just now.', { headers: { 'retry-after': '60' } });
    }
  };

  /** @returns whether it was free */
  const add = async (held: HeldName): Promise<boolean> => {
    const draft = join(folder, `.new-${randomUUID()}`);
    try {
      const handle = await open(draft, 'wx', 0o600);
      try {
        await handle.writeFile(`${JSON.stringify(held)}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      // Fails where there is one, so of two who come at once one is the first.
      await link(draft, fileOf(held.name));
    } catch (error) {
      if (isThere(error)) return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
    await flush(folder);
    count += 1;
    return true;
  };

  return {
    find,

    /** Gives a free name to a key, for good. @returns who has it now. @throws Failure unavailable */
    async take(name: string, key: string): Promise<HeldName> {
      if (count >= most) {
        log.error({ names: count }, 'no more names are given');
        throw new Failure('unavailable', 'This relay has no more names to give.', {
          headers: { 'retry-after': '3600' },
        });
      }
      const held = { name, key, since: isoTime(clock.now()) };
      if (await add(held)) return held;
      const other = await find(name);
      if (other === undefined) throw new Failure('unavailable', 'Try again.', { headers: { 'retry-after': '1' } });
      return other;
    },

    /** All of them, in order. */
    async list(): Promise<HeldName[]> {
      const found: HeldName[] = [];
      for (const file of (await readdir(folder)).toSorted()) {
        const held = file.endsWith(SUFFIX) ? await find(file.slice(0, -SUFFIX.length)) : undefined;
        if (held !== undefined) found.push(held);
      }
      return found;
    },

    /** Anybody can claim it anew. @throws Failure not_found */
    async forget(name: string): Promise<void> {
      try {
        await rm(fileOf(name));
      } catch (error) {
        if (!isNoFile(error)) throw error;
        throw new Failure('not_found', `Nobody has the name ${name} here.`);
      }
      await flush(folder);
    },

    /** Tells of names that the operator took back while the relay runs. */
    watch(onForgotten: (name: string) => void): { close(): void } {
      const look = async (file: string): Promise<void> => {
        try {
          await stat(join(folder, file));
        } catch (error) {
          if (!isNoFile(error)) throw error;
          count = Math.max(0, count - 1);
          onForgotten(file.slice(0, -SUFFIX.length));
        }
      };
      const watcher = watch(folder, (_event, file) => {
        if (file?.endsWith(SUFFIX) !== true) return;
        look(file).catch((error: unknown) => log.error({ err: error }, 'a name could not be looked at'));
      });
      watcher.on('error', (error) => log.error({ err: error }, 'the names are not watched any more'));
      return { close: () => watcher.close() };
    },
  };
};
