import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { setupState } from '../../api/queries.ts';
import { useIsSignedIn } from '../../../shared/api/session.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { SignInForm } from '../sign-in/sign-in-form.tsx';
import { type LoginParameters, parseLoginParameters } from './login-parameters.ts';
import { LoginFlow } from './login-flow.tsx';
import { LoginFrame } from './login-frame.tsx';
import { publicName } from './queries.ts';

const texts = m.login;

export function LoginPage() {
  const [query] = useSearchParams();
  const isSignedIn = useIsSignedIn();
  const state = useQuery(setupState);
  const parameters = parseLoginParameters(query);

  if (state.isPending) return null;
  if (state.isError) {
    return (
      <LoginFrame title={texts.failed.titleHere} windowTitle={texts.windowTitle('')} pdaName="">
        <LoadError error={state.error} retry={() => void state.refetch()} />
      </LoginFrame>
    );
  }
  if (state.data.state === 'waiting') {
    return (
      <LoginFrame
        title={m.entry.setup.notSetUp.title}
        windowTitle={texts.windowTitle('')}
        pdaName=""
        text={texts.notSetUp.text}
      />
    );
  }
  const pdaName = state.data.name ?? '';
  // Changed parameters start a new login flow without previous state.
  const key = JSON.stringify(parameters);
  return isSignedIn ? (
    <LoginFlow key={key} parameters={parameters} pdaName={pdaName} />
  ) : (
    <SignInStep key={key} parameters={parameters} pdaName={pdaName} />
  );
}

function SignInStep({ parameters, pdaName }: { parameters: LoginParameters; pdaName: string }) {
  // Shows only names that this PDA knows, because the URL may contain arbitrary text.
  const name = useQuery(publicName(parameters.name)).data ?? '';
  return (
    <LoginFrame
      title={texts.signIn.title(pdaName, name)}
      windowTitle={texts.windowTitle(name)}
      pdaName={pdaName}
      text={texts.signIn.ownPda}
    >
      <SignInForm ownerName={pdaName} ready submitLabel={texts.signIn.submit} />
    </LoginFrame>
  );
}
