import { z } from 'zod';
import { isTextWithoutNul, NOT_TEXT_WITHOUT_NUL, timeInput, unixTimeSchema, wholeNumber } from './common.ts';
import { isDisplayLine, isDisplayParagraph, NOT_A_DISPLAY_LINE, NOT_A_DISPLAY_PARAGRAPH } from './display-text.ts';
import {
  COUNTED_MATCHES_MAX,
  DEFAULT_TAKE,
  MAX_FILE_NAME_BYTES,
  MAX_FILE_TAGS,
  MAX_INVITATION_FILES,
} from './limits.ts';

// Files (docs/decisions.md, 6).

const byteLengthOf = (text: string): number => new TextEncoder().encode(text).length;

/** The name on disk can differ (see `disk-names.ts`). */
const nameSchema = z
  .string()
  .min(1)
  .refine((name) => byteLengthOf(name) <= MAX_FILE_NAME_BYTES, `must have at most ${MAX_FILE_NAME_BYTES} bytes`)
  .refine(isTextWithoutNul, NOT_TEXT_WITHOUT_NUL);

const MAX_FILE_TEXT_CHARS = 10_000;
const titleSchema = z.string().max(MAX_FILE_TEXT_CHARS).refine(isDisplayLine, NOT_A_DISPLAY_LINE);
const descriptionSchema = z.string().max(MAX_FILE_TEXT_CHARS).refine(isDisplayParagraph, NOT_A_DISPLAY_PARAGRAPH);
export const tagsSchema = z
  .array(z.string().min(1).max(200).refine(isDisplayLine, NOT_A_DISPLAY_LINE))
  .max(MAX_FILE_TAGS)
  .meta({ description: 'Repeated tags are stored once' });

/** Range of file times: from the year 0 to the last time that a JavaScript date can represent. */
const FIRST_FILE_TIME_MS = -62_167_219_200_000;
const LAST_FILE_TIME_MS = 8_640_000_000_000_000;

/** Times before 1970 are valid, because photographs can be older (docs/decisions.md, 1). */
const fileTime = timeInput(FIRST_FILE_TIME_MS, LAST_FILE_TIME_MS).meta({
  description: 'Unix time in milliseconds; ISO 8601 is accepted too',
});

export const fileIdSchema = z.string().min(1).max(200);
/** Path below the `files` folder, without a trailing `/`. */
export const folderPathSchema = z.string().min(1).max(4000);

const fileStatusSchema = z
  .strictObject({
    status: z.enum(['New', 'Completed', 'Deleted']),
    size: z.int().min(0).optional().meta({ description: 'Bytes; present if the status is Completed' }),
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
    dateCreated: unixTimeSchema,
    lastUpdated: unixTimeSchema,
    status: fileStatusSchema,
    contentUrl: z.url().optional().meta({
      description:
        'Signed URL, valid for at most five minutes. In the response to an announced upload, it is for sending the content; otherwise, it is for reading the content and present only if the caller may read it',
    }),
    contentPublic: z.boolean(),
    permissions: z
      .array(z.strictObject({ userId: z.uuid(), contentReadable: z.boolean() }))
      .optional()
      .meta({ description: 'Shown to the owner and to the application that uploaded the file' }),
  })
  .meta({ id: 'FileRecord' });

const descriptiveFields = {
  tags: tagsSchema.optional(),
  title: titleSchema.optional(),
  description: descriptionSchema.optional(),
  dateCreated: fileTime.optional(),
  lastUpdated: fileTime.optional(),
};

/** Announces an upload. Further members, for example those of a whole record, are ignored. */
export const fileUploadSchema = z
  .object({ name: nameSchema, source: nameSchema, ...descriptiveFields })
  .meta({ id: 'FileUpload' });

export const fileChangeSchema = z
  .object({ fileId: fileIdSchema.optional(), name: nameSchema.optional(), ...descriptiveFields })
  .meta({ id: 'FileChange', description: 'Omitted properties stay unchanged' });

/**
 * Template of a file search. The interface: "All fields optional in effect; an empty string means do not match on that
 * field." Null has the same effect as an empty string.
 */
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
      .meta({ description: '`size` is compared only if it is more than 0' }),
  })
  .meta({ id: 'FileTemplate' });

export const filePageQuery = z.object({ skip: wholeNumber.default(0), take: wholeNumber.default(DEFAULT_TAKE) });

export const contentQuery = z.object({
  content: z.enum(['true', 'false']).default('false').meta({ description: 'True to grant access to the content too' }),
});

export const storageQuery = z.object({
  expires: z.string().max(20),
  method: z.string().max(10),
  by: z.string().max(300).default(''),
  signature: z.string().max(100),
});

// --- The owner's view (docs/decisions.md, 11) ---

const fileKindSchema = z.enum(['image', 'video', 'audio', 'document', 'text', 'archive', 'other']);

