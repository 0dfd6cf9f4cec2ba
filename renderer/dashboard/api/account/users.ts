import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { sessions } from '../queries.ts';
import { queryClient } from '../../../shared/api/query-client.ts';

/** People whom the owner gave an account here. */
export const users = queryOptions({
  queryKey: ['users', 'list'],
  queryFn: ({ signal }) => call('GET /users/user', {}, signal),
});

/** After one of them was changed: their sessions may have ended, and what they were given may be gone. */
export async function refreshUsers(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['users'] }),
    queryClient.invalidateQueries({ queryKey: sessions.queryKey }),
    queryClient.invalidateQueries({ queryKey: ['files'] }),
  ]);
}
