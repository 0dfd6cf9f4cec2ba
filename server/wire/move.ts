import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { MAX_PASSWORD_CHARS } from './limits.ts';

// Transfer of a whole account: the owner's routes below `/api/v2.6/owner/move`. See archive.ts for the archive itself.

export const MAX_ARCHIVE_BYTES = 1_000_000_000_000;
export const MAX_ARCHIVE_CHUNK_BYTES = 64_000_000;

const count = z.int().min(0);

export const archiveCountsSchema = z
  .strictObject({
    records: count,
    endpoints: count,
    files: count,
    fileBytes: count,
    applications: count,
    consents: count.meta({ description: 'Data Debits' }),
    activeConsents: count.meta({ description: 'Data Debits that allow reading' }),
    contracts: count,
    functions: count,
    people: count,
    access: count.meta({ description: 'Lines of the access history' }),
    missing: count.meta({ description: 'Files and function packages whose content was missing during the export' }),
    later: count.meta({
      description: 'Files that changed during the export, so that their content is newer than the other data',
    }),
  })
  .meta({ id: 'ArchiveCounts' });
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>;

const archiveOrigin = z.strictObject({
  name: z.string().meta({ description: 'Name of the account at its origin' }),
  program: z.string().meta({ description: 'Version of the program that created the archive' }),
  exported: dateTimeSchema,
  counts: archiveCountsSchema,
});

const progress = z.strictObject({ done: count, total: count });

export const moveSchema = z
  .strictObject({
    exporting: progress.nullable().meta({ description: 'Bytes written by an export in progress' }),
    exported: z
      .strictObject({ at: dateTimeSchema, bytes: count, counts: archiveCountsSchema })
      .nullable()
      .meta({ description: 'The last export since the server started' }),
    canImport: z.boolean(),
    problem: z.string().nullable().meta({ description: 'Why an import is not possible, or why the last one failed' }),
    archive: z
      .strictObject({
        fileName: z.string(),
        size: count,
        received: count,
        state: z.enum(['receiving', 'checking', 'ready', 'refused', 'importing']),
        progress: progress.nullable(),
        from: archiveOrigin.nullable(),
        problem: z.string().nullable(),
      })
      .nullable(),
    arrived: archiveOrigin
      .extend({
        arrived: dateTimeSchema,
        settled: dateTimeSchema.nullable().meta({
          description: 'Null: outgoing requests and remote access are suspended until the owner activates the import',
        }),
        followUps: z
          .strictObject({
            applications: z.array(z.string()),
            contracts: z.array(z.string()),
            people: z.array(z.string()),
            offers: z.array(z.string()),
            functions: z.array(z.string()).meta({ description: 'Enabled functions, which run again' }),
            exchange: z.string().nullable(),
          })
          .meta({ description: 'What the owner has to set up again, and the functions that run again' }),
      })
      .nullable(),
  })
  .meta({ id: 'Move' });
export type MoveView = z.infer<typeof moveSchema>;

export const moveExportRequestSchema = z.strictObject({ password: z.string().max(MAX_PASSWORD_CHARS) });
export const moveTicketSchema = z
  .strictObject({ url: z.string().meta({ description: 'Path on this server, with the one-time ticket' }) })
  .meta({ id: 'MoveTicket' });
export const moveArchiveSchema = z.strictObject({
  fileName: z.string().min(1).max(500),
  size: count.max(MAX_ARCHIVE_BYTES),
});

export const formerKeysSchema = z
  .strictObject({
    keys: z.array(
      z.strictObject({
        kid: z.string(),
        publicKey: z.string().meta({ description: 'PEM' }),
        created: dateTimeSchema,
        until: dateTimeSchema.meta({ description: 'Signatures after this time are invalid' }),
      }),
    ),
  })
  .meta({ id: 'FormerKeys' });
