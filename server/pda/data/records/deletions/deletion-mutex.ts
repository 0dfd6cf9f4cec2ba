import { endsWithin } from '../../../../platform/async/deadline.ts';
import { createKeyedMutex, createMutex } from '../../../../platform/async/mutex.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';

export type DeletionMutex = ReturnType<typeof createDeletionMutex>;

/** Longest wait for an erasure, which can take minutes. */
const EXCLUSIVE_MAX_WAIT_MS = 10_000;

/**
 * Serializes the changes of each deletion. A change can take many transactions; `write` runs none of them during
 * exclusive work.
 * @param exclusiveMaxWaitMs for tests
 */
export const createDeletionMutex = (writer: Pick<Writer, 'write'>, exclusiveMaxWaitMs = EXCLUSIVE_MAX_WAIT_MS) => {
  const changes = createKeyedMutex();
  const mutex = createMutex();
  let exclusiveWork: Promise<unknown> | undefined;
  return {
    /** Returns true while a change of the deletion with this id runs or waits. */
    isChanging: changes.isInUse,
    runSerially: changes.run,
    /** Runs one transaction of a change. @throws Failure unavailable if exclusive work takes too long */
    async write<R>(job: (tx: Transaction) => R): Promise<R> {
      if (exclusiveWork !== undefined && !(await endsWithin(exclusiveMaxWaitMs, exclusiveWork)))
        throw new Failure('unavailable', 'Data is being erased, which can take minutes. Try again later.');
      return mutex(() => writer.write(job));
    },
    /** Runs work exclusively: a change in progress waits at its next `write`. */
    runExclusively<R>(work: () => Promise<R>): Promise<R> {
      const result = mutex(work);
      const current: Promise<unknown> = result
        .catch(() => undefined)
        .finally(() => {
          if (exclusiveWork === current) exclusiveWork = undefined;
        });
      exclusiveWork = current;
      return result;
    },
  };
};

/** Adds to a failure how many records earlier transactions changed, if any. Returns other errors unchanged. */
export const withProgress = (error: unknown, records: number, change: 'deleted' | 'restored'): unknown =>
  error instanceof Failure && records > 0
    ? new Failure(error.code, `${error.reason} Before that, ${records} of the records were ${change}.`, {
        headers: error.headers,
      })
    : error;
