import { endsWithin } from '../../../../platform/async/deadline.ts';
import { createKeyedMutex, createMutex } from '../../../../platform/async/mutex.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';

export type DeletionMutex = ReturnType<typeof createDeletionMutex>;

/** Longest wait for an erasure, which can take minutes. */
const EXCLUSIVE_MAX_WAIT_MS = 10_000;

/**
 * Serialises the operations on each deletion: deleting its records and restoring them. An operation can take many
 * transactions; `write` runs none of them during exclusive work.
 * @param exclusiveMaxWaitMs for tests
 */
export const createDeletionMutex = (writer: Pick<Writer, 'write'>, exclusiveMaxWaitMs = EXCLUSIVE_MAX_WAIT_MS) => {
  const operations = createKeyedMutex();
  const mutex = createMutex();
  let exclusiveWork: Promise<unknown> | undefined;
  return {
    /** Returns true while an operation on the deletion with this id runs or waits. */
    isChanging: operations.isInUse,
    runSerially: operations.run,
    /** Runs one transaction of an operation. @throws Failure unavailable if exclusive work takes too long */
    async write<R>(job: (tx: Transaction) => R): Promise<R> {
      if (exclusiveWork !== undefined && !(await endsWithin(exclusiveMaxWaitMs, exclusiveWork)))
        throw new Failure('unavailable', 'Data is being erased, which can take minutes. Try again later.');
      return mutex(() => writer.write(job));
    },
    /** Runs work exclusively: an operation in progress waits at its next `write`. */
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

/**
 * Adds the number of records that earlier transactions changed, if any, to a failure. Returns other errors unchanged.
 */
export const withProgress = (error: unknown, records: number, change: 'deleted' | 'restored'): unknown =>
  error instanceof Failure && records > 0
    ? new Failure(error.code, `${error.reason} Before that, ${records} of the records were ${change}.`, {
        headers: error.headers,
      })
    : error;
