import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, replaceFileAsync } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { backupSnapshotSchema, backupProofSchema } from '../../../wire/backup.ts';

/*
 * Results of backups and restore drills. They are stored beside the database and not in backups: otherwise each backup
 * would change the content of the next one, and a restored home would list the backups of another home as its own.
 */

/** Creates the schema on first use, to keep the start fast. */
const createSchema = () =>
  z.object({
    /** Folders with an archive of this home, whose absence is an error. The fields below describe the last one. */
    madeIn: z.array(z.string()).default([]),
    backups: z.array(backupSnapshotSchema.extend({ name: z.string() })).default([]),
    generation: z.int().default(0),
    tried: z.object({ at: z.number(), failures: z.int() }).nullable().default(null),
    problem: z
      .object({ at: z.number(), what: z.enum(['backup', 'drill', 'records']), problem: z.string() })
      .nullable()
      .default(null),
    proven: backupProofSchema.nullable().default(null),
    provenWhole: backupProofSchema.nullable().default(null),
    drilled: z.number().default(0),
    /** Packs that the last drill found damaged. */
    damaged: z.array(z.string()).default([]),
  });

export type BackupState = z.infer<ReturnType<typeof createSchema>>;

export type StateFile = {
  get(): BackupState;
  /** Changes the state in memory at once and writes it to disk asynchronously. */
  change(change: Partial<BackupState>): void;
  /** Resolves when all changes are written or have failed. */
  whenWritten(): Promise<void>;
};

const NAME = 'state.json';

/** Opens the state file in a folder. */
export const openState = (folder: string, log: Log): StateFile => {
  const read = (): BackupState => {
    const schema = createSchema();
    try {
      return schema.parse(JSON.parse(readFileSync(join(folder, NAME), 'utf8')));
    } catch (error) {
      if (!isMissing(error)) log.warn({ err: error }, 'the state of backups is unreadable and starts empty');
      return schema.parse({});
    }
  };
  let state: BackupState | undefined;
  const get = (): BackupState => (state ??= read());
  let isWritten = true;
  let writing: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (!isWritten) {
      isWritten = true;
      try {
        await replaceFileAsync(join(folder, NAME), JSON.stringify(get()));
      } catch (error) {
        // For example a full disk. The state stays in memory.
        log.warn({ err: error }, 'the state of backups could not be written');
      }
    }
    writing = undefined;
  };
  return {
    get,
    change(change) {
      state = { ...get(), ...change };
      isWritten = false;
      writing ??= writeAll();
    },
    whenWritten: async () => writing,
  };
};
