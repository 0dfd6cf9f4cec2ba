import { Checkbox, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import { Problem } from '../../../shared/api/problem.ts';
import { type SignInWays, fetchSignInWays } from '../../api/account/second-factor.ts';
import { signIn } from '../../../shared/api/session.ts';
import { isOwnerToken } from '../../api/account/token-scope.ts';
import { PasswordForm } from '../../../shared/layout/password-form.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { FactorStep } from '../second-factor/factor-step.tsx';

const words = m.entry.signIn;

interface SignInFormProps {
  /** Name of this PDA, once it is known. */
  known: string;
  /** Whether it is known by now, or will not be. */
  ready: boolean;
  submit?: string;
}

/** The owner signs in. */
export function SignInForm({ known, ready, submit = words.submit }: SignInFormProps) {
  const [keep, setKeep] = useState(false);
  const [second, setSecond] = useState<{ name: string; password: string; ways: SignInWays }>();
  const signInWith = async (name: string, password: string, factor?: string): Promise<ReactNode> => {
    const { accessToken } = await call('GET /users/access_token', {
      headers: {
        username: encodeURIComponent(name),
        password: encodeURIComponent(password),
        ...(factor === undefined ? {} : { 'x-second-factor': factor }),
      },
    });
    if (isOwnerToken(accessToken)) {
      signIn(accessToken, keep);
      return undefined;
    }
    void call('DELETE /users/access_token', { headers: { 'x-auth-token': accessToken } }).catch(() => {
      // The token of this session is discarded; the session expires if this request fails.
    });
    // The password is right, but it is not the owner's.
    return (
      <>
        <Text size="sm">{words.person(name)}</Text>
        <Text size="sm">{words.personText}</Text>
      </>
    );
  };
  const enter = async (name: string, password: string): Promise<ReactNode> => {
    const ways = await fetchSignInWays();
    // Password and factor are sent together, so that a guesser does not learn whether the password is right.
    if (ways.asked && name === known) {
      setSecond({ name, password, ways });
      return undefined;
    }
    try {
      return await signInWith(name, password);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'second_factor_required') throw error;
      setSecond({ name, password, ways });
      return undefined;
    }
  };
  if (second !== undefined) {
    const { name, password, ways } = second;
    return (
      <FactorStep
        ways={ways}
        enter={(factor) => signInWith(name, password, factor)}
        back={() => setSecond(undefined)}
      />
    );
  }
  return (
    <PasswordForm words={{ ...words, submit }} known={known} ready={ready} enter={enter}>
      <Checkbox
        label={words.keep}
        description={words.keepHint}
        checked={keep}
        onChange={(event) => setKeep(event.currentTarget.checked)}
      />
    </PasswordForm>
  );
}
