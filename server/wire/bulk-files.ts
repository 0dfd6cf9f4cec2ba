import { z } from 'zod';
import { fileIdSchema, tagsSchema } from './files.ts';
import { MAX_BULK_FILES } from './limits.ts';

const fileIds = z.array(fileIdSchema).min(1).max(MAX_BULK_FILES);
const isWithinFileLimit = (groups: readonly { fileIds: readonly string[] }[]): boolean =>
  groups.reduce((sum, group) => sum + group.fileIds.length, 0) <= MAX_BULK_FILES;
const TOO_MANY_FILES = `must have at most ${MAX_BULK_FILES} files`;

export const fileSelectionSchema = z.strictObject({ fileIds }).meta({ id: 'FileSelection' });

export const tagCountsSchema = z
  .strictObject({
    files: z.int().min(0).meta({ description: 'Files that still exist' }),
    tags: z
      .array(z.strictObject({ tag: z.string(), files: z.int().min(1) }))
      .meta({ description: 'Their tags, the most frequent first' }),
  })
  .meta({ id: 'FileTagCounts' });

export const tagChangeSchema = z
  .strictObject({ fileIds, add: tagsSchema.default([]), remove: tagsSchema.default([]) })
  .refine(({ add, remove }) => !add.some((tag) => remove.includes(tag)), 'must not add and remove the same tag')
  .meta({ id: 'FileTagChange' });

const tagGroups = z.array(z.strictObject({ tags: tagsSchema, fileIds })).max(MAX_BULK_FILES);

export const tagAssignmentSchema = z
  .strictObject({ groups: tagGroups.refine(isWithinFileLimit, TOO_MANY_FILES) })
  .meta({ id: 'FileTagAssignment', description: 'All tags of files, in groups of files with the same tags' });

export const tagChangeResultSchema = z
  .strictObject({
    changed: z.int().min(0),
    previousTags: tagGroups.meta({ description: 'Former tags of the changed files, to undo the change' }),
  })
  .meta({ id: 'FileTagChangeResult' });

const moveGroups = z
  .array(
    z.strictObject({
      folder: z
        .string()
        .max(4000)
        .meta({ description: 'Path below the `files` folder without a trailing `/`; empty for the top folder' }),
      fileIds,
    }),
  )
  .max(MAX_BULK_FILES);

export const fileMovesSchema = z
  .strictObject({ moves: moveGroups.refine(isWithinFileLimit, TOO_MANY_FILES) })
  .meta({ id: 'FileMoves' });

const moveProblemSchema = z.enum(['name_taken', 'changed', 'busy', 'missing', 'not_possible']).meta({
  description:
    '`name_taken`: the folder has a file of this name; `changed`: the file is incomplete, or another program has just changed it; `busy`: another operation on the file is in progress; `missing`: there is no such file; `not_possible`: the file system refused the move',
});

export const fileMoveResultSchema = z
  .strictObject({
    moved: z.int().min(0),
    undo: moveGroups.meta({ description: 'Moves of the same files back to their former folders' }),
    refused: z.array(z.strictObject({ fileId: fileIdSchema, name: z.string(), problem: moveProblemSchema })),
  })
  .meta({ id: 'FileMoveResult' });

export const fileArchiveSchema = z
  .strictObject({
    url: z.string().meta({ description: 'Relative URL, valid for one download within a minute' }),
    files: z.int().min(1).meta({ description: 'Files in the archive' }),
    missing: z
      .int()
      .min(0)
      .meta({ description: 'Files that are left out: they were deleted, are incomplete or cannot be read' }),
  })
  .meta({ id: 'FileArchive' });

export type FileArchive = z.infer<typeof fileArchiveSchema>;
export type TagCounts = z.infer<typeof tagCountsSchema>;
export type TagChange = z.output<typeof tagChangeSchema>;
export type TagGroup = z.infer<typeof tagGroups>[number];
export type TagChangeResult = z.infer<typeof tagChangeResultSchema>;
export type FileMove = z.output<typeof moveGroups>[number];
export type FileMoveResult = z.infer<typeof fileMoveResultSchema>;
export type MoveProblem = z.infer<typeof moveProblemSchema>;
