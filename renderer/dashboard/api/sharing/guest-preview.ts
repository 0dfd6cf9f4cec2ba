import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { type PreviewedPage, previewQuery } from './preview-query.ts';

/**
 * A page as a guest sees it.
 * @param userId id of the guest
 * @param path path and query of the page, as in the pages' links
 */
export const guestPreview = (userId: string, path: string) =>
  queryOptions<PreviewedPage>({
    ...previewQuery('guest', userId, path),
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/guests/:userId/preview', { params: { userId }, query: { path } }, signal),
  });
