import type { Failure } from '../../../platform/failure.ts';
import { newPasswordSchema } from '../../../wire/owner.ts';
import type { AcceptProblem } from './pages/entry.ts';

/** Problems of the forms with which guests begin: an invitation, and a link for a new password. */

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

/** Returns the problem of a refused acceptance; undefined if the page cannot explain it. */
export const problemOf = ({ code }: Failure): AcceptProblem | undefined => {
  switch (code) {
    case 'already_exists':
      return 'nameTaken';
    case 'invalid_input':
      return 'passwordWeak';
    case 'rate_limited':
      return 'wait';
    case 'forbidden':
      return 'readable';
    default:
      return undefined;
  }
};

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
