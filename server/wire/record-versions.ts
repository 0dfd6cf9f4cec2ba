import { z } from 'zod';
import { dateTimeSchema, jsonSchema } from './common.ts';
import { MAX_RECORD_VERSION_DAYS } from './limits.ts';
import { originSchema } from './owner.ts';
import { recordMoveSchema } from './record-moves.ts';

const content = {
  stored: dateTimeSchema.meta({ description: 'When this data was stored' }),
  storedBy: originSchema
    .nullable()
    .meta({ description: 'Who stored this data; null if the version that states this is no longer kept' }),
  bytes: z.int().min(0),
};

const recordVersionSchema = z
  .strictObject({
    versionId: z.int().min(1),
    ...content,
    replaced: dateTimeSchema.meta({ description: 'When newer data replaced this data' }),
  })
  .meta({ id: 'RecordVersion' });

export const recordVersionListSchema = z
  .strictObject({
    current: z.strictObject(content).meta({ description: 'Time, author and size of the current data' }),
    versions: z.array(recordVersionSchema).meta({ description: 'Newest first' }),
    moves: z.array(recordMoveSchema).meta({ description: 'Moves to other endpoints, newest first' }),
    days: z.int().min(0).meta({ description: 'Days for which versions are kept' }),
  })
  .meta({ id: 'RecordVersionList' });

export const recordVersionDataSchema = recordVersionSchema
  .extend({ data: jsonSchema })
  .meta({ id: 'RecordVersionData' });

export const versionRestoreSchema = z
  .strictObject({
    undoVersionId: z
      .int()
      .nullable()
      .meta({ description: 'The version with the data that was replaced; null if the data was the same' }),
  })
  .meta({ id: 'RecordVersionRestore' });

export const recordVersionParams = z.strictObject({
  recordId: z.uuid(),
  versionId: z.string().regex(/^\d{1,15}$/u, 'must be a whole number'),
});

const days = z.int().min(0).max(MAX_RECORD_VERSION_DAYS);

export const versionRetentionSchema = z
  .strictObject({
    days: days.meta({ description: '0: no versions are kept' }),
    bytes: z.int().min(0).meta({ description: 'Size of all versions' }),
    maxBytes: z.int().meta({ description: 'Beyond this size the oldest versions are dropped' }),
  })
  .meta({ id: 'VersionRetention' });

export const versionRetentionChangeSchema = z.strictObject({ days }).meta({ id: 'VersionRetentionChange' });

export type RecordVersion = z.infer<typeof recordVersionSchema>;
export type RecordVersionList = z.infer<typeof recordVersionListSchema>;
export type VersionRestore = z.infer<typeof versionRestoreSchema>;
export type VersionRetention = z.infer<typeof versionRetentionSchema>;
