import { z } from 'zod';
import { timeInput, wholeNumber } from './common.ts';
import { isDisplayLine, isDisplayParagraph, NOT_A_DISPLAY_LINE, NOT_A_DISPLAY_PARAGRAPH } from './display-text.ts';
import { DEFAULT_TAKE, MAX_FILE_NAME_BYTES, MAX_FILE_TAGS } from './limits.ts';

/** Files: the record, the search template, and the owner's own view of them (interface, "File record"; decisions 6). */

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const withoutNul = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** Any text that can be a name somewhere. What it is called on the disk is another matter: see `files/disk-names.ts`. */
const nameSchema = z
  .string()
  .min(1)
  .refine((name) => bytes(name) <= MAX_FILE_NAME_BYTES, `at most ${MAX_FILE_NAME_BYTES} bytes`)
  .refine(withoutNul, 'not text');

const MAX_FILE_TEXT_CHARS = 10_000;
const titleSchema = z.string().max(MAX_FILE_TEXT_CHARS).refine(isDisplayLine, NOT_A_DISPLAY_LINE);
const descriptionSchema = z.string().max(MAX_FILE_TEXT_CHARS).refine(isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH);
const tagsSchema = z
  .array(z.string().min(1).max(200).refine(isDisplayLine, NOT_A_DISPLAY_LINE))
  .max(MAX_FILE_TAGS)
  .meta({ description: 'Without repetitions' });

const YEAR_0_MS = -62_167_219_200_000;
const LAST_MS = 8_640_000_000_000_000;

/** Unix milliseconds, as the interface has them; ISO 8601 is read too (decisions 1). Before 1970 too: photographs are older. */
const fileTime = timeInput(YEAR_0_MS, LAST_MS).meta({
  description: 'Unix time in milliseconds; ISO 8601 is read too',
});
const time = z.int().meta({ description: 'Unix time in milliseconds' });

export const fileIdSchema = z.string().min(1).max(200);

export const fileStatusSchema = z
  .strictObject({
    status: z.enum(['New', 'Completed', 'Deleted']),
    size: z.int().min(0).optional().meta({ description: 'Bytes; there when Completed' }),
  })
  .meta({ id: 'FileStatus' });

export const fileRecordSchema = z
  .strictObject({
    fileId: fileIdSchema,
    name: z.string(),
    source: z.string(),
    tags: z.array(z.string()).optional(),
    title: z.string().optional(),
    description: z.string().optional(),
    dateCreated: time,
    lastUpdated: time,
    status: fileStatusSchema,
    contentUrl: z
      .url()
      .optional()
      .meta({ description: 'Signed and good for five minutes; there when the caller may have the content' }),
    contentPublic: z.boolean(),
    permissions: z
      .array(z.strictObject({ userId: z.uuid(), contentReadable: z.boolean() }))
      .optional()
      .meta({ description: 'Shown to the owner and to the uploader' }),
  })
  .meta({ id: 'FileRecord' });

const described = {
  tags: tagsSchema.optional(),
  title: titleSchema.optional(),
  description: descriptionSchema.optional(),
  dateCreated: fileTime.optional(),
  lastUpdated: fileTime.optional(),
};

/** What else clients send along (a whole record, say) is made here and not read. */
export const fileUploadSchema = z
  .object({ name: nameSchema, source: nameSchema, ...described })
  .meta({ id: 'FileUpload' });

export const fileChangeSchema = z
  .object({ fileId: fileIdSchema.optional(), name: nameSchema.optional(), ...described })
  .meta({ id: 'FileChange', description: 'What is not named stays as it is' });

/** "All fields optional in effect; an empty string means do not match on that field." So does null. */
export const fileTemplateSchema = z
  .object({
    fileId: z.string().max(500).nullish(),
    name: z.string().max(500).nullish(),
    source: z.string().max(500).nullish(),
    tags: z.array(z.string().max(200)).max(MAX_FILE_TAGS).nullish(),
    title: z.string().max(1000).nullish(),
    description: z.string().max(1000).nullish(),
    status: z
      .object({ status: z.string().max(50).nullish(), size: z.int().min(0).nullish() })
      .nullish()
      .meta({ description: '`size` counts when it is more than 0' }),
  })
  .meta({ id: 'FileTemplate' });

export const filePageQuery = z.object({ skip: wholeNumber.default(0), take: wholeNumber.default(DEFAULT_TAKE) });

export const contentQuery = z.object({
  content: z.enum(['true', 'false']).default('false').meta({ description: 'Whether content access is granted too' }),
});

/** A signed address of content. */
export const storageQuery = z.object({
  expires: z.string().max(20),
  method: z.string().max(10),
  by: z.string().max(300).default(''),
  signature: z.string().max(100),
});

