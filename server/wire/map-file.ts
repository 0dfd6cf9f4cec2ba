import { z } from 'zod';
import { fileIdSchema, ownerFileSchema } from './files.ts';

// The PMTiles file with street details for the owner's maps.

export const mapFileSchema = z
  .strictObject({
    file: ownerFileSchema
      .nullable()
      .meta({ description: 'Null if none is chosen. A deleted file stays chosen, because it can be restored' }),
  })
  .meta({ id: 'MapFile' });

export const mapFileChoiceSchema = z
  .strictObject({ fileId: fileIdSchema.nullable().meta({ description: 'Null for maps without street detail' }) })
  .meta({ id: 'MapFileChoice' });
