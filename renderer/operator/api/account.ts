import { useQuery } from '@tanstack/react-query';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { forgetToken } from '../../shared/api/session.ts';
import { type Account, call } from './client.ts';
import { ownAccount } from './queries.ts';

/** Whether an account has a role, or is an administrator's. */
export const hasRole = (account: Pick<Account, 'roles'>, role: AccountRole): boolean =>
  account.roles.includes(role) || account.roles.includes('administrator');

/** The account that is signed in. Only below the frame, which waits for it. */
export function useAccount(): Account {
  const { data } = useQuery(ownAccount);
  if (data === undefined) throw new Error('the frame shows no page before it knows the account');
  return data;
}

export function useHasRole(role: AccountRole): boolean {
  return hasRole(useAccount(), role);
}

export async function signOut(): Promise<void> {
  try {
    await call('DELETE /api/users/access_token', {});
  } catch {
    // Signing out works without the exchange too: the token is forgotten here either way.
  }
  forgetToken();
  queryClient.clear();
}
