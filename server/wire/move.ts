import { z } from 'zod';
import { dateTimeSchema } from './common.ts';
import { MAX_PASSWORD_CHARS } from './limits.ts';

/** Moving a whole account: the owner's routes below `/api/v2.6/owner/move`. What the archive itself is like: archive.ts. */

export const MAX_ARCHIVE_BYTES = 1_000_000_000_000;
/** Bytes of one piece of an upload. */
export const MAX_ARCHIVE_PIECE_BYTES = 64_000_000;

const count = z.int().min(0);

/** What an owner wants to know of an archive before it is imported. */
export const archiveCountsSchema = z
  .strictObject({
    records: count,
    endpoints: count,
    files: count,
    fileBytes: count,
    applications: count,
    consents: count.meta({ description: 'Data Debits' }),
    activeConsents: count.meta({ description: 'Of those, the active ones' }),
    contracts: count,
    functions: count,
    people: count,
    access: count.meta({ description: 'Lines of the access history' }),
    missing: count.meta({ description: 'Files whose bytes were not there when it was made' }),
    later: count.meta({ description: 'Files that were changed while it was made: their bytes are of a little later' }),
  })
  .meta({ id: 'ArchiveCounts' });
export type ArchiveCounts = z.infer<typeof archiveCountsSchema>;

const from = z.strictObject({
  name: z.string().meta({ description: 'What the account is called there' }),
  program: z.string().meta({ description: 'Version of the program that made the archive' }),
  exported: dateTimeSchema,
  counts: archiveCountsSchema,
});

const progress = z.strictObject({ done: count, total: count });

export const moveSchema = z
  .strictObject({
    exporting: progress.nullable().meta({ description: 'Bytes of an export that is under way' }),
    exported: z
      .strictObject({ at: dateTimeSchema, bytes: count, counts: archiveCountsSchema })
      .nullable()
      .meta({ description: 'The last export since the server started' }),
    canImport: z.boolean(),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why nothing can be imported here, or why the last import came to nothing' }),
    archive: z
      .strictObject({
        fileName: z.string(),
        size: count,
        received: count,
        state: z.enum(['receiving', 'checking', 'ready', 'refused', 'importing']),
        progress: progress.nullable(),
        from: from.nullable(),
        problem: z.string().nullable(),
      })
      .nullable(),
    arrived: from
      .extend({
        arrived: dateTimeSchema,
        settled: dateTimeSchema.nullable().meta({
          description: 'Null: nothing is sent and no visitor is admitted until the owner confirms',
        }),
        anew: z
          .strictObject({
            applications: z.array(z.string()),
            contracts: z.array(z.string()),
            people: z.array(z.string()),
            offers: z.array(z.string()),
            functions: z.array(z.string()).meta({ description: 'Enabled ones: they run again' }),
            exchange: z.string().nullable(),
          })
          .meta({ description: 'What needs the owner again' }),
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
        until: dateTimeSchema.meta({ description: 'Nothing that was signed later counts' }),
      }),
    ),
  })
  .meta({ id: 'FormerKeys' });
