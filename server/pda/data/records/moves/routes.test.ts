import { describe, expect, it } from 'vitest';
import { createAccessTrace } from '../../../../platform/auth/access-trace.ts';
import { Failure } from '../../../../platform/failure.ts';
import { recordMoveRoutes } from './routes.ts';
import type { RecordMoveOutcome } from './service.ts';

const BODY = { from: 'a/one', to: 'b/two', records: ['r1', 'r2'], moveEqual: false };
const RESULT = { moved: ['r1'], equal: [], missing: 0 };

const handle = (outcome: RecordMoveOutcome) => {
  const [moveRoute] = recordMoveRoutes({ moves: { move: () => Promise.resolve(outcome) } });
  const trace = createAccessTrace();
  const caller = { principal: { kind: 'owner' }, trace };
  return { trace, response: Promise.resolve(moveRoute.handler({ body: BODY, caller } as never)) };
};
const expectedTrace = {
  isUnrecorded: false,
  isDecisionStored: true,
  records: new Map([
    ['a/one', [7]],
    ['b/two', []],
  ]),
};

describe('a move that failed after some records had been moved', () => {
  it('is recorded, and its response names the moved records and the problem', async () => {
    const error = new Failure('out_of_disk', 'There is no room left on the disk.');
    const { trace, response } = handle({ ...RESULT, seqs: [7], error });
    expect(await response).toMatchObject({
      status: 200,
      json: { ...RESULT, problem: { error: 'out_of_disk', cause: 'There is no room left on the disk.' } },
    });
    expect(trace).toMatchObject(expectedTrace);
  });

  it('is recorded even if the error is unexpected', async () => {
    const { trace, response } = handle({ ...RESULT, seqs: [7], error: new Error('defect') });
    await expect(response).rejects.toThrow('defect');
    expect(trace).toMatchObject(expectedTrace);
  });
});
