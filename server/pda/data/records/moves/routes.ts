import { ownerOnly } from '../../../../platform/auth/principal.ts';
import { Failure } from '../../../../platform/failure.ts';
import { json, route } from '../../../../platform/http/route.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../../wire/limits.ts';
import { recordMoveRequestSchema, recordMoveResultSchema } from '../../../../wire/record-moves.ts';
import { originOf } from '../handlers.ts';
import type { RecordMoveService } from './service.ts';

export const recordMoveRoutes = ({ moves }: { moves: RecordMoveService }) =>
  [
    route({
      method: 'POST',
      path: '/api/v2.6/owner/record-moves',
      tag: 'Your data',
      summary: 'Move records to another endpoint',
      description:
        'The records keep their ids, data, dates, versions and creators. Records that are equal to a record at the target are only moved with `moveEqual`. Everyone with access to the target can read the records afterwards. To undo a move, move the records back with `moveEqual`. If an error ends the move after some records, the response names these records and the `problem`.',
      access: ownerOnly,
      body: { as: 'json', schema: recordMoveRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: {
        200: { description: 'The ids of moved and of equal records', schema: recordMoveResultSchema },
      },
      errors: ['query_limit_exceeded'],
      takesMinutes: true,
      ownerDecision: true,
      handler: async ({ body, caller: { principal, trace } }) => {
        const { seqs, error, ...result } = await moves.move(body, originOf(principal));
        trace.isUnrecorded = seqs.length === 0;
        trace.isDecisionStored = seqs.length > 0;
        // The access log names both endpoints but counts the records once.
        trace.records.set(body.from, seqs);
        trace.records.set(body.to, []);
        if (error === undefined) return json(200, result);
        if (!(error instanceof Failure)) throw error;
        return json(200, { ...result, problem: { error: error.code, cause: error.reason } });
      },
    }),
  ] as const;
