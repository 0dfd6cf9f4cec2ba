import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { queryClient } from '../../shared/api/query-client.ts';
import { useIsSignedIn } from '../../shared/api/session.ts';
import { SignInCheckFailed, RedirectToSignIn } from '../../shared/layout/sign-in-progress.tsx';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { useHasRole } from '../api/account.ts';
import { ownAccount } from '../api/queries.ts';
import { MessagePage } from '../components/message-page.tsx';
import { x } from '../messages/texts.ts';
import { Shell } from './shell.tsx';

/** Accounts go in; everyone else signs in first, and is then back where they were. */
export function SignInGuard() {
  const signedIn = useIsSignedIn();
  // Whatever was read belongs to the account that read it: the next one in this tab must not see it.
  useEffect(() => {
    if (!signedIn) queryClient.clear();
  }, [signedIn]);
  return signedIn ? <AccountShell /> : <RedirectToSignIn />;
}

/** Who it is decides what the frame shows. */
function AccountShell() {
  const account = useQuery(ownAccount);
  if (account.isPending) return null;
  if (account.isError) return <SignInCheckFailed product={x.product} found={account} />;
  return <Shell account={account.data} />;
}

/** A page for accounts with a role. Others read why they see nothing; the server would refuse them all the same. */
export function RoleGuard({ role, children }: { role: AccountRole; children: ReactNode }) {
  return useHasRole(role) ? children : <MessagePage {...x.notYours} />;
}
