import { useQuery } from '@tanstack/react-query';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { queryClient } from '../../shared/api/query-client.ts';
import { forgetToken } from '../../shared/api/session.ts';
import { type Account, call } from './client.ts';
import { ownAccount } from './queries.ts';

/** Administrators have all roles. */
export const hasRole = (account: Pick<Account, 'roles'>, role: AccountRole): boolean =>
  account.roles.includes(role) || account.roles.includes('administrator');

/** Returns the signed-in account. Only for components within `Shell`, which renders after the account has loaded. */
export function useAccount(): Account {
  const { data: account } = useQuery(ownAccount);
  if (account === undefined) throw new Error('useAccount requires a loaded account');
  return account;
}

export function useHasRole(role: AccountRole): boolean {
  return hasRole(useAccount(), role);
}

export async function signOut(): Promise<void> {
  try {
    await call('DELETE /api/users/access_token', {});
  } catch {
    // Signing out in this browser must work even if the exchange is unreachable.
  }
  forgetToken('signed-out');
  queryClient.clear();
}
