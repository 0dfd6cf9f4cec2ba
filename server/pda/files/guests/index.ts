import type { Database } from '../../storage/index.ts';
import type { AccessLogModule } from '../../sharing/access-log/index.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { SharedViewReads, SharedViewService } from '../../sharing/shared-views/index.ts';
import type { FileService } from '../service.ts';
import type { CollectionGrantStore, CollectionStore } from '../collections/store.ts';
import type { FolderGrantStore } from '../folder-grants/store.ts';
import type { createFolderStore } from '../search/folders.ts';
import type { FileStore } from '../store.ts';
import { createGuestAccounts, type GuestAccountParts } from './account.ts';
import { guestAccountRoutes } from './account-routes.ts';
import { createCollectionPages, guestCollectionRoutes } from './collection-routes.ts';
import { guestEntryRoutes } from './entry-routes.ts';
import { createGuestFiles } from './file-responses.ts';
import { createFilePages, guestFileRoutes } from './file-routes.ts';
import { createFolderPages, guestFolderRoutes } from './folder-routes.ts';
import { createInvitationService, type InvitationParts } from './invitations.ts';
import { invitationOwnerRoutes } from './owner-routes.ts';
import { createGuestPages } from './page-response.ts';
import { guestPasskeyRoutes } from './passkey-routes.ts';
import { createGuestPasskeys } from './passkeys.ts';
import { guestPreviewRoutes } from './preview-routes.ts';
import { createGuestStore } from './store.ts';
import { createViewReads } from './view-reads.ts';
import { createViewPages, guestViewRoutes } from './view-routes.ts';

export type GuestParts = Pick<
  InvitationParts,
  'checkPassword' | 'targets' | 'folderShares' | 'collectionShares' | 'writer' | 'events' | 'clock'
> & {
  db: Database;
  owner: InvitationParts['owner'] & GuestAccountParts['owner'] & Pick<OwnerService, 'profile' | 'isSessionAlive'>;
  users: InvitationParts['users'] & GuestAccountParts['users'];
  passkeys: InvitationParts['passkeys'] &
    GuestAccountParts['passkeys'] &
    Parameters<typeof createGuestPasskeys>[0]['passkeys'];
  files: Pick<FileService, 'mayDownload' | 'disk' | 'view'>;
  fileStore: FileStore;
  folderGrants: FolderGrantStore;
  collections: CollectionStore;
  collectionGrants: CollectionGrantStore;
  sharedViews: Pick<SharedViewService, 'find' | 'listByUser'>;
  sharedViewReads: SharedViewReads;
  /** Folder of the built dashboard, which contains the outlines of maps; undefined if it was not built. */
  dashboard: string | undefined;
  subfolders: ReturnType<typeof createFolderStore>['subfolders'];
  accessLog: Pick<AccessLogModule, 'recordRefusal' | 'publicReads'>;
  /** Key that signs CSRF tokens. */
  secret: () => Buffer;
  baseOf: (host: string) => string;
  publicHost: (host: string) => string;
};

/** Creates the invitation service and the routes of invitations and guest pages. */
export const createGuests = (parts: GuestParts) => {
  const { owner, fileStore, accessLog } = parts;
  const store = createGuestStore(parts.db);
  const invitations = createInvitationService({ ...parts, store, files: fileStore });
  const accounts = createGuestAccounts({ ...parts, recordRefusal: accessLog.recordRefusal });
  const guestPasskeys = createGuestPasskeys({ ...parts, accounts });
  const pages = createGuestPages({ ...parts, accounts });
  const ownerName = (): string => owner.profile()?.name ?? '';
  const guestFiles = createGuestFiles({ ...parts, pages, publicReads: accessLog.publicReads });
  const viewReads = createViewReads({
    ...parts,
    isSessionAlive: owner.isSessionAlive,
    publicReads: accessLog.publicReads,
    pages,
  });
  const common = { ...parts, pages, guestPasskeys, guestFiles, ownerName };
  const filePages = createFilePages({ ...common, store });
  const folderPages = createFolderPages({ ...common, store });
  const collectionPages = createCollectionPages(common);
  const viewPages = createViewPages({ ...common, viewReads });
  return {
    invitations,
    routes: [
      ...invitationOwnerRoutes({ invitations }),
      ...guestEntryRoutes({ ...common, invitations, accounts }),
      ...guestFileRoutes({ ...common, store, filePages }),
      ...guestFolderRoutes({ ...common, folderPages }),
      ...guestCollectionRoutes({ ...common, collectionPages }),
      ...guestViewRoutes({ ...common, viewReads, viewPages }),
      ...guestPreviewRoutes({ ...common, filePages, folderPages, collectionPages, viewPages }),
      ...guestAccountRoutes({ ...common, accounts }),
      ...guestPasskeyRoutes({ ...common, accounts }),
    ] as const,
  };
};
