import { MAX_APPLICATION_FILES_BYTES, MAX_SHARED_COLLECTIONS, MAX_SHARED_FOLDERS } from '../../wire/limits.ts';
import type { Principal } from '../../platform/auth/principal.ts';
import type { OwnerFile } from '../../wire/files.ts';
import type { EventService } from '../core/events/service.ts';
import { newId } from '../core/sequence.ts';
import type { Lifecycle } from '../../platform/service/lifecycle.ts';
import type { SearchService } from '../data/queries/search/service.ts';
import type { UserService } from '../identity/users/service.ts';
import type { AccessLogModule } from '../sharing/access-log/index.ts';
import type { ApplicationService } from '../sharing/applications/service.ts';
import type { Home } from '../storage/home/folder.ts';
import type { Database, DatabaseThread } from '../storage/index.ts';
import { createDownloadLog } from './access/download-log.ts';
import { storageRoutes } from './access/routes.ts';
import { createFolderSync, type FolderSyncParts } from './folder/sync.ts';
import { ownerFileRoutes } from './owner-routes.ts';
import { fileRoutes } from './routes.ts';
import { createFileArchives, type FileArchivesParts } from './bulk/archives.ts';
import { createFileMover } from './bulk/moves.ts';
import { bulkFileRoutes } from './bulk/owner-routes.ts';
import { createFileTagging } from './bulk/tags.ts';
import { createUrlKeyProvider } from './access/url-signature.ts';
import { createGuests, type GuestParts } from './guests/index.ts';
import { shareLinkOwnerRoutes } from './links/owner-routes.ts';
import { shareLinkPreviewRoutes } from './links/preview-routes.ts';
import { shareLinkRoutes } from './links/routes.ts';
import { createShareLinkService, type ShareLinkParts } from './links/service.ts';
import { createShareLinkStore } from './links/store.ts';
import { collectionRoutes } from './collections/owner-routes.ts';
import { createCollectionService } from './collections/service.ts';
import { createCollectionGrantStore, createCollectionStore } from './collections/store.ts';
import { mapFileRoutes } from './map-file/owner-routes.ts';
import { createMapFileService } from './map-file/service.ts';
import { createMapFileStore } from './map-file/store.ts';
import { createGrantService } from './grants/service.ts';
import { createShareTargets } from './grants/targets.ts';
import { sharedFolderRoutes } from './folder-grants/owner-routes.ts';
import { createFolderGrantStore } from './folder-grants/store.ts';
import { createPictureDayStore } from './pictures/day-store.ts';
import { pictureMapRoutes } from './pictures/map/owner-routes.ts';
import { createPictureMapService } from './pictures/map/service.ts';
import { createPictureMapStore } from './pictures/map/store.ts';
import { pictureRoutes } from './pictures/owner-routes.ts';
import { createPictureReader } from './pictures/reader.ts';
import { createPictureStore } from './pictures/store.ts';
import { createFolderStore } from './search/folders.ts';
import { createShareCounts } from './search/share-counts.ts';
import { createFileSearchStore } from './search/store.ts';
import { createFileService, type FileParts } from './service.ts';
import { createFileStore, readNewestFileSeq } from './store.ts';
import { createFileTextIndexer } from './texts/indexer.ts';
import { createFileTextStore } from './texts/store.ts';

export type FileModuleParts = Pick<FileParts, 'writer' | 'sequence' | 'clock' | 'log'> &
  Pick<ShareLinkParts, 'checkPassword'> &
  Pick<FolderSyncParts, 'openWatcher'> & {
    db: Database;
    reader: Pick<DatabaseThread, 'all'>;
    events: Pick<EventService, 'notify' | 'onTopic'>;
    home: Pick<Home, 'files' | 'uploads' | 'removed'>;
    owner: GuestParts['owner'] & FileArchivesParts['owner'];
    passkeys: GuestParts['passkeys'];
    search: Pick<SearchService, 'settings' | 'setFileTexts'>;
    sharedViews: GuestParts['sharedViews'];
    sharedViewReads: GuestParts['sharedViewReads'];
    dashboard: GuestParts['dashboard'];
    users: GuestParts['users'] & Pick<UserService, 'exists' | 'nameOf' | 'onDelete'>;
    accessLog: Pick<AccessLogModule, 'ledger' | 'names' | 'addRecordSource' | 'recordRefusal' | 'publicReads'>;
    applications: Pick<ApplicationService, 'scopesOf'>;
    approvedVersion: (application: string) => string;
    /** `limits` of config.json, in bytes. */
    limits: { filesBytes?: number | undefined; applicationFilesBytes?: number | undefined };
    ownAddresses: {
      /** Returns the scheme and host of this PDA for the host of a request. */
      baseOf(host: string): string;
      /** Returns the scheme and host of the public address; undefined while there is none. */
      publicUrl(): string | undefined;
    };
    lifecycle: Lifecycle;
  };

