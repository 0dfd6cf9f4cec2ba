import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { fileIdSchema } from '../../../wire/files.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { GUEST_PAGE_FILES, MAX_ARCHIVE_FILES } from '../../../wire/limits.ts';
import type { SharedViewService } from '../../sharing/shared-views/index.ts';
import { bearerOf } from '../access/view.ts';
import type { CollectionGrantStore, CollectionStore } from '../collections/store.ts';
import type { FolderGrantStore } from '../folder-grants/store.ts';
import { cutPage } from '../rules.ts';
import type { FileService } from '../service.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { Guest } from './account.ts';
import { collectionsOfGuest } from './collection-routes.ts';
import { archiveStateOf, pageNumber, pageQuery, type GuestFiles } from './file-responses.ts';
import { toGuestFolder } from './folder-routes.ts';
import { pageRoute, redirect, SIGN_IN_REDIRECT, type GuestPages, type GuestRequest } from './page-response.ts';
import { fileListPage, filePage } from './pages/files.ts';
import { guestCookie } from './rules.ts';
import type { GuestStore } from './store.ts';

const FILE_PATH = `${GUEST_PATH}/files/:fileId`;
const ARCHIVE_PATH = `${GUEST_PATH}/archive`;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const MISSING_PAGE = describeHtmlPage('HTML page: there is no such file, or its content is not shared with the guest');

export type FilePages = ReturnType<typeof createFilePages>;

export const createFilePages = (parts: {
  store: Pick<GuestStore, 'grantedFiles' | 'countReadable'>;
  files: Pick<FileService, 'view'>;
  fileStore: Pick<FileStore, 'findByFileId'>;
  folderGrants: Pick<FolderGrantStore, 'listByUser'>;
  collectionGrants: Pick<CollectionGrantStore, 'listByUser'>;
  collections: Pick<CollectionStore, 'findById'>;
  sharedViews: Pick<SharedViewService, 'listByUser'>;
  guestFiles: GuestFiles;
  pages: GuestPages;
  ownerName: () => string;
  baseOf: (host: string) => string;
}) => {
  const { store, fileStore, folderGrants, collectionGrants, collections, sharedViews, guestFiles, pages } = parts;
  const { ownerName, baseOf } = parts;
  const { view } = parts.files;
  const { isReadable, recordRead, toGuestFile } = guestFiles;

  const findReadable = (fileId: string, guest: Guest): FileRow | undefined => {
    const row = fileStore.findByFileId(fileId);
    if (row?.status !== 'Completed' || view.grantOf(row, guest.principal) === undefined) return undefined;
    return isReadable(row, guest) ? row : undefined;
  };

  return {
    findReadable,

    async list(page: number, { guest, caller, headers }: GuestRequest): Promise<RouteResponse> {
      const skip = (page - 1) * GUEST_PAGE_FILES;
      const { rows, hasMore } = cutPage(
        store.grantedFiles(guest.userId, { skip, take: GUEST_PAGE_FILES + 1 }),
        GUEST_PAGE_FILES,
      );
      await recordRead(`GET ${GUEST_PATH}`, rows, guest, caller);
      const token = await guest.renewToken();
      return pages.respond(
        200,
        headers,
        fileListPage(pages.frameOf(caller, headers, guest), {
          owner: ownerName(),
          files: rows.map((row) => toGuestFile(row, guest)),
          page,
          hasMore,
          archive: archiveStateOf(store.countReadable(guest.userId, MAX_ARCHIVE_FILES + 1)),
          folders: folderGrants.listByUser(guest.userId).map(toGuestFolder),
          collections: collectionsOfGuest(guest.userId, collectionGrants, collections),
          views: sharedViews
            .listByUser(guest.userId)
            .map(({ sharedViewId, name, definition: { kind } }) => ({ sharedViewId, name, kind })),
        }),
        { cookie: token === undefined ? undefined : guestCookie(baseOf(caller.host), token) },
      );
    },

    async file(fileId: string, request: GuestRequest): Promise<RouteResponse> {
      const { guest, caller, headers } = request;
      const row = findReadable(fileId, guest);
      if (row === undefined) return pages.respondMissing('noFile', request);
      await recordRead(`GET ${FILE_PATH}`, [row], guest, caller);
      return pages.respond(200, headers, filePage(pages.frameOf(caller, headers, guest), toGuestFile(row, guest)));
    },
  };
};

export const guestFileRoutes = (parts: {
  store: Pick<GuestStore, 'readableFiles' | 'countReadable'>;
  files: Pick<FileService, 'view'>;
  guestFiles: GuestFiles;
  filePages: FilePages;
  pages: GuestPages;
  baseOf: (host: string) => string;
}) => {
  const { store, guestFiles, filePages, pages, baseOf } = parts;
  const { view } = parts.files;
  return [
    pageRoute({
      method: 'GET',
      path: GUEST_PATH,
      summary: "Show a guest's page",
      description: 'Lists everything that is shared with the guest, the newest files first. Renews the session.',
      query: pageQuery,
      responses: { 200: describeHtmlPage('HTML page without scripts'), 303: SIGN_IN_REDIRECT },
      handler: ({ query, headers, caller }) =>
        pages.withGuest(caller, (guest) => filePages.list(pageNumber(query.page), { guest, caller, headers })),
    }),
    pageRoute({
      method: 'GET',
      path: FILE_PATH,
      summary: 'Show the page of a file that is shared with a guest',
      params: fileParams,
      responses: { 200: describeHtmlPage('HTML page without scripts'), 303: SIGN_IN_REDIRECT, 404: MISSING_PAGE },
      handler: ({ params, headers, caller }) =>
        pages.withGuest(caller, (guest) => filePages.file(params.fileId, { guest, caller, headers })),
    }),
    pageRoute({
      method: 'GET',
      path: `${FILE_PATH}/content`,
      summary: 'Open a file that is shared with a guest',
      description: 'Redirects to a signed URL, which is valid for a few minutes and only until the session ends.',
      params: fileParams,
      responses: { 303: { description: '`Location` is the signed URL, or the sign-in page' }, 404: MISSING_PAGE },
      handler: ({ params, headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const row = filePages.findReadable(params.fileId, guest);
          if (row === undefined) return pages.respondMissing('noFile', { guest, caller, headers });
          return redirect(view.contentUrl(row, bearerOf(guest.principal), baseOf(caller.host)));
        }),
    }),
    pageRoute({
      method: 'GET',
      path: ARCHIVE_PATH,
      summary: 'Download all files whose content is shared with a guest',
      description: `A ZIP archive of at most ${MAX_ARCHIVE_FILES} files. Files that cannot be read are left out. The download is aborted if the guest loses access to one of the files.`,
      responses: {
        200: { description: 'The archive', contentType: 'application/zip' },
        303: { description: '`Location` is the sign-in page, or the page of the guest if there is no archive' },
        429: describeHtmlPage('HTML page: another archive is being downloaded'),
      },
      takesMinutes: true,
      handler: ({ headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const count = store.countReadable(guest.userId, MAX_ARCHIVE_FILES + 1);
          if (archiveStateOf(count) !== 'offered') return redirect(GUEST_PATH);
          const rows = store.readableFiles(guest.userId, MAX_ARCHIVE_FILES);
          return guestFiles.respondWithArchive(`GET ${ARCHIVE_PATH}`, { rows }, { guest, caller, headers });
        }),
    }),
  ] as const;
};
