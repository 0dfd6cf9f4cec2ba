import { Anchor, Checkbox, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { GUEST_PATH } from '../../../../server/wire/guest-paths.ts';
import { call } from '../../../shared/api/client.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { type SignInMethods, fetchSignInMethods } from '../../api/account/second-factor.ts';
import { signIn } from '../../../shared/api/session.ts';
import { isOwnerToken } from '../../api/account/token-scope.ts';
import { PasswordForm } from '../../../shared/layout/password-form.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { FactorStep } from '../second-factor/factor-step.tsx';

const texts = m.entry.signIn;

interface SignInFormProps {
  /** Empty until loaded. */
  ownerName: string;
  /** False while the name is loading. */
  ready: boolean;
  submitLabel?: string;
}

export function SignInForm({ ownerName, ready, submitLabel = texts.submit }: SignInFormProps) {
  const [staySignedIn, setStaySignedIn] = useState(false);
  const [pendingSignIn, setPendingSignIn] = useState<{ name: string; password: string; methods: SignInMethods }>();
  const signInWith = async (name: string, password: string, factor?: string): Promise<ReactNode> => {
    const { accessToken } = await call('GET /users/access_token', {
      headers: {
        username: encodeURIComponent(name),
        password: encodeURIComponent(password),
        ...(factor === undefined ? {} : { 'x-second-factor': factor }),
      },
    });
    if (isOwnerToken(accessToken)) {
      signIn(accessToken, staySignedIn);
      return undefined;
    }
    void call('DELETE /users/access_token', { headers: { 'x-auth-token': accessToken } }).catch(() => {
      // The token is discarded in any case. If this request fails, the session expires.
    });
    // The credentials are valid, but not those of the owner: usually those of a guest.
    return (
      <>
        <Text>{texts.person(name)}</Text>
        <Text>{texts.personText}</Text>
        <Text>
          <Anchor href={GUEST_PATH} inherit>
            {texts.personLink}
          </Anchor>
        </Text>
      </>
    );
  };
  const submitPassword = async (name: string, password: string): Promise<ReactNode> => {
    const methods = await fetchSignInMethods();
    // Password and factor are sent together, so that an attacker cannot find out whether the password is right.
    if (methods.required && name === ownerName) {
      setPendingSignIn({ name, password, methods });
      return undefined;
    }
    try {
      return await signInWith(name, password);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'second_factor_required') throw error;
      setPendingSignIn({ name, password, methods });
      return undefined;
    }
  };
  if (pendingSignIn !== undefined) {
    const { name, password, methods } = pendingSignIn;
    return (
      <FactorStep
        methods={methods}
        signInWith={(factor) => signInWith(name, password, factor)}
        back={() => setPendingSignIn(undefined)}
      />
    );
  }
  return (
    <PasswordForm
      texts={{ ...texts, submit: submitLabel }}
      initialName={ownerName}
      ready={ready}
      signIn={submitPassword}
    >
      <Checkbox
        label={texts.keep}
        description={texts.keepHint}
        checked={staySignedIn}
        onChange={(event) => setStaySignedIn(event.currentTarget.checked)}
      />
    </PasswordForm>
  );
}
