import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { sessions } from '../queries.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** Users with an account on this PDA. */
export const users = queryOptions({
  queryKey: ['users', 'list'],
  queryFn: ({ signal }) => call('GET /users/user', {}, signal),
});

/** Refetches users after a change, and the sessions and file permissions that it may have removed. */
export async function refreshUsers(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['users'] }),
    queryClient.invalidateQueries({ queryKey: sessions.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['files'] }),
  ]);
}
