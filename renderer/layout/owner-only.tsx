import { useQuery } from '@tanstack/react-query';
import { Navigate } from 'react-router';
import { setupState } from '../api/queries.ts';
import { useSignedIn } from '../api/session.ts';
import { m } from '../messages/texts.ts';
import { Shell } from './shell.tsx';
import { NobodyKnown, ToSignIn } from './signing-in.tsx';

/** The owner goes in; everyone else is shown the door that fits: set-up, or signing in and then back to where one was. */
export function OwnerOnly() {
  const signedIn = useSignedIn();
  return signedIn ? <Shell /> : <Door />;
}

function Door() {
  const setup = useQuery(setupState);
  if (setup.isPending) return null;
  if (setup.isError) return <NobodyKnown product={m.shell.product} found={setup} />;
  return setup.data.state === 'waiting' ? <Navigate to="/setup" replace /> : <ToSignIn />;
}
