import type { Failure } from '../../../platform/failure.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import type { AcceptProblem } from './pages/entry.ts';

/** Form problems that the guest pages explain. */

/** Status of the page that shows a problem. */
export const STATUS_OF: Readonly<Record<AcceptProblem, 400 | 403 | 429>> = {
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

/** Returns the problem of a refused attempt with a password or passkey; undefined if the page cannot explain it. */
export const attemptProblemOf = ({ code }: Failure): 'wait' | 'readable' | undefined => {
  if (code === 'rate_limited') return 'wait';
  return code === 'forbidden' ? 'readable' : undefined;
};

/** Returns the problem of a refused new password; undefined if the page cannot explain it. */
export const passwordProblemOf = (failure: Failure): 'passwordWeak' | 'wait' | 'readable' | undefined =>
  failure.code === 'invalid_input' ? 'passwordWeak' : attemptProblemOf(failure);

/** Returns the problem of a refused acceptance; undefined if the page cannot explain it. */
export const problemOf = (failure: Failure): AcceptProblem | undefined =>
  failure.code === 'already_exists' ? 'nameTaken' : passwordProblemOf(failure);

/** Returns the problem of a refused acceptance with a passkey; undefined if the page cannot explain it. */
export const passkeyProblemOf = (failure: Failure): AcceptProblem | undefined =>
  failure.code === 'invalid_input' || failure.code === 'wrong_state' ? 'passkeyRefused' : problemOf(failure);

/** Returns what is wrong with a new password and its repetition; undefined if it can be tried. */
export const newPasswordProblem = (
  password: string,
  repeat: string,
): 'passwordMissing' | 'passwordsDiffer' | undefined => {
  if (!newPasswordSchema.safeParse(password).success) return 'passwordMissing';
  return password === repeat ? undefined : 'passwordsDiffer';
};
