import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { Failure } from '../../../platform/failure.ts';
import { json, route, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { guestPreviewSchema } from '../../../wire/invitations.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import type { UserService } from '../../identity/users/service.ts';
import { bearerOf } from '../access/view.ts';
import type { FileService } from '../service.ts';
import type { Guest } from './account.ts';
import type { CollectionPages } from './collection-routes.ts';
import { pageNumber } from './file-responses.ts';
import type { FilePages } from './file-routes.ts';
import type { FolderPages } from './folder-routes.ts';
import { pageRequestHeaders, type GuestRequest } from './page-response.ts';
import { RETRY_AFTER_SECONDS, sharedPageOf, type SharedPage } from './rules.ts';
import type { ViewPages } from './view-routes.ts';

const previewParams = z.strictObject({ userId: z.uuid() });
const previewQuery = z.object({
  path: z
    .string()
    .max(5000)
    .default(GUEST_PATH)
    .meta({ description: 'Path and query of the page, as in the links between pages' }),
});

export const guestPreviewRoutes = (parts: {
  users: Pick<UserService, 'find'>;
  files: Pick<FileService, 'view'>;
  filePages: FilePages;
  folderPages: FolderPages;
  collectionPages: CollectionPages;
  viewPages: ViewPages;
}) => {
  const { users, files, filePages, folderPages, collectionPages, viewPages } = parts;

  /** Returns a guest without a session, whose files are opened with the rights of the owner. */
  const guestOf = ({ userId, name }: Pick<Guest, 'userId' | 'name'>, { principal }: Caller): Guest => ({
    userId,
    name,
    sessionId: '',
    principal: { kind: 'user', userId, sessionId: '', scopes: new Set() },
    renewToken: () => Promise.resolve(undefined),
    preview: { contentUrl: (row) => files.view.contentUrl(row, bearerOf(principal), '') },
  });

  const respondWith = ({ kind, id, query }: SharedPage, request: GuestRequest): Promise<RouteResponse> => {
    const page = pageNumber(query.get('page') ?? undefined);
    switch (kind) {
      case 'list':
        return filePages.list(page, request);
      case 'files':
        return filePages.file(id, request);
      case 'folders':
        return folderPages.folder({ sharedFolderId: id, path: query.get('path') ?? '', page }, request);
      case 'collections':
        return collectionPages.collection({ sharedCollectionId: id, page }, request);
      case 'tables':
        return viewPages.table({ sharedViewId: id, page }, request);
      case 'charts':
        return viewPages.chart({ sharedViewId: id, month: query.get('month') ?? undefined }, request);
    }
  };

  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/guests/:userId/preview',
      tag: 'Pages of guests',
      summary: 'Preview a page as a guest sees it',
      description:
        'The page that the guest would get now, as HTML: the list of what is shared, or a file, folder, collection, table or chart. It contains no forms and no links to archives or CSV files. The access log does not record the preview.',
      access: ownerOnly,
      params: previewParams,
      query: previewQuery,
      headers: pageRequestHeaders,
      responses: {
        200: {
          description: 'The page; for content that is not shared, the page that says so',
          schema: guestPreviewSchema,
        },
      },
      errors: ['not_found'],
      handler: async ({ params, query, headers, caller }) => {
        const user = users.find(params.userId);
        if (user === undefined) throw new Failure('not_found', 'There is no such guest.');
        const page = sharedPageOf(query.path);
        if (page === undefined) throw new Failure('not_found', 'This is not a guest page with shared content.');
        const guest = guestOf(user, caller);
        const { status, text } = await respondWith(page, {
          guest,
          caller,
          headers: { ...headers, accept: 'text/html' },
        });
        // Status 429 concerns the owner's own previews, not the page as the guest sees it.
        if (status === 429)
          throw new Failure('rate_limited', 'Too many previews at once. Try again when one of them has ended.', {
            headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
          });
        return json(200, { html: typeof text === 'string' ? text : '' });
      },
    }),
  ] as const;
};