const pictureSchema = z.strictObject({
  taken: z
    .strictObject({
      time: unixTimeSchema.meta({
        description:
          'Unix time in milliseconds. A picture without a UTC offset is assumed to be from the time zone of this PDA',
      }),
      local: z.string().meta({ description: 'Time on the camera’s clock, without an offset: `2024-03-01T12:34:56`' }),
    })
    .nullable(),
  place: z.strictObject({ latitude: z.number(), longitude: z.number() }).nullable().meta({ description: 'Degrees' }),
  camera: z.string().nullable(),
});

export const ownerFileSchema = z
  .strictObject({
    file: fileRecordSchema,
    ledgerId: z.uuid().meta({
      description:
        'ID of the file in the access history; use it as the `record` parameter of the access history search',
    }),
    kind: fileKindSchema,
    contentType: z.string().nullable().meta({ description: 'Detected from the content, not from the name' }),
    inline: z.boolean().meta({ description: 'True if a browser may show it inline' }),
    sha256: z.string().nullable(),
    picture: pictureSchema
      .nullable()
      .meta({ description: 'Details that the camera wrote into a picture; null if there are none' }),
    unreadableText: z.boolean().meta({
      description:
        'True if the text of the file could not be read for the search: the file is damaged, encrypted or too large, or reading took too much time or memory',
    }),
    path: z.string().nullable().meta({ description: 'Path below the PDA’s `files` folder, with `/` between names' }),
    from: z.enum(['owner', 'application', 'folder']),
    application: z.string().nullable().meta({ description: 'Application that uploaded the file' }),
    received: z
      .int()
      .min(0)
      .nullable()
      .meta({ description: 'Bytes of an unfinished upload that were received; otherwise null' }),
    deleted: z
      .strictObject({
        time: unixTimeSchema,
        by: z.enum(['owner', 'outside']).meta({ description: '`outside`: the file was deleted from the folder' }),
        undoUntil: unixTimeSchema.nullable(),
      })
      .nullable(),
    shared: z
      .array(z.strictObject({ userId: z.uuid(), name: z.string(), contentReadable: z.boolean() }))
      .meta({ description: 'Users with whom this file itself is shared' }),
    sharedFolders: z
      .array(z.strictObject({ sharedFolderId: z.uuid(), folder: z.string(), userId: z.uuid(), name: z.string() }))
      .meta({ description: 'Users who can open the file because a folder is shared with them' }),
    collections: z
      .array(z.strictObject({ collectionId: z.uuid(), name: z.string() }))
      .meta({ description: 'Collections that contain the file' }),
    sharedCollections: z
      .array(
        z.strictObject({
          sharedCollectionId: z.uuid(),
          collectionId: z.uuid(),
          collection: z.string(),
          userId: z.uuid(),
          name: z.string(),
        }),
      )
      .meta({ description: 'Users who can open the file because a collection is shared with them' }),
  })
  .meta({ id: 'OwnerFile' });

export const ownerFilesQuery = z.object({
  search: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'Words in name, title, description and tags; prefixes match' }),
  source: z.string().max(500).default(''),
  tag: z.string().max(200).default(''),
  kind: fileKindSchema.optional(),
  ledgerId: z.uuid().optional().meta({ description: 'Only the file with this ID in the access history' }),
  show: z.enum(['completed', 'shared', 'public', 'deleted', 'unfinished']).default('completed').meta({
    description:
      'Files with status Completed: all (`completed`), those shared with users (`shared`), or the public ones (`public`); files with status Deleted (`deleted`) or New (`unfinished`)',
  }),
  folder: z
    .string()
    .max(4000)
    .default('')
    .meta({ description: 'Only files in this folder and below it: a path without a trailing `/`' }),
  collection: z.uuid().optional().meta({ description: 'Only files in this collection' }),
  visibleTo: z
    .uuid()
    .optional()
    .meta({ description: 'Only files that are shared with this user, as the page of a guest lists them' }),
  sort: z.enum(['name', 'size', 'added', 'changed', 'taken']).default('added').meta({
    description:
      '`added`: with `collection`, the order in which the files were added to it; `taken`: by the date taken; files without one are last in descending order',
  }),
  order: z.enum(['ascending', 'descending']).default('descending'),
  skip: wholeNumber.default(0),
  take: wholeNumber.default(100),
});

export const ownerFilesSchema = z
  .strictObject({
    total: z
      .int()
      .min(0)
      .meta({
        description: `Number of matching files. A search by words or tag counts at most ${COUNTED_MATCHES_MAX} of them, but its pages contain all`,
      }),
    bytes: z.int().min(0).meta({ description: 'Size of the counted files' }),
    files: z.array(ownerFileSchema),
  })
  .meta({ id: 'OwnerFiles' });

