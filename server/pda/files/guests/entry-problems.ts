import type { Failure } from '../../../platform/failure.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import type { AccountProblem } from './pages/account.ts';
import type { AcceptProblem } from './pages/entry.ts';
import type { PasskeyProblem } from './pages/passkeys.ts';

type FormProblem = AcceptProblem | AccountProblem['text'] | PasskeyProblem;

const STATUS_OF: Readonly<Record<FormProblem, number>> = {
  nameInvalid: 400,
  nameTaken: 400,
  passwordInvalid: 400,
  passwordWeak: 400,
  passwordsDiffer: 400,
  passkeyRefused: 400,
  passkeyTaken: 400,
  wrongPassword: 403,
  wrongPasskey: 403,
  untrustedAddress: 403,
  foreignForm: 403,
  passkeyExists: 409,
  tooManyPasskeys: 409,
  wait: 429,
};

export const statusOfForm = (problem: FormProblem | undefined): number =>
  problem === undefined ? 200 : STATUS_OF[problem];

export const attemptProblemOf = ({ code }: Failure): 'wait' | 'untrustedAddress' | undefined => {
  if (code === 'rate_limited') return 'wait';
  return code === 'forbidden' ? 'untrustedAddress' : undefined;
};

export const passwordProblemOf = (failure: Failure): 'passwordWeak' | 'wait' | 'untrustedAddress' | undefined =>
  failure.code === 'invalid_input' ? 'passwordWeak' : attemptProblemOf(failure);

export const acceptProblemOf = (failure: Failure): AcceptProblem | undefined =>
  failure.code === 'already_exists' ? 'nameTaken' : passwordProblemOf(failure);

export const passkeyProblemOf = (failure: Failure): AcceptProblem | undefined => {
  const { code, details = [] } = failure;
  if (code === 'already_exists' && details.some(({ path }) => path === 'body.passkey')) return 'passkeyTaken';
  return code === 'invalid_input' || code === 'wrong_state' ? 'passkeyRefused' : acceptProblemOf(failure);
};

export const newPasswordProblem = (
  password: string,
  repeat: string,
): 'passwordInvalid' | 'passwordsDiffer' | undefined => {
  if (!newPasswordSchema.safeParse(password).success) return 'passwordInvalid';
  return password === repeat ? undefined : 'passwordsDiffer';
};
