import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, replaceFileAsync } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { backupSnapshotSchema, backupProofSchema } from '../../../wire/backup.ts';

/*
 * Results of backups and restore drills. They are stored in a file that is not backed up. Otherwise each backup would
 * change the content of the next backup, and a restored home would list the backups of another home as its own.
 */

/** Creates the schema. Called on first use, to keep startup fast. */
const createSchema = () =>
  z.object({
    /** Folders in which this home has an archive. The other fields describe the last of these folders. */
    madeIn: z.array(z.string()).default([]),
    backups: z.array(backupSnapshotSchema.extend({ name: z.string() })).default([]),
    /** Generation of the archive's index. */
    generation: z.int().default(0),
    /** Time of the last attempt in Unix milliseconds, and the number of failures since the last success. */
    tried: z.object({ at: z.number(), failures: z.int() }).nullable().default(null),
    problem: z
      .object({ at: z.number(), what: z.enum(['backup', 'drill', 'records']), problem: z.string() })
      .nullable()
      .default(null),
    /** Result of the last restore drill that succeeded. */
    proven: backupProofSchema.nullable().default(null),
    /** Result of the last full restore drill that succeeded. */
    provenWhole: backupProofSchema.nullable().default(null),
    /** Start of the last full restore drill, in Unix milliseconds. */
    drilled: z.number().default(0),
    /** Packs that the last drill found damaged. */
    damaged: z.array(z.string()).default([]),
  });

/** Content of the state file. */
export type BackupState = z.infer<ReturnType<typeof createSchema>>;

/** State of a folder without backups. */
export const EMPTY_STATE = {
  backups: [],
  generation: 0,
  damaged: [],
  tried: null,
  problem: null,
  proven: null,
  provenWhole: null,
  drilled: 0,
} satisfies Partial<BackupState>;

/** State file, cached in memory. */
export type StateFile = {
  get(): BackupState;
  /** Changes the state in memory immediately and writes it to disk asynchronously. */
  change(change: Partial<BackupState>): void;
  /** Resolves when all changes are written or have failed. */
  whenWritten(): Promise<void>;
};

const STATE_FILE_NAME = 'state.json';

/** Opens the state file in a folder. */
export const openState = (folder: string, log: Log): StateFile => {
  const read = (): BackupState => {
    const schema = createSchema();
    try {
      return schema.parse(JSON.parse(readFileSync(join(folder, STATE_FILE_NAME), 'utf8')));
    } catch (error) {
      if (!isMissing(error)) log.warn({ err: error }, 'could not read the backup state; starting with an empty state');
      return schema.parse({});
    }
  };
  let state: BackupState | undefined;
  const get = (): BackupState => (state ??= read());
  let isDirty = false;
  let pendingWrite: Promise<void> | undefined;
  const writeAll = async (): Promise<void> => {
    while (isDirty) {
      isDirty = false;
      try {
        await replaceFileAsync(join(folder, STATE_FILE_NAME), JSON.stringify(get()));
      } catch (error) {
        // The disk may be full, for example. The state stays in memory.
        log.warn({ err: error }, 'could not write the backup state');
      }
    }
    pendingWrite = undefined;
  };
  return {
    get,
    change(change) {
      state = { ...get(), ...change };
      isDirty = true;
      pendingWrite ??= writeAll();
    },
    whenWritten: async () => pendingWrite,
  };
};