export const fileMonthsQuery = ownerFilesQuery.omit({ ledgerId: true, sort: true, skip: true, take: true });

export const fileMonthsSchema = z
  .array(
    z.strictObject({
      month: z.string().nullable().meta({ description: '`2024-03`, or null for files without a date taken' }),
      files: z.int().min(1),
    }),
  )
  .meta({ id: 'FileMonths' });

/** Returns true if exactly one of files, a folder and a collection is set. */
export const hasOneTarget = (target: { fileIds?: unknown; folder?: unknown; collectionId?: unknown }): boolean =>
  [target.fileIds, target.folder, target.collectionId].filter((member) => member !== undefined).length === 1;
export const NOT_ONE_TARGET = 'set exactly one of fileIds, folder and collectionId';

export const placeCountInputSchema = z
  .strictObject({
    fileIds: z.array(fileIdSchema).min(1).max(MAX_INVITATION_FILES).optional(),
    folder: folderPathSchema.optional(),
    collectionId: z.uuid().optional(),
  })
  .refine(hasOneTarget, NOT_ONE_TARGET)
  .meta({ id: 'PlaceCountInput', description: 'Files, a folder with everything below it, or a collection' });

export const placeCountsSchema = z
  .strictObject({
    pictures: z.int().min(0),
    places: z.int().min(0).meta({ description: 'Pictures that contain the place where they were taken' }),
    complete: z.boolean().meta({
      description: 'False if there are too many files to count, or if some pictures have not been examined yet',
    }),
  })
  .meta({ id: 'PlaceCounts' });

export const fileReaderSchema = z
  .strictObject({
    userId: z.uuid(),
    name: z.string(),
    files: z
      .int()
      .min(0)
      .meta({ description: 'Files that are shared with the user, individually or in folders and collections' }),
    readable: z.int().min(0).meta({ description: 'Number of these files whose content is shared too' }),
    folders: z.int().min(0).meta({ description: 'Folders that are shared with the user' }),
    collections: z.int().min(0).meta({ description: 'Collections that are shared with the user' }),
  })
  .meta({ id: 'FileReader' });

export const fileFoldersQuery = z.object({ folder: ownerFilesQuery.shape.folder });

export const fileFoldersSchema = z
  .strictObject({
    folders: z.array(z.string()).meta({ description: 'Names of the subfolders that contain files' }),
    more: z.boolean().meta({ description: 'True if there are more folders than listed' }),
  })
  .meta({ id: 'FileFolders' });

const sizeFields = { files: z.int().min(0), bytes: z.int().min(0) };

export const fileSummarySchema = z
  .strictObject({
    ...sizeFields,
    sources: z
      .array(z.strictObject({ source: z.string(), ...sizeFields }))
      .meta({ description: 'Sorted by size, largest first' }),
    kinds: z.array(z.strictObject({ kind: fileKindSchema, ...sizeFields })),
    tags: z
      .array(z.strictObject({ tag: z.string(), files: z.int().min(0) }))
      .meta({ description: 'The hundred most used tags, with their numbers of completed files' }),
    public: z.int().min(0).meta({ description: 'Number of public files' }),
    shared: z.int().min(0).meta({ description: 'Number of files shared with users' }),
    deleted: z.strictObject(sizeFields).meta({ description: 'Files that can still be restored' }),
    quotaBytes: z
      .int()
      .nullable()
      .meta({ description: 'Bytes that all files together may occupy; null: limited by the disk only' }),
    freeBytes: z.int().min(0).meta({ description: 'Free bytes on the disk' }),
    folder: z.string().meta({ description: 'Path of the files folder on this machine' }),
    watching: z.boolean().meta({ description: 'True if the folder is scanned and watched' }),
  })
  .meta({ id: 'FileSummary' });

export const chunkQuery = z.object({
  offset: wholeNumber.meta({ description: 'Offset of this chunk in bytes' }),
  size: wholeNumber.meta({ description: 'Bytes of the whole file' }),
});

export const uploadStateSchema = z
  .strictObject({
    received: z.int().min(0).meta({ description: 'Bytes on disk: offset of the next chunk' }),
    done: z.boolean().meta({ description: 'True if the content is complete, so that the file can be completed' }),
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
/** A query without `ledgerId`, order and page. */
export type FileFilters = Omit<OwnerFilesQuery, 'ledgerId' | 'sort' | 'order' | 'skip' | 'take'>;
export type FileMonths = z.infer<typeof fileMonthsSchema>;
export type PlaceCountInput = z.output<typeof placeCountInputSchema>;
export type PlaceCounts = z.infer<typeof placeCountsSchema>;
export type FileReader = z.infer<typeof fileReaderSchema>;
export type FileSummary = z.infer<typeof fileSummarySchema>;
export type UploadState = z.infer<typeof uploadStateSchema>;
