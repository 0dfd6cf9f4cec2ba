import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearchParams } from 'react-router';
import { setupState } from '../../api/queries.ts';
import { useSignedIn } from '../../api/session.ts';
import { CANNOT_GET_IN, isAtHome } from '../../help.ts';
import { EntryFrame } from '../../layout/entry-frame.tsx';
import { Back } from '../../layout/signing-in.tsx';
import { m } from '../../messages/texts.ts';
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
    <EntryFrame
      first
      title={words.title(name)}
      windowTitle={words.pageTitle}
      text={then === null ? undefined : words.ended}
    >
      <SignInForm known={name} ready={!known.isPending} />
      {isAtHome(location.hostname) && (
        <Text size="sm" mt="xl">
          <Anchor href={`/docs/${CANNOT_GET_IN}`} target="_blank" inherit data-alone>
            {m.help.signIn}
          </Anchor>
        </Text>
      )}
      {known.data?.profile === true && (
        <Text size="sm" mt="xl">
          <Anchor href="/profile" inherit data-alone>
            {words.profile(name)}
          </Anchor>
        </Text>
      )}
    </EntryFrame>
  );
}
