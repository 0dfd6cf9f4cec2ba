import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation } from 'react-router';
import { setupState } from '../api/queries.ts';
import { useSignedIn } from '../api/session.ts';
import { Failed } from '../components/states.tsx';
import { m } from '../messages/en.ts';
import { Shell } from './shell.tsx';

/** The owner goes in; everyone else is shown the door that fits: set-up, or signing in and then back to where one was. */
export function OwnerOnly() {
  const signedIn = useSignedIn();
  return signedIn ? <Shell /> : <Door />;
}

function Door() {
  const { pathname, search } = useLocation();
  const setup = useQuery(setupState);
  if (setup.isPending) return null;
  if (setup.isError) {
    return (
      <main style={{ padding: '2.5rem' }}>
        <h1 hidden>{m.shell.product}</h1>
        <Failed error={setup.error} retry={() => void setup.refetch()} />
      </main>
    );
  }
  if (setup.data.state === 'waiting') return <Navigate to="/setup" replace />;
  const here = pathname + search;
  return <Navigate to={here === '/' ? '/sign-in' : `/sign-in?then=${encodeURIComponent(here)}`} replace />;
}
