import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { queryClient } from '../../api/queries.ts';
import { useSignedIn } from '../../api/session.ts';
import { NobodyKnown, ToSignIn } from '../../layout/signing-in.tsx';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { useCan } from '../api/account.ts';
import { self } from '../api/queries.ts';
import { Plain } from '../components/plain.tsx';
import { x } from '../messages/texts.ts';
import { Shell } from './shell.tsx';

/** Accounts go in; everyone else signs in first, and is then back where they were. */
export function Inside() {
  const signedIn = useSignedIn();
  // Whatever was read belongs to the account that read it: the next one in this tab must not see it.
  useEffect(() => {
    if (!signedIn) queryClient.clear();
  }, [signedIn]);
  return signedIn ? <Known /> : <ToSignIn />;
}

/** Who it is decides what the frame shows. */
function Known() {
  const account = useQuery(self);
  if (account.isPending) return null;
  if (account.isError) return <NobodyKnown product={x.product} found={account} />;
  return <Shell account={account.data} />;
}

/** A page for accounts with a role. Others read why they see nothing; the server would refuse them all the same. */
export function Only({ role, children }: { role: AccountRole; children: ReactNode }) {
  return useCan(role) ? children : <Plain {...x.notYours} />;
}
