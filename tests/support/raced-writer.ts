import type { Database } from 'better-sqlite3';
import { createWriter, type Writer } from '../../server/pda/storage/writer.ts';

/** Creates a writer that can run an action before its next write, to simulate a race condition. */
export const createRacedWriter = (
  db: Database,
): { writer: Writer; runBeforeNextWrite(action: () => Promise<unknown>): void } => {
  const writer = createWriter(db);
  let pendingAction: (() => Promise<unknown>) | undefined;
  return {
    writer: {
      ...writer,
      async write(job) {
        const action = pendingAction;
        pendingAction = undefined;
        await action?.();
        return writer.write(job);
      },
    },
    runBeforeNextWrite: (action) => {
      pendingAction = action;
    },
  };
};
