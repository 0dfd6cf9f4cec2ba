import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';

/**
 * A page as a guest sees it now. The query key begins with `files`, the topic of the PDA's change events about what is
 * shared with guests.
 * @param path path and query of the page, as in the pages' links
 */
export const guestPreview = (userId: string, path: string) =>
  queryOptions({
    queryKey: ['files', 'guest preview', userId, path],
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/guests/:userId/preview', { params: { userId }, query: { path } }, signal),
    placeholderData: keepPreviousData,
  });
