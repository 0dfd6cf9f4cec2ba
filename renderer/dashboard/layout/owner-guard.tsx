import { useQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { setupState } from '../api/queries.ts';
import { useIsSignedIn } from '../../shared/api/session.ts';
import { m } from '../../shared/messages/texts.ts';
import { Shell } from './shell.tsx';
import { SignInCheckError, RedirectToSignIn } from '../../shared/layout/sign-in-parts.tsx';

/** Redirects to setup, or to sign-in and back, unless the owner is signed in. */
export function OwnerGuard() {
  const isSignedIn = useIsSignedIn();
  return isSignedIn ? <Shell /> : <EntryRedirect />;
}

function EntryRedirect() {
  const setup = useQuery(setupState);
  if (setup.isPending) return null;
  if (setup.isError) return <SignInCheckError product={m.shell.product} query={setup} />;
  return setup.data.state === 'waiting' ? <Navigate to="/setup" replace /> : <RedirectToSignIn />;
}
