import { expect, it } from 'vitest';
import { Problem } from '../../shared/api/problem.ts';
import { readOrWait } from './index-wait.ts';

const EMPTY = { total: 0, indexing: true };
type Counted = typeof EMPTY;
const limitProblem = (options: { retryAfter?: number }): Problem =>
  new Problem('query_limit_exceeded', 400, 'too slow', options);

it('readOrWait returns the result, an empty one while the index is being built, and throws other errors', async () => {
  expect(await readOrWait<Counted>(Promise.resolve({ total: 3, indexing: false }), EMPTY)).toEqual({
    total: 3,
    indexing: false,
    isWaiting: false,
  });
  expect(await readOrWait<Counted>(Promise.reject(limitProblem({ retryAfter: 5 })), EMPTY)).toEqual({
    ...EMPTY,
    isWaiting: true,
  });
  for (const error of [limitProblem({}), new Problem('rate_limited', 429, '', { retryAfter: 5 })])
    await expect(readOrWait<Counted>(Promise.reject(error), EMPTY)).rejects.toBe(error);
});
