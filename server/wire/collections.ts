import { z } from 'zod';
import { unixTimeSchema } from './common.ts';
import { isDisplayLine, NOT_A_DISPLAY_LINE } from './display-text.ts';
import { fileIdSchema } from './files.ts';
import { MAX_COLLECTION_FILES_PER_REQUEST, MAX_COLLECTION_NAME_CHARS } from './limits.ts';
import { nameKey } from './users.ts';

// Named sets of files, independent of folders, which the owner can share as a whole (docs/decisions.md, 11).

const nameSchema = z
  .string()
  .trim()
  .min(1)
  .max(MAX_COLLECTION_NAME_CHARS)
  .refine(isDisplayLine, NOT_A_DISPLAY_LINE)
  .refine((name) => nameKey(name) !== '', 'must contain a visible character')
  .meta({ description: 'Unique; case does not matter' });

export const collectionSchema = z
  .strictObject({ collectionId: z.uuid(), name: z.string(), created: unixTimeSchema })
  .meta({ id: 'Collection' });

export const collectionsSchema = z.strictObject({ collections: z.array(collectionSchema) }).meta({ id: 'Collections' });

export const collectionNameSchema = z.strictObject({ name: nameSchema }).meta({ id: 'CollectionName' });

export const collectionFilesSchema = z
  .strictObject({ fileIds: z.array(fileIdSchema).min(1).max(MAX_COLLECTION_FILES_PER_REQUEST) })
  .meta({ id: 'CollectionFiles' });

export const sharedCollectionSchema = z
  .strictObject({
    sharedCollectionId: z.uuid(),
    collectionId: z.uuid(),
    collection: z.string().meta({ description: 'The name of the collection' }),
    userId: z.uuid(),
    name: z.string().meta({ description: 'The name of the user' }),
    created: unixTimeSchema,
  })
  .meta({ id: 'SharedCollection' });

export const sharedCollectionsSchema = z
  .strictObject({ collections: z.array(sharedCollectionSchema) })
  .meta({ id: 'SharedCollections' });

export const newSharedCollectionSchema = z
  .strictObject({ collectionId: z.uuid(), userId: z.uuid() })
  .meta({ id: 'NewSharedCollection', description: 'Shares a collection with a user' });

export type Collection = z.infer<typeof collectionSchema>;
export type SharedCollection = z.infer<typeof sharedCollectionSchema>;
