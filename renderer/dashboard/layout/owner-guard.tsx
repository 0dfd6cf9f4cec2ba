import { useQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { setupState } from '../api/queries.ts';
import { useIsSignedIn } from '../../shared/api/session.ts';
import { m } from '../../shared/messages/texts.ts';
import { Shell } from './shell.tsx';
import { SignInCheckFailed, RedirectToSignIn } from '../../shared/layout/sign-in-progress.tsx';

/** The owner goes in; everyone else is shown the door that fits: set-up, or signing in and then back to where one was. */
export function OwnerGuard() {
  const signedIn = useIsSignedIn();
  return signedIn ? <Shell /> : <EntryRedirect />;
}

function EntryRedirect() {
  const setup = useQuery(setupState);
  if (setup.isPending) return null;
  if (setup.isError) return <SignInCheckFailed product={m.shell.product} found={setup} />;
  return setup.data.state === 'waiting' ? <Navigate to="/setup" replace /> : <RedirectToSignIn />;
}
