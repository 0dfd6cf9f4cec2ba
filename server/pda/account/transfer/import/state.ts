import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../../../../platform/io/file-system.ts';
import { placesIn } from '../format/paths.ts';

/** What is remembered of an upload from one start to the next. It lies beside the upload: in the database it would be of an account that is to be replaced. */
const stateSchema = z.object({
  upload: z
    .object({ fileName: z.string(), size: z.int().min(0) })
    .nullable()
    .default(null),
  /** Why the last import came to nothing. */
  problem: z.string().nullable().default(null),
});
export type MoveState = z.infer<typeof stateSchema>;

export const openMoveState = (home: string) => {
  const { state: file, folder, archive } = placesIn(home);
  const read = (): MoveState => {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      // None yet, or half of one: then there is no upload to go on with.
      return stateSchema.parse({});
    }
  };
  let known: MoveState | undefined;
  const get = (): MoveState => (known ??= read());
  return {
    get,
    /** @throws what the file system says; then it is as it was */
    change(change: Partial<MoveState>): void {
      const wanted = { ...get(), ...change };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(file, JSON.stringify(wanted));
      known = wanted;
    },
    /** Bytes of the upload that are here. */
    received: (): number => Math.min(statSync(archive, { throwIfNoEntry: false })?.size ?? 0, get().upload?.size ?? 0),
  };
};
export type MoveStateFile = ReturnType<typeof openMoveState>;
