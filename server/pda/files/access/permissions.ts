import type { Principal } from '../../../platform/auth/principal.ts';
import { hasScope } from '../../../platform/auth/principal.ts';
import type { FileStatus } from '../../../wire/files.ts';

// Rights to files: docs/decisions.md, section 6.

/** Attributes of a file on which the rights to it depend. */
export type FileFacts = {
  status: FileStatus;
  source: string;
  uploader: 'owner' | 'application' | 'folder';
  application: string | null;
  public: boolean;
};
/** Permission of a user to see a file. `content`: the user may also read the content. */
export type FileGrant = { content: boolean } | undefined;

/**
 * Returns true for the owner, and for an application with the scope of the file's source. Files from the watched folder
 * belong to no application, whatever their subfolder is called.
 */
const coversSource = (principal: Principal, file: Pick<FileFacts, 'source' | 'uploader'>): boolean =>
  principal.kind === 'owner' ||
  (principal.kind === 'application' && file.uploader !== 'folder' && hasScope(principal, `files:${file.source}`));

export const maySee = (principal: Principal, file: FileFacts, grant: FileGrant): boolean => {
  if (coversSource(principal, file)) return true;
  if (principal.kind === 'visitor' || file.status === 'Deleted') return false;
  return grant !== undefined || (file.public && file.status === 'Completed');
};

export const mayReadContent = (principal: Principal, file: FileFacts, grant: FileGrant): boolean => {
  if (file.status !== 'Completed') return false;
  return file.public || coversSource(principal, file) || grant?.content === true;
};

export const mayManage = (principal: Principal, file: Pick<FileFacts, 'source' | 'uploader'>): boolean =>
  coversSource(principal, file);

export const maySeePermissions = (principal: Principal, file: FileFacts): boolean =>
  principal.kind === 'owner' ||
  (principal.kind === 'application' && file.application === principal.application && coversSource(principal, file));
