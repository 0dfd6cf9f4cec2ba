import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Outlet } from 'react-router';
import { queryClient } from '../../shared/api/query-client.ts';
import { useIsSignedIn } from '../../shared/api/session.ts';
import { SignInCheckError, RedirectToSignIn } from '../../shared/layout/sign-in-parts.tsx';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { useHasRole } from '../api/account.ts';
import { ownAccount } from '../api/queries.ts';
import { MessagePage } from '../components/message-page.tsx';
import { messages } from '../messages/texts.ts';
import { Shell } from './shell.tsx';

/** Redirects to the sign-in page unless an account is signed in. After sign-in, the requested page opens. */
export function SignInGuard() {
  const isSignedIn = useIsSignedIn();
  // The next account in this tab must not see cached data of the previous account.
  useEffect(() => {
    if (!isSignedIn) queryClient.clear();
  }, [isSignedIn]);
  return isSignedIn ? <AccountShell /> : <RedirectToSignIn />;
}

function AccountShell() {
  const account = useQuery(ownAccount);
  // If reloading the account fails, the open page stays.
  if (account.data !== undefined) return <Shell account={account.data} />;
  return account.isError ? <SignInCheckError product={messages.product} query={account} /> : null;
}

/** Shows the page to accounts with the role, and a notice to all others. The server checks the role too. */
export function RoleGuard({ role }: { role: AccountRole }) {
  return useHasRole(role) ? <Outlet /> : <MessagePage {...messages.noAccess} />;
}
