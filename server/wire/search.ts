import { z } from 'zod';
import { dateTimeSchema, endpointSchema } from './common.ts';
import { endpointDisplay } from './fields.ts';
import { fileIdSchema } from './files.ts';
import { MAX_EXCLUDED_SOURCES, MAX_RECORD_SEARCH_CHARS, MAX_SEARCH_RESULTS, MAX_SEARCH_WORDS } from './limits.ts';

export const recordSearchQuery = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1)
    .max(MAX_RECORD_SEARCH_CHARS)
    .meta({ description: `The first ${MAX_SEARCH_WORDS} words must occur; the last of them may be a prefix` }),
  take: z
    .string()
    .regex(/^\d{1,3}$/u, 'must be a whole number of at most three digits')
    .default('8')
    .transform((text) => Math.min(MAX_SEARCH_RESULTS, Number(text))),
});

const recordMatchSchema = z
  .strictObject({
    recordId: z.uuid(),
    endpoint: endpointSchema,
    ...endpointDisplay,
    excerpt: z.string().meta({ description: 'Part of the record around the first match' }),
    dateCreated: dateTimeSchema,
  })
  .meta({ id: 'RecordMatch' });

const fileMatchSchema = z
  .strictObject({
    fileId: fileIdSchema,
    name: z.string(),
    source: z.string(),
    excerpt: z.string().meta({ description: 'Part of the text of the file around the first match' }),
  })
  .meta({ id: 'FileMatch' });

export const recordSearchSchema = z
  .strictObject({
    matches: z.array(recordMatchSchema),
    isComplete: z
      .boolean()
      .meta({ description: 'False while records are missing from the index, or if the index is turned off' }),
    files: z
      .strictObject({
        matches: z.array(fileMatchSchema),
        isComplete: z.boolean().meta({
          description: 'False while texts are missing from the index, or if their search is turned off or failed',
        }),
      })
      .meta({ description: 'Text files and PDFs whose text matches' }),
  })
  .meta({ id: 'RecordSearch' });

const source = z.string().min(1).max(255).meta({
  description: 'First part of an endpoint, such as `bank`, or source of files',
});

export const searchIndexSchema = z
  .strictObject({
    enabled: z.boolean(),
    excludedSources: z.array(source),
    remaining: z.int().min(0).meta({ description: 'Records that are not in the index yet' }),
    bytes: z.int().min(0).meta({ description: 'Size of the index on the disk' }),
    fileTexts: z
      .strictObject({
        enabled: z.boolean(),
        remaining: z.int().min(0).meta({ description: 'Files whose text is not in the index yet' }),
        bytes: z.int().min(0).meta({
          description:
            'Size of the texts on the disk, including their index once no records or files remain to be indexed',
        }),
        unopened: z.int().min(0).meta({ description: 'Files that cannot be opened; the PDA retries later' }),
        unreadable: z.int().min(0).meta({ description: 'Files whose text could not be read' }),
        leftOut: z.int().min(0).meta({
          description: 'Files whose text is not searched, because the texts have reached their limit of 1 GB',
        }),
      })
      .meta({ description: 'Text of text files and PDFs' }),
  })
  .meta({ id: 'SearchIndex' });

export const searchIndexChangeSchema = z
  .strictObject({
    enabled: z.boolean().optional(),
    excludedSources: z.array(source).max(MAX_EXCLUDED_SOURCES).optional(),
    fileTexts: z.boolean().optional().meta({ description: 'True to search the text of files' }),
  })
  .meta({ id: 'SearchIndexChange' });

export type FileMatch = z.infer<typeof fileMatchSchema>;
export type RecordSearch = z.infer<typeof recordSearchSchema>;
export type SearchIndex = z.infer<typeof searchIndexSchema>;
export type SearchIndexChange = z.infer<typeof searchIndexChangeSchema>;