// --- The owner's own view (ours, decisions 11) ---

/** Broad kinds that people look for. */
export const fileKindSchema = z.enum(['image', 'video', 'audio', 'document', 'text', 'archive', 'other']);

export const ownerFileSchema = z
  .strictObject({
    file: fileRecordSchema,
    ledgerId: z.uuid().meta({ description: 'By which the access history knows it (`record` of its search)' }),
    kind: fileKindSchema,
    contentType: z.string().nullable().meta({ description: 'By what is in it, not by its name' }),
    inline: z.boolean().meta({ description: 'Whether a browser may show it in place' }),
    sha256: z.string().nullable(),
    path: z.string().nullable().meta({ description: 'Below the PDA’s `files` folder, with `/`' }),
    from: z.enum(['owner', 'application', 'folder']),
    application: z.string().nullable().meta({ description: 'Which one uploaded it' }),
    received: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Bytes of an upload that goes on; null when there is none' }),
    deleted: z
      .strictObject({
        time,
        by: z.enum(['owner', 'outside']).meta({ description: '`outside`: it went from the folder' }),
        undoUntil: time.nullable(),
      })
      .nullable(),
    shared: z
      .array(z.strictObject({ userId: z.uuid(), name: z.string(), contentReadable: z.boolean() }))
      .meta({ description: 'People other than the owner' }),
  })
  .meta({ id: 'OwnerFile' });

export const ownerFilesQuery = z.object({
  search: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'Words of name, title, description and tags; beginnings count' }),
  source: z.string().max(500).default(''),
  tag: z.string().max(200).default(''),
  kind: fileKindSchema.optional(),
  ledgerId: z.uuid().optional().meta({ description: 'The one that the access history knows by this' }),
  show: z.enum(['here', 'shared', 'public', 'deleted', 'unfinished']).default('here').meta({
    description:
      '`here`: Completed and not deleted; `shared`, `public`: those of them that others can read; `unfinished`: New',
  }),
  sort: z.enum(['name', 'size', 'added', 'changed']).default('added'),
  order: z.enum(['ascending', 'descending']).default('descending'),
  skip: wholeNumber.default(0),
  take: wholeNumber.default(100),
});

export const ownerFilesSchema = z
  .strictObject({ total: z.int().min(0), bytes: z.int().min(0), files: z.array(ownerFileSchema) })
  .meta({ id: 'OwnerFiles' });

const amount = { files: z.int().min(0), bytes: z.int().min(0) };

export const fileSummarySchema = z
  .strictObject({
    ...amount,
    sources: z.array(z.strictObject({ source: z.string(), ...amount })).meta({ description: 'Largest first' }),
    kinds: z.array(z.strictObject({ kind: fileKindSchema, ...amount })),
    tags: z
      .array(z.strictObject({ tag: z.string(), files: z.int().min(0) }))
      .meta({ description: 'The hundred most used' }),
    public: z.int().min(0).meta({ description: 'Files that anybody can read' }),
    shared: z.int().min(0).meta({ description: 'Files that are shared with others' }),
    deleted: z.strictObject(amount).meta({ description: 'Those that can still be brought back' }),
    quotaBytes: z
      .int()
      .nullable()
      .meta({ description: 'What all files together may take; null: as much as the disk has' }),
    freeBytes: z.int().min(0).meta({ description: 'Left on the disk' }),
    folder: z.string().meta({ description: 'Where the files are on this machine' }),
    watching: z.boolean().meta({ description: 'Whether the folder is looked through, and followed' }),
  })
  .meta({ id: 'FileSummary' });

export const pieceQuery = z.object({
  offset: wholeNumber.meta({ description: 'Where this piece begins, in bytes' }),
  size: wholeNumber.meta({ description: 'Bytes of the whole file' }),
});

export const uploadStateSchema = z
  .strictObject({
    received: z.int().min(0).meta({ description: 'Bytes that are safe: where to go on' }),
    done: z.boolean().meta({ description: 'All of it is here: it can be completed' }),
  })
  .meta({ id: 'UploadState' });

export type FileRecord = z.infer<typeof fileRecordSchema>;
export type FileStatus = FileRecord['status']['status'];
export type FileTemplate = z.output<typeof fileTemplateSchema>;
export type FileUpload = z.output<typeof fileUploadSchema>;
export type FileChange = z.output<typeof fileChangeSchema>;
export type FileKind = z.infer<typeof fileKindSchema>;
export type OwnerFile = z.infer<typeof ownerFileSchema>;
export type OwnerFilesQuery = z.output<typeof ownerFilesQuery>;
export type OwnerFiles = z.infer<typeof ownerFilesSchema>;
export type FileSummary = z.infer<typeof fileSummarySchema>;
export type UploadState = z.infer<typeof uploadStateSchema>;
