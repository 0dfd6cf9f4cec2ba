import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, replaceFileAsync } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { backupSnapshotSchema, backupProofSchema } from '../../../wire/backup.ts';

/*
 * Results of backups and restore drills, in a file that is not backed up. Otherwise each backup would change the
 * content of the next one, and a restored home would list another home's backups as its own.
 */

/** Creates the schema of the state. Called on first use, to keep startup fast. */
const createSchema = () =>
  z.object({
    /** Folders in which this home has an archive. The other fields describe the last of these folders. */
    madeIn: z.array(z.string()).default([]),
    backups: z.array(backupSnapshotSchema.extend({ name: z.string() })).default([]),
    generation: z.int().default(0),
    /** Last attempt in Unix milliseconds, and failures since the last success. */
    tried: z.object({ at: z.number(), failures: z.int() }).nullable().default(null),
    problem: z
      .object({ at: z.number(), what: z.enum(['backup', 'drill', 'records']), problem: z.string() })
      .nullable()
      .default(null),
    /** Why the last restore drill has no result. */
    drillFailure: z.object({ at: z.number(), problem: z.string() }).nullable().default(null),
    proven: backupProofSchema.nullable().default(null),
    provenWhole: backupProofSchema.nullable().default(null),
    /** Start of the last full restore drill, in Unix milliseconds. */
    drilled: z.number().default(0),
    /** Damaged packs found by the last full drill. The next backup reuses none of their chunks and clears the list. */
    damaged: z.array(z.string()).default([]),
  });

export type BackupState = z.infer<ReturnType<typeof createSchema>>;

const STATE_FILE_NAME = 'state.json';

export type StateFile = ReturnType<typeof openState>;

export const openState = (folder: string, log: Log) => {
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
        // The disk may be full. The state stays in memory.
        log.warn({ err: error }, 'could not write the backup state');
      }
    }
    pendingWrite = undefined;
  };
  /** Changes the state immediately and writes it to disk asynchronously. */
  const change = (changes: Partial<BackupState>): void => {
    state = { ...get(), ...changes };
    isDirty = true;
    pendingWrite ??= writeAll();
  };
  return {
    get,
    change,
    /** Resets the state, except for the list of folders. */
    reset: (): void => change({ ...createSchema().parse({}), madeIn: get().madeIn }),
    /** Resolves when all writes have ended, even if they failed. */
    whenWritten: async (): Promise<void> => pendingWrite,
  };
};
