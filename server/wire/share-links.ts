import { z } from 'zod';
import { LAST_DATE_MS, unixTimeSchema } from './common.ts';
import { isDisplayLine, NOT_A_DISPLAY_LINE } from './display-text.ts';
import { fileIdSchema, folderPathSchema, hasOneTarget, NOT_ONE_TARGET } from './files.ts';
import { MAX_PASSWORD_CHARS, MAX_SHARE_LINK_FILES, MAX_SHARE_LINK_OPENS } from './limits.ts';

// Share links: URLs that open files for anyone who has the URL (docs/decisions.md, section 6).

const nameSchema = z.string().trim().min(1).max(200).refine(isDisplayLine, NOT_A_DISPLAY_LINE);
const passwordSchema = z.string().min(1).max(MAX_PASSWORD_CHARS);
const expirySchema = z
  .int()
  .max(LAST_DATE_MS)
  .meta({ description: 'Unix time in milliseconds, in the future and at most in the year 9999' });
const opensMaxSchema = z.int().min(1).max(MAX_SHARE_LINK_OPENS);

/** Issued tokens are 32 random bytes in base64url; the schema limits only the length. */
export const shareTokenSchema = z.string().min(1).max(100);

export const shareLinkSchema = z
  .strictObject({
    linkId: z.uuid(),
    name: z.string(),
    path: z.string().meta({ description: 'Path of the link at the address of this PDA' }),
    files: z
      .array(z.strictObject({ fileId: fileIdSchema, name: z.string() }))
      .meta({ description: 'The shared files; empty for a folder or collection' }),
    folder: z.string().nullable().meta({ description: 'Path of the shared folder below the `files` folder' }),
    collection: z
      .strictObject({ collectionId: z.uuid(), name: z.string() })
      .nullable()
      .meta({ description: 'The shared collection' }),
    created: unixTimeSchema,
    expires: unixTimeSchema.nullable(),
    password: z.boolean().meta({ description: 'True if the link requires a password' }),
    viewOnly: z.boolean().meta({ description: 'True if the page offers no downloads' }),
    opensMax: opensMaxSchema.nullable().meta({ description: 'Maximum number of opened or downloaded files' }),
    opens: z.int().min(0).meta({ description: 'Files opened or downloaded so far' }),
    lastOpened: unixTimeSchema.nullable(),
    state: z.enum(['active', 'expired', 'used-up']),
  })
  .meta({ id: 'ShareLink' });

const listedShareLinkSchema = shareLinkSchema
  .extend({ fileCount: z.int().min(0).meta({ description: 'Number of files that the link contains now' }) })
  .meta({ id: 'ListedShareLink' });

export const shareLinksSchema = z.strictObject({ links: z.array(listedShareLinkSchema) }).meta({ id: 'ShareLinks' });

export const shareLinkPreviewSchema = z
  .strictObject({ html: z.string().meta({ description: 'A complete HTML page without scripts' }) })
  .meta({ id: 'ShareLinkPreview' });

export const newShareLinkSchema = z
  .strictObject({
    name: nameSchema,
    fileIds: z.array(fileIdSchema).min(1).max(MAX_SHARE_LINK_FILES).optional(),
    folder: folderPathSchema.optional(),
    collectionId: z.uuid().optional(),
    expires: expirySchema.optional(),
    password: passwordSchema.optional(),
    viewOnly: z.boolean().default(false),
    opensMax: opensMaxSchema.optional(),
  })
  .refine(hasOneTarget, NOT_ONE_TARGET)
  .meta({
    id: 'NewShareLink',
    description: 'A link for files (`fileIds`), for a folder (`folder`) or for a collection (`collectionId`)',
  });

export const shareLinkChangeSchema = z
  .strictObject({
    name: nameSchema.optional(),
    expires: expirySchema.nullish(),
    password: passwordSchema.nullish(),
    viewOnly: z.boolean().optional(),
    opensMax: opensMaxSchema.nullish(),
  })
  .meta({
    id: 'ShareLinkChange',
    description: 'Omitted properties stay unchanged; null removes the expiry, the password or the limit',
  });

export type ShareLink = z.infer<typeof shareLinkSchema>;
export type ListedShareLink = z.infer<typeof listedShareLinkSchema>;
export type NewShareLink = z.output<typeof newShareLinkSchema>;
export type ShareLinkChange = z.output<typeof shareLinkChangeSchema>;