/** Creates the file module and registers it with the users, the access log and the search. */
export const createFiles = (parts: FileModuleParts) => {
  const { db, home, owner, users, accessLog, applications, limits, lifecycle, writer, clock, log } = parts;
  const { baseOf, publicUrl } = parts.ownAddresses;
  /** Returns the public host or, while there is none, the host of the request. */
  const publicHost = (host: string): string => {
    const url = publicUrl();
    return url === undefined ? host : new URL(url).host;
  };
  const store = createFileStore(db);
  parts.sequence.reserveThrough(readNewestFileSeq(db));
  const searchStore = createFileSearchStore(db, store);
  const secret = createUrlKeyProvider({
    load: store.secret,
    store: (key) => {
      writer
        .write((tx) => store.storeSecret(tx, key))
        .catch((error: unknown) => log.warn({ err: error }, 'the key for signing URLs could not be stored'));
    },
  });
  const folderGrants = createFolderGrantStore(db);
  const collections = createCollectionStore(db);
  const collectionGrants = createCollectionGrantStore(db);
  const folderStore = createFolderStore(db);
  const shareCounts = createShareCounts(db);
  const targets = createShareTargets({ files: store, collections });
  const folderShares = createGrantService(parts, {
    store: folderGrants,
    requireTarget: targets.requireFolder,
    max: MAX_SHARED_FOLDERS,
    plural: 'folders',
  });
  const collectionShares = createGrantService(parts, {
    store: collectionGrants,
    requireTarget: targets.requireCollection,
    max: MAX_SHARED_COLLECTIONS,
    plural: 'collections',
  });
  const links = createShareLinkService({
    ...parts,
    store: createShareLinkStore(db),
    files: store,
    collections,
    targets,
    secret,
  });
  const files = createFileService({
    ...parts,
    store,
    folderGrants,
    collectionGrants,
    collections,
    searchStore,
    secret,
    mayDownloadByLink: links.mayDownload,
    newId,
    ownerId: () => owner.profile()?.id ?? '',
    isSessionAlive: owner.isSessionAlive,
    scopesOf: applications.scopesOf,
    folders: home,
    limits: {
      total: limits.filesBytes ?? null,
      perApplication: limits.applicationFilesBytes ?? MAX_APPLICATION_FILES_BYTES,
    },
  });
  users.onDelete(store.dropGrantsOfUser);
  accessLog.addRecordSource(files.locate);
  accessLog.names.setFileSearch(searchStore.findNewestByName);
  accessLog.names.addLookup('link', links.nameOf);

  const downloads = createDownloadLog({
    ledger: accessLog.ledger,
    userName: users.nameOf,
    linkName: links.nameOf,
    approvedVersion: parts.approvedVersion,
    now: () => clock.now(),
    log,
  });
  const guests = createGuests({
    ...parts,
    files,
    fileStore: store,
    folderGrants,
    collectionGrants,
    collections,
    targets,
    folderShares,
    collectionShares,
    subfolders: folderStore.subfolders,
    secret,
    baseOf,
    publicHost,
  });
  const folder = createFolderSync({ ...parts, store, newId, disk: files.disk });
  const pictureStore = createPictureStore(db, searchStore);
  const pictureDays = createPictureDayStore(db, parts.reader);
  const pictureReader = createPictureReader({ ...parts, store: pictureStore, files: store, disk: files.disk });
  const textStore = createFileTextStore(db, parts.reader);
  const textIndexer = createFileTextIndexer({
    ...parts,
    store: textStore,
    files: store,
    disk: files.disk,
    settings: parts.search.settings,
  });
  parts.search.setFileTexts({ ...textStore, start: textIndexer.start });
  lifecycle.onClose('files', async () => {
    await pictureReader.close();
    await textIndexer.close();
    await folder.close();
    await files.close();
  });

  return {
    files,
    links,
    invitations: guests.invitations,
    folder,
    pictureDays: {
      countByDay: pictureDays.countByDay,
      listOnDay: (
        day: string,
        page: { skip: number; take: number },
        { principal, host }: { principal: Principal; host: string },
      ): OwnerFile[] =>
        pictureDays.listOnDay(day, page).map((row) => files.view.ownerFile(row, principal, baseOf(host))),
    },
    countAccessibleFiles: shareCounts.countAccessibleFiles,
    routes: [
      ...fileRoutes({ files, baseOf, userNameOf: users.nameOf }),
      ...storageRoutes({ files, links, downloads }),
      ...bulkFileRoutes({
        tagging: createFileTagging({ ...parts, store }),
        mover: createFileMover({ store, disk: files.disk }),
        archives: createFileArchives({ ...parts, store, disk: files.disk }),
      }),
      ...pictureRoutes({ pictures: pictureStore }),
      ...pictureMapRoutes({
        map: createPictureMapService({ store: createPictureMapStore(parts.reader), files: store }),
        view: files.view,
        baseOf,
      }),
      ...shareLinkOwnerRoutes({ links }),
      ...shareLinkPreviewRoutes({ links, view: files.view, publicHost }),
      ...sharedFolderRoutes({ grants: folderShares, users }),
      ...collectionRoutes({
        collections: createCollectionService({ ...parts, store: collections, files: store }),
        store: collections,
        shares: collectionShares,
        users,
      }),
      ...mapFileRoutes({
        mapFile: createMapFileService({ ...parts, store: createMapFileStore(db), files: store }),
        view: files.view,
        baseOf,
      }),
      ...shareLinkRoutes({
        links,
        files: store,
        disk: files.disk,
        clock,
        view: files.view,
        publicReads: accessLog.publicReads,
        recordRefusal: accessLog.recordRefusal,
        baseOf,
      }),
      ...guests.routes,
      ...ownerFileRoutes({
        files,
        search: searchStore,
        folders: folderStore,
        shareCounts,
        users,
        isWatching: folder.isWatching,
        baseOf,
      }),
    ] as const,
    /**
     * Completes or reverts operations interrupted by a shutdown or crash. Must run before the first request, because it
     * would delete uploads in progress as leftovers.
     */
    recover: files.recover,
    /** Resolves after the first scan of the folder. */
    start() {
      files.start();
      pictureReader.start();
      textIndexer.start();
      return folder.start();
    },
  };
};

export type FileModule = ReturnType<typeof createFiles>;
