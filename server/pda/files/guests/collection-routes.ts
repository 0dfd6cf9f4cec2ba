import { z } from 'zod';
import { describeHtmlPage } from '../../core/public-page.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { GUEST_PAGE_FILES, MAX_ARCHIVE_FILES } from '../../../wire/limits.ts';
import type { CollectionGrantStore, CollectionStore } from '../collections/store.ts';
import { cutPage } from '../rules.ts';
import type { Guest } from './account.ts';
import { archiveStateOf, pageNumber, pageQuery, type GuestFiles } from './file-responses.ts';
import { pageRoute, redirect, SIGN_IN_REDIRECT, type GuestPages, type GuestRequest } from './page-response.ts';
import { collectionPage } from './pages/collections.ts';
import { collectionPath, type GuestCollection } from './pages/lists.ts';

const COLLECTION_PATH = `${GUEST_PATH}/collections/:sharedCollectionId`;
const ARCHIVE_PATH = `${COLLECTION_PATH}/archive`;

const collectionParams = z.strictObject({ sharedCollectionId: z.uuid() });
const MISSING_PAGE = describeHtmlPage('HTML page: the collection is not shared with the guest');

export const collectionsOfGuest = (
  userId: string,
  grants: Pick<CollectionGrantStore, 'listByUser'>,
  collections: Pick<CollectionStore, 'findById'>,
): GuestCollection[] =>
  grants
    .listByUser(userId)
    .map(({ id, target }) => ({ sharedCollectionId: id, name: collections.findById(target)?.name ?? '' }))
    .toSorted((a, b) => a.name.localeCompare(b.name));

export type CollectionPages = ReturnType<typeof createCollectionPages>;

export const createCollectionPages = (parts: {
  collections: Pick<CollectionStore, 'findById' | 'files' | 'countFiles'>;
  collectionGrants: Pick<CollectionGrantStore, 'findById'>;
  guestFiles: GuestFiles;
  pages: GuestPages;
}) => {
  const { collections, collectionGrants, guestFiles, pages } = parts;

  /** @param sharedCollectionId id of the grant */
  const findShared = (sharedCollectionId: string, { userId }: Guest): { id: string; name: string } | undefined => {
    const grant = collectionGrants.findById(sharedCollectionId);
    return grant?.user_id === userId ? collections.findById(grant.target) : undefined;
  };

  return {
    findShared,

    async collection(
      { sharedCollectionId, page }: { sharedCollectionId: string; page: number },
      request: GuestRequest,
    ): Promise<RouteResponse> {
      const { guest, caller, headers } = request;
      const collection = findShared(sharedCollectionId, guest);
      if (collection === undefined) return pages.respondMissing('noCollection', request);
      const skip = (page - 1) * GUEST_PAGE_FILES;
      const { rows, hasMore } = cutPage(
        collections.files(collection.id, { skip, take: GUEST_PAGE_FILES + 1 }),
        GUEST_PAGE_FILES,
      );
      await guestFiles.recordRead(`GET ${COLLECTION_PATH}`, rows, guest, caller);
      return pages.respond(
        200,
        headers,
        collectionPage(pages.frameOf(caller, headers, guest), {
          collection: { sharedCollectionId, name: collection.name },
          files: rows.map((row) => guestFiles.toGuestFile(row, guest)),
          page,
          hasMore,
          archive: archiveStateOf(collections.countFiles(collection.id, MAX_ARCHIVE_FILES + 1)),
        }),
      );
    },
  };
};

export const guestCollectionRoutes = (parts: {
  collections: Pick<CollectionStore, 'files' | 'countFiles'>;
  guestFiles: GuestFiles;
  collectionPages: CollectionPages;
  pages: GuestPages;
}) => {
  const { collections, guestFiles, collectionPages, pages } = parts;

  return [
    pageRoute({
      method: 'GET',
      path: COLLECTION_PATH,
      summary: 'Show the page of a collection that is shared with a guest',
      description: 'Lists the files, the most recently added first.',
      params: collectionParams,
      query: pageQuery,
      responses: { 200: describeHtmlPage('HTML page without scripts'), 303: SIGN_IN_REDIRECT, 404: MISSING_PAGE },
      handler: ({ params: { sharedCollectionId }, query, headers, caller }) =>
        pages.withGuest(caller, (guest) =>
          collectionPages.collection({ sharedCollectionId, page: pageNumber(query.page) }, { guest, caller, headers }),
        ),
    }),
    pageRoute({
      method: 'GET',
      path: ARCHIVE_PATH,
      summary: 'Download a collection that is shared with a guest',
      description: `A ZIP archive of at most ${MAX_ARCHIVE_FILES} files. Files that cannot be read are left out. The download is aborted if the guest loses access to one of the files.`,
      params: collectionParams,
      responses: {
        200: { description: 'The archive', contentType: 'application/zip' },
        303: { description: '`Location` is the sign-in page, or the page of the collection if there is no archive' },
        404: MISSING_PAGE,
        429: describeHtmlPage('HTML page: another archive is being downloaded'),
      },
      takesMinutes: true,
      handler: ({ params: { sharedCollectionId }, headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const collection = collectionPages.findShared(sharedCollectionId, guest);
          if (collection === undefined) return pages.respondMissing('noCollection', { guest, caller, headers });
          if (archiveStateOf(collections.countFiles(collection.id, MAX_ARCHIVE_FILES + 1)) !== 'offered')
            return redirect(collectionPath(sharedCollectionId));
          const rows = collections.files(collection.id, { take: MAX_ARCHIVE_FILES });
          return guestFiles.respondWithArchive(`GET ${ARCHIVE_PATH}`, { rows }, { guest, caller, headers });
        }),
    }),
  ] as const;
};
