import type { Database } from 'better-sqlite3';
import { createWriter, type Writer } from '../../server/pda/storage/writer.ts';

/** A writer that runs another action before its next write, to simulate a race. */
export const createRacedWriter = (
  db: Database,
): { writer: Writer; runBeforeNextWrite(action: () => Promise<unknown>): void } => {
  const writer = createWriter(db);
  let next: (() => Promise<unknown>) | undefined;
  return {
    writer: {
      ...writer,
      async write(job) {
        const first = next;
        next = undefined;
        await first?.();
        return writer.write(job);
      },
    },
    runBeforeNextWrite: (action) => {
      next = action;
    },
  };
};
