import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Navigate, useLocation } from 'react-router';
import { queryClient } from '../../api/queries.ts';
import { useSignedIn } from '../../api/session.ts';
import { Failed } from '../../components/states.tsx';
import type { AccountRole } from '../../../server/wire/exchange.ts';
import { useCan } from '../api/account.ts';
import { self } from '../api/queries.ts';
import { Plain } from '../components/plain.tsx';
import { x } from '../messages/en.ts';
import { Shell } from './shell.tsx';

/** Accounts go in; everyone else signs in first, and is then back where they were. */
export function Inside() {
  const signedIn = useSignedIn();
  const { pathname, search } = useLocation();
  // Whatever was read belongs to the account that read it: the next one in this tab must not see it.
  useEffect(() => {
    if (!signedIn) queryClient.clear();
  }, [signedIn]);
  if (signedIn) return <Known />;
  const here = pathname + search;
  return <Navigate to={here === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(here)}`} replace />;
}

/** Who it is decides what the frame shows. */
function Known() {
  const account = useQuery(self);
  if (account.isPending) return null;
  if (account.isError) {
    return (
      <main style={{ padding: '2.5rem' }}>
        <h1 hidden>{x.product}</h1>
        <Failed error={account.error} retry={() => void account.refetch()} />
      </main>
    );
  }
  return <Shell account={account.data} />;
}

/** A page for accounts with a role. Others read why they see nothing; the server would refuse them all the same. */
export function Only({ role, children }: { role: AccountRole; children: ReactNode }) {
  return useCan(role) ? children : <Plain {...x.notYours} />;
}
