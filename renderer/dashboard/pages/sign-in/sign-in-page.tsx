import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useSearchParams } from 'react-router';
import { setupState } from '../../api/queries.ts';
import { useIsSignedIn, useLastSessionEnd } from '../../../shared/api/session.ts';
import { SIGN_IN_TROUBLE_CHAPTER, isLocalHost } from '../../../shared/help/chapters.ts';
import { EntryFrame } from '../../../shared/layout/entry-frame.tsx';
import { RedirectBack, sessionEndText } from '../../../shared/layout/sign-in-parts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { SignInForm } from './sign-in-form.tsx';

const texts = m.entry.signIn;

export function SignInPage() {
  const [query] = useSearchParams();
  const isSignedIn = useIsSignedIn();
  const sessionEnd = useLastSessionEnd();
  const setup = useQuery(setupState);
  const returnPath = query.get('then');

  if (isSignedIn) return <RedirectBack to={returnPath} />;
  if (setup.data?.state === 'waiting') return <Navigate to="/setup" replace />;

  const name = setup.data?.name ?? '';
  return (
    <EntryFrame
      withLanguageLinks
      title={texts.title(name)}
      windowTitle={texts.pageTitle}
      text={sessionEndText(texts, sessionEnd, returnPath)}
    >
      <SignInForm ownerName={name} ready={!setup.isPending} />
      {isLocalHost(location.hostname) && (
        <Text mt="xl">
          <Anchor href={`/docs/${SIGN_IN_TROUBLE_CHAPTER}`} target="_blank" inherit data-standalone>
            {m.help.signIn}
          </Anchor>
        </Text>
      )}
      {setup.data?.profile === true && (
        <Text mt="xl">
          <Anchor href="/profile" inherit data-standalone>
            {texts.profile(name)}
          </Anchor>
        </Text>
      )}
    </EntryFrame>
  );
}
