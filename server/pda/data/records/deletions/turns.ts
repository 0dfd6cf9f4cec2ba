import { createMutex } from '../../../../platform/async/mutex.ts';
import { Failure } from '../../../../platform/failure.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';

export type DeletionTurns = ReturnType<typeof createDeletionTurns>;

/** Orders changes of deletions, which can take many transactions. */
export const createDeletionTurns = (writer: Pick<Writer, 'write'>) => {
  const currentChanges = new Map<string, Promise<unknown>>();
  const mutex = createMutex();
  return {
    /** Returns true while a deletion is being made or restored. */
    isChanging: (deletionId: string): boolean => currentChanges.has(deletionId),
    /** Runs a change of a deletion after the changes of it that began earlier. */
    async inTurn<R>(deletionId: string, change: () => Promise<R>): Promise<R> {
      while (currentChanges.has(deletionId)) await currentChanges.get(deletionId);
      const current = change().finally(() => currentChanges.delete(deletionId));
      currentChanges.set(
        deletionId,
        current.catch(() => undefined),
      );
      return current;
    },
    /** Runs one transaction of a change. */
    write: <R>(job: (tx: Transaction) => R): Promise<R> => mutex(() => writer.write(job)),
    /** Runs work while changes wait before their next transaction. */
    exclusively: <R>(work: () => Promise<R>): Promise<R> => mutex(work),
  };
};

/** Adds to a failure that earlier transactions of the same change were committed; returns any other error unchanged. */
export const withProgress = (error: unknown, records: number, change: 'deleted' | 'restored' | 'moved'): unknown =>
  error instanceof Failure && records > 0
    ? new Failure(error.code, `${error.reason} Before that, ${records} of the records were ${change}.`, {
        headers: error.headers,
      })
    : error;
