import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { GUEST_PAGE_FILES, MAX_ARCHIVE_FILES } from '../../../wire/limits.ts';
import { nameOfPath } from '../folder/rules.ts';
import type { FolderGrantStore } from '../folder-grants/store.ts';
import type { TargetGrantRow } from '../grants/store.ts';
import { cutPage } from '../rules.ts';
import { FOLDERS_MAX, type createFolderStore } from '../search/folders.ts';
import type { FileStore } from '../store.ts';
import type { Guest } from './account.ts';
import { archiveStateOf, pageNumber, pageQuery, type GuestFiles } from './file-responses.ts';
import { pageRoute, redirect, SIGN_IN_REDIRECT, type GuestPages, type GuestRequest } from './page-response.ts';
import { folderPage, type GuestFolder } from './pages/folders.ts';
import { folderPath } from './pages/lists.ts';
import type { GuestStore } from './store.ts';

const FOLDER_PATH = `${GUEST_PATH}/folders/:sharedFolderId`;
const ARCHIVE_PATH = `${FOLDER_PATH}/archive`;

const folderParams = z.strictObject({ sharedFolderId: z.uuid() });
const pathQuery = z.object({ path: z.string().max(4000).default('') });
const MISSING_PAGE = describeHtmlPage(
  'HTML page: the folder is not shared with the guest, or is a subfolder without files',
);

/** Hides the names of the folders that contain the shared folder. */
export const toGuestFolder = ({ id, target }: TargetGrantRow): GuestFolder => ({
  sharedFolderId: id,
  name: nameOfPath(target),
});

export type FolderPages = ReturnType<typeof createFolderPages>;

export const createFolderPages = (parts: {
  store: Pick<GuestStore, 'listInFolder'>;
  fileStore: Pick<FileStore, 'countCompleteFilesBelow'>;
  folderGrants: Pick<FolderGrantStore, 'findById'>;
  subfolders: ReturnType<typeof createFolderStore>['subfolders'];
  guestFiles: GuestFiles;
  pages: GuestPages;
}) => {
  const { store, fileStore, folderGrants, subfolders, guestFiles, pages } = parts;

  const findShared = (
    sharedFolderId: string,
    path: string,
    { userId }: Guest,
  ): { grant: TargetGrantRow; folder: string } | undefined => {
    const grant = folderGrants.findById(sharedFolderId);
    if (grant?.user_id !== userId) return undefined;
    return { grant, folder: path === '' ? grant.target : `${grant.target}/${path}` };
  };

  return {
    findShared,

    /** `path`: relative to the shared folder. */
    async folder(
      { sharedFolderId, path, page }: { sharedFolderId: string; path: string; page: number },
      request: GuestRequest,
    ): Promise<RouteResponse> {
      const { guest, caller, headers } = request;
      const sharedFolder = findShared(sharedFolderId, path, guest);
      if (sharedFolder === undefined) return pages.respondMissing('noFolder', request);
      const { grant, folder } = sharedFolder;
      const count = fileStore.countCompleteFilesBelow(folder, MAX_ARCHIVE_FILES + 1);
      // The shared folder itself can be empty for a while. An empty folder below it may not exist.
      if (count === 0 && path !== '') return pages.respondMissing('noFolder', request);
      const skip = (page - 1) * GUEST_PAGE_FILES;
      const { rows, hasMore } = cutPage(
        store.listInFolder(folder, { skip, take: GUEST_PAGE_FILES + 1 }),
        GUEST_PAGE_FILES,
      );
      const subfolderPage = cutPage(page === 1 ? subfolders(folder, FOLDERS_MAX + 1) : [], FOLDERS_MAX);
      await guestFiles.recordRead(`GET ${FOLDER_PATH}`, rows, guest, caller);
      return pages.respond(
        200,
        headers,
        folderPage(pages.frameOf(caller, headers, guest), {
          folder: toGuestFolder(grant),
          path,
          subfolders: subfolderPage.rows,
          hasMoreSubfolders: subfolderPage.hasMore,
          files: rows.map((row) => guestFiles.toGuestFile(row, guest)),
          page,
          hasMore,
          archive: archiveStateOf(count),
        }),
      );
    },
  };
};

export const guestFolderRoutes = (parts: {
  fileStore: Pick<FileStore, 'completeFilesBelow' | 'countCompleteFilesBelow'>;
  guestFiles: GuestFiles;
  folderPages: FolderPages;
  pages: GuestPages;
}) => {
  const { fileStore, guestFiles, folderPages, pages } = parts;

  return [
    pageRoute({
      method: 'GET',
      path: FOLDER_PATH,
      summary: 'Show the page of a folder that is shared with a guest',
      description: `Lists files and at most ${FOLDERS_MAX} subfolders. \`path\`: the open folder, relative to the shared one.`,
      params: folderParams,
      query: pathQuery.extend(pageQuery.shape),
      responses: { 200: describeHtmlPage('HTML page without scripts'), 303: SIGN_IN_REDIRECT, 404: MISSING_PAGE },
      handler: ({ params: { sharedFolderId }, query: { path, page }, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          folderPages.folder({ sharedFolderId, path, page: pageNumber(page) }, { guest, caller, headers }),
        ),
    }),
    pageRoute({
      method: 'GET',
      path: ARCHIVE_PATH,
      summary: 'Download a folder that is shared with a guest',
      description: `A ZIP archive of at most ${MAX_ARCHIVE_FILES} files, with subfolders. Files that cannot be read are left out. The download is aborted if the guest loses access to one of the files.`,
      params: folderParams,
      query: pathQuery,
      responses: {
        200: { description: 'The archive', contentType: 'application/zip' },
        303: { description: '`Location` is the sign-in page, or the page of the folder if there is no archive' },
        404: describeHtmlPage('HTML page: the folder is not shared with the guest'),
        429: describeHtmlPage('HTML page: another archive is being downloaded'),
      },
      takesMinutes: true,
      handler: ({ params, query, headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const sharedFolder = folderPages.findShared(params.sharedFolderId, query.path, guest);
          if (sharedFolder === undefined) return pages.respondMissing('noFolder', { guest, caller, headers });
          const { grant, folder } = sharedFolder;
          if (archiveStateOf(fileStore.countCompleteFilesBelow(folder, MAX_ARCHIVE_FILES + 1)) !== 'offered')
            return redirect(folderPath(grant.id, query.path));
          const rows = fileStore.completeFilesBelow(folder, MAX_ARCHIVE_FILES);
          return guestFiles.respondWithArchive(`GET ${ARCHIVE_PATH}`, { rows, folder }, { guest, caller, headers });
        }),
    }),
  ] as const;
};
