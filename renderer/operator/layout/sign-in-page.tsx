import { useSearchParams } from 'react-router';
import { signIn, useIsSignedIn, useLastSessionEnd } from '../../shared/api/session.ts';
import { EntryFrame } from '../../shared/layout/entry-frame.tsx';
import { PasswordForm } from '../../shared/layout/password-form.tsx';
import { RedirectBack, sessionEndText } from '../../shared/layout/sign-in-parts.tsx';
import { call } from '../api/client.ts';
import { messages } from '../messages/texts.ts';

const texts = messages.signIn;

async function signInWithPassword(name: string, password: string): Promise<undefined> {
  const { accessToken } = await call('GET /api/users/access_token', {
    headers: { username: encodeURIComponent(name), password: encodeURIComponent(password) },
  });
  signIn(accessToken, false);
}

export function SignInPage() {
  const [query] = useSearchParams();
  const returnPath = query.get('then');
  const sessionEnd = useLastSessionEnd();
  if (useIsSignedIn()) return <RedirectBack to={returnPath} />;
  return (
    <EntryFrame
      withLanguageLinks
      product={messages.product}
      title={texts.title}
      windowTitle={texts.pageTitle}
      text={sessionEndText(texts, sessionEnd, returnPath)}
    >
      <PasswordForm texts={texts} signIn={signInWithPassword} />
    </EntryFrame>
  );
}
