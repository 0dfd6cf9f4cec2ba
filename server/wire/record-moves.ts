import { z } from 'zod';
import { dateTimeSchema, endpointSchema } from './common.ts';
import { errorBodySchema } from './errors.ts';
import { MAX_MOVED_RECORDS } from './limits.ts';
import { originSchema } from './owner.ts';

export const recordMoveRequestSchema = z
  .strictObject({
    from: endpointSchema.meta({ description: 'Endpoint of the records' }),
    to: endpointSchema.meta({ description: 'Endpoint that gets the records. It is created if it does not exist' }),
    records: z.array(z.uuid()).min(1).max(MAX_MOVED_RECORDS),
    moveEqual: z.boolean().default(false).meta({
      description: 'True: also moves records that are equal to a record at the target, for example to undo a move',
    }),
  })
  .refine(({ from, to }) => from !== to, { path: ['to'], message: 'must be an endpoint other than `from`' })
  .meta({ id: 'RecordMoveRequest' });

const recordIds = z.array(z.uuid());

export const recordMoveResultSchema = z
  .strictObject({
    moved: recordIds.meta({ description: 'Moved records, with which the move can be undone' }),
    equal: recordIds.meta({ description: 'Records that were not moved because an equal one exists at the target' }),
    missing: z.int().min(0).meta({ description: 'Number of ids without a record at `from`' }),
    problem: errorBodySchema
      .pick({ error: true, cause: true })
      .optional()
      .meta({ description: 'Error that ended the move after `moved`; the other records were not examined' }),
  })
  .meta({ id: 'RecordMoveResult' });

export const recordMoveSchema = z
  .strictObject({
    moved: dateTimeSchema,
    movedBy: originSchema,
    from: z.string().meta({ description: 'Endpoint before the move' }),
    to: z.string(),
  })
  .meta({ id: 'RecordMove' });

export type RecordMoveRequest = z.output<typeof recordMoveRequestSchema>;
export type RecordMoveResult = z.infer<typeof recordMoveResultSchema>;
export type RecordMove = z.infer<typeof recordMoveSchema>;
