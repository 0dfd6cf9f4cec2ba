import { NON_OWNER_READ_MS, OWNER_READ_MS } from '../../wire/limits.ts';
import { codeOf } from '../../wire/values.ts';
import { Failure } from '../failure.ts';

/** Error codes of a read that exceeds its limits. */
const LIMIT_CODE = /^READ_LIMIT_(TIME|MEMORY|BYTES)$/u;

const queryReason = (resource: 'time' | 'memory'): string =>
  `The query needs more ${resource} than allowed. Narrow it: ask for fewer records, endpoints or output fields, ` +
  'or filter by a field that a registered query uses.';

/** Maps the error of a read that exceeded a limit to a failure; returns any other error unchanged. */
export const asReadFailure = (error: unknown, reasonOf = queryReason): unknown => {
  const [, limit] = LIMIT_CODE.exec(codeOf(error)) ?? [];
  if (limit === undefined) return error;
  return new Failure('query_limit_exceeded', reasonOf(limit === 'TIME' ? 'time' : 'memory'));
};

export const mapReadErrors = async <Result>(read: Promise<Result>, reasonOf = queryReason): Promise<Result> => {
  try {
    return await read;
  } catch (error) {
    throw asReadFailure(error, reasonOf);
  }
};

/**
 * Returns a check between several reads of one request, whose deadlines would otherwise add up. It throws Failure
 * query_limit_exceeded once they have taken the time of a single read together.
 */
export const createReadDeadline = (isOwner: boolean): (() => void) => {
  const deadline = performance.now() + (isOwner ? OWNER_READ_MS : NON_OWNER_READ_MS);
  return () => {
    if (performance.now() > deadline) throw new Failure('query_limit_exceeded', queryReason('time'));
  };
};
