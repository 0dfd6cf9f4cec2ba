import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearchParams } from 'react-router';
import { setupState } from '../../api/queries.ts';
import { useSignedIn } from '../../api/session.ts';
import { EntryFrame } from '../../layout/entry-frame.tsx';
import { Back } from '../../layout/signing-in.tsx';
import { m } from '../../messages/en.ts';
import { SignInForm } from './sign-in-form.tsx';

const words = m.entry.signIn;

export function SignInPage() {
  const [query] = useSearchParams();
  const signedIn = useSignedIn();
  const known = useQuery(setupState);
  const then = query.get('then');

  if (signedIn) return <Back to={then} />;
  if (known.data?.state === 'waiting') return <Navigate to="/setup" replace />;

  const name = known.data?.name ?? '';
  return (
    <EntryFrame title={words.title(name)} windowTitle={words.pageTitle} text={then === null ? undefined : words.ended}>
      <SignInForm known={name} ready={!known.isPending} />
    </EntryFrame>
  );
}
