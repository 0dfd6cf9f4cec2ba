import { z } from 'zod';
import { unixTimeSchema } from './common.ts';
import { folderPathSchema } from './files.ts';

// Folders that the owner shares with users, including subfolders and files added later (docs/decisions.md, 6).

export const sharedFolderSchema = z
  .strictObject({
    sharedFolderId: z.uuid(),
    folder: z.string().meta({ description: 'Path below the `files` folder' }),
    userId: z.uuid(),
    name: z.string().meta({ description: 'The name of the user' }),
    created: unixTimeSchema,
  })
  .meta({ id: 'SharedFolder' });

export const sharedFoldersSchema = z
  .strictObject({ folders: z.array(sharedFolderSchema) })
  .meta({ id: 'SharedFolders' });

export const newSharedFolderSchema = z
  .strictObject({ folder: folderPathSchema, userId: z.uuid() })
  .meta({ id: 'NewSharedFolder', description: 'Shares a folder with a user' });

export type SharedFolder = z.infer<typeof sharedFolderSchema>;
