import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { isMissing, replaceFileAsync } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { backupSnapshotSchema, backupProofSchema } from '../../../wire/backup.ts';

/**
 * What came of backups: when they were made and proven. Beside the database and in no backup: otherwise each one would change what the next one holds, and a home
 * that was restored would take the backups of another for its own.
 */

/** Made at the first need: a start has none. */
const makeSchema = () =>
  z.object({
    /** Folders in which an archive of this home was made: one that is missing there is missed. Last the one of which all below tells. */
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

export type BackupState = z.infer<ReturnType<typeof makeSchema>>;

export type StateFile = {
  get(): BackupState;
  /** Known at once; written down soon after, without keeping anybody waiting for the disk. */
  change(change: Partial<BackupState>): void;
  /** Resolves when all of it is written down, as far as that can be done. */
  settled(): Promise<void>;
};

const NAME = 'state.json';

export const openState = (folder: string, log: Log): StateFile => {
  const read = (): BackupState => {
    const schema = makeSchema();
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
        // A full disk: it is known for as long as this runs.
        log.warn({ err: error }, 'what is known of backups could not be written down');
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
    settled: async () => writing,
  };
};
