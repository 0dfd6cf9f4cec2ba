import { codeOf } from '../../wire/values.ts';
import { Failure } from '../failure.ts';

/** Codes of the errors with which a reader thread ends a read that needs more than a read may take. */
const LIMIT_CODE = /^READ_LIMIT_(TIME|MEMORY|BYTES)$/u;

/** The refusal of a read that needs more time or memory than a read may take; any other error as it is. */
export const asReadFailure = (error: unknown): unknown => {
  const [, limit] = LIMIT_CODE.exec(codeOf(error)) ?? [];
  if (limit === undefined) return error;
  const what = limit === 'TIME' ? 'time' : 'memory';
  return new Failure(
    'query_limit_exceeded',
    `The query needs more ${what} than allowed. Narrow it: ask for fewer records, endpoints or output fields, or filter by a field that a registered query uses.`,
  );
};
