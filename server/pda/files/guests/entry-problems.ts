import type { Failure } from '../../../platform/failure.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import type { AcceptProblem } from './pages/entry.ts';

/** Form problems that the guest pages explain. The functions return undefined for other failures. */

export const ACCEPT_STATUS_OF: Readonly<Record<AcceptProblem, 400 | 403 | 429>> = {
  nameInvalid: 400,
  nameTaken: 400,
  passwordMissing: 400,
  passwordWeak: 400,
  passwordsDiffer: 400,
  wait: 429,
  readable: 403,
  foreignForm: 403,
  passkeyRefused: 400,
};

export const attemptProblemOf = ({ code }: Failure): 'wait' | 'readable' | undefined => {
  if (code === 'rate_limited') return 'wait';
  return code === 'forbidden' ? 'readable' : undefined;
};

export const passwordProblemOf = (failure: Failure): 'passwordWeak' | 'wait' | 'readable' | undefined =>
  failure.code === 'invalid_input' ? 'passwordWeak' : attemptProblemOf(failure);

export const acceptProblemOf = (failure: Failure): AcceptProblem | undefined =>
  failure.code === 'already_exists' ? 'nameTaken' : passwordProblemOf(failure);

export const passkeyProblemOf = (failure: Failure): AcceptProblem | undefined =>
  failure.code === 'invalid_input' || failure.code === 'wrong_state' ? 'passkeyRefused' : acceptProblemOf(failure);

/** Returns undefined if the new password can be tried. */
export const newPasswordProblem = (
  password: string,
  repeat: string,
): 'passwordMissing' | 'passwordsDiffer' | undefined => {
  if (!newPasswordSchema.safeParse(password).success) return 'passwordMissing';
  return password === repeat ? undefined : 'passwordsDiffer';
};
