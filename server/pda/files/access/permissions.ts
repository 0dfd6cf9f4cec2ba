import type { Principal } from '../../../platform/auth/principal.ts';
import { hasScope } from '../../../platform/auth/principal.ts';
import type { FileStatus } from '../../../wire/files.ts';

/** Who may do what with a file (decisions 6). Plain data in, a decision out. */

export type FileFacts = {
  status: FileStatus;
  source: string;
  uploader: 'owner' | 'application' | 'folder';
  application: string | null;
  public: boolean;
};
/** What a user was given of it; undefined: nothing. */
export type Grant = { content: boolean } | undefined;

/** The right to a source's files. What the owner dropped into the folder is no application's, whatever its folder is called. */
const coversSource = (principal: Principal, file: Pick<FileFacts, 'source' | 'uploader'>): boolean =>
  principal.kind === 'owner' ||
  (principal.kind === 'application' && file.uploader !== 'folder' && hasScope(principal, `files:${file.source}`));

/** May know that it is there, and what is said of it. */
export const maySee = (principal: Principal, file: FileFacts, grant: Grant): boolean => {
  if (coversSource(principal, file)) return true;
  if (principal.kind === 'visitor' || file.status === 'Deleted') return false;
  return grant !== undefined || (file.public && file.status === 'Completed');
};

export const mayReadContent = (principal: Principal, file: FileFacts, grant: Grant): boolean => {
  if (file.status !== 'Completed') return false;
  return file.public || coversSource(principal, file) || grant?.content === true;
};

/** Uploading, completing and describing files of a source: allowed to the owner and to holders of the right to the source. */
export const mayManage = (principal: Principal, file: Pick<FileFacts, 'source' | 'uploader'>): boolean =>
  coversSource(principal, file);

export const maySeePermissions = (principal: Principal, file: FileFacts): boolean =>
  principal.kind === 'owner' ||
  (principal.kind === 'application' && file.application === principal.application && coversSource(principal, file));
