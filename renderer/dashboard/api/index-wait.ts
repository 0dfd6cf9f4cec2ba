import { toProblem } from '../../shared/api/problem.ts';

/** A read of records. `isWaiting`: the read needs an index that is still being built, so the result is empty. */
export type WaitingRead<Result> = Result & { isWaiting: boolean };

/**
 * Waits for a read. Returns an empty result if the read exceeds its limits until its index is built, which the server
 * announces with a time after which to retry.
 * @throws any other error of the read
 */
export async function readOrWait<Result extends { indexing: boolean }>(
  read: Promise<Result>,
  empty: NoInfer<Result>,
): Promise<WaitingRead<Result>> {
  try {
    return { ...(await read), isWaiting: false };
  } catch (error) {
    const { code, retryAfter } = toProblem(error);
    if (code !== 'query_limit_exceeded' || retryAfter === undefined) throw error;
    return { ...empty, isWaiting: true };
  }
}
