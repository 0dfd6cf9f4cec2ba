import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { refresh, routeQuery } from '../../../shared/api/query-client.ts';
import { type PreviewedPage, previewQuery } from '../sharing/preview-query.ts';

export const users = routeQuery(['users', 'list'], 'GET /users/user', {});

/** Query of a page as a guest sees it. @param path path and query of the page, such as `/guest/folders/f?page=2` */
export const guestPreview = (userId: string, path: string) =>
  queryOptions<PreviewedPage>({
    ...previewQuery('guest', userId, path),
    queryFn: ({ signal }) =>
      call('GET /api/v2.6/owner/guests/:userId/preview', { params: { userId }, query: { path } }, signal),
  });

/** Refetches users, and the sessions and file permissions that a change of a user may have removed. */
export const refreshUsers = (): Promise<void> => refresh('users', 'sessions', 'files');
