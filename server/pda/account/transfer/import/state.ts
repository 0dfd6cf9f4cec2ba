import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { replaceFile } from '../../../../platform/io/file-system.ts';
import { transferPaths } from '../format/paths.ts';

/**
 * State of an upload, and the reason why the last import was not activated (`problem`). The state is stored in a file,
 * because an import replaces the database.
 */
const stateSchema = z.object({
  upload: z
    .object({ fileName: z.string(), size: z.int().min(0) })
    .nullable()
    .default(null),
  problem: z.string().nullable().default(null),
});
type TransferState = z.infer<typeof stateSchema>;

export const openTransferState = (home: string) => {
  const { state: file, folder, archive } = transferPaths(home);
  const read = (): TransferState => {
    try {
      return stateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      // Without a valid file there is no upload to resume.
      return stateSchema.parse({});
    }
  };
  let cachedState: TransferState | undefined;
  const get = (): TransferState => (cachedState ??= read());
  return {
    get,
    /** @throws Error of the file system; the state is then unchanged */
    change(change: Partial<TransferState>): void {
      const newState = { ...get(), ...change };
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      replaceFile(file, JSON.stringify(newState));
      cachedState = newState;
    },
    getReceivedBytes: (): number =>
      Math.min(statSync(archive, { throwIfNoEntry: false })?.size ?? 0, get().upload?.size ?? 0),
  };
};
export type TransferStateFile = ReturnType<typeof openTransferState>;
