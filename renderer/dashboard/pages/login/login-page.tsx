import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { setupState } from '../../api/queries.ts';
import { useIsSignedIn } from '../../../shared/api/session.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { type Asked, askedOf } from './login-parameters.ts';
import { Journey } from './login-flow.tsx';
import { LoginFrame } from './login-frame.tsx';
import { publicName } from './queries.ts';

const words = m.login;

/** Sign-in to an application with this PDA: password, consent, redirect. */
export function LoginPage() {
  const [query] = useSearchParams();
  const signedIn = useIsSignedIn();
  const state = useQuery(setupState);
  const asked = askedOf(query);

  if (state.isPending) return null;
  if (state.isError) {
    return (
      <LoginFrame title={words.failed.titleHere} windowTitle={words.windowTitle('')} pda="">
        <LoadError error={state.error} retry={() => void state.refetch()} />
      </LoginFrame>
    );
  }
  if (state.data.state === 'waiting') {
    return (
      <LoginFrame title={words.notSetUp.title} windowTitle={words.windowTitle('')} pda="" text={words.notSetUp.text} />
    );
  }
  const pda = state.data.name ?? '';
  // Another address is another journey: nothing of the one before stays.
  const key = JSON.stringify(asked);
  return signedIn ? <Journey key={key} asked={asked} pda={pda} /> : <PasswordStep key={key} asked={asked} pda={pda} />;
}

function PasswordStep({ asked, pda }: { asked: Asked; pda: string }) {
  // Only a name that this PDA knows is shown: what stands in the address is anybody's text.
  const name = useQuery(publicName(asked.name)).data ?? '';
  return (
    <LoginFrame
      title={words.signIn.title(pda, name)}
      windowTitle={words.windowTitle(name)}
      pda={pda}
      text={words.signIn.here}
    >
      <SignInForm known={pda} ready submit={words.signIn.submit} />
    </LoginFrame>
  );
}
