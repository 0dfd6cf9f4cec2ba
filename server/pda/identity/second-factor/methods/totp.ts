import { base32nopad } from '@scure/base';
import { Secret, TOTP } from 'otpauth';
import { CODE_STEP_MS, CODE_STEPS_OFF } from '../../../../wire/limits.ts';

/* Time-based one-time passwords (RFC 6238) with the parameters that every authenticator app supports. */

export const SECRET_BYTES = 20;
const DIGITS = 6;

const createTotp = (secret: Uint8Array, digits: number, label = '', issuer = ''): TOTP =>
  new TOTP({
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
    algorithm: 'SHA1',
    digits,
    period: CODE_STEP_MS / 1000,
    label,
    issuer,
  });

/** @param digits eight only for the test vectors of the RFC */
export const codeAt = (secret: Uint8Array, step: number, digits: number = DIGITS): string =>
  createTotp(secret, digits).generate({ timestamp: step * CODE_STEP_MS });

/** Returns the time step (RFC 6238, T) of a Unix time in milliseconds. */
export const stepAt = (ms: number): number => Math.floor(ms / CODE_STEP_MS);

/**
 * Returns the time step of a code. Returns undefined if the code is wrong or its step is not later than `lastStep`, so
 * that each code works once (RFC 6238, section 5.2).
 */
export const stepOf = (secret: Uint8Array, code: string, now: number, lastStep: number): number | undefined => {
  const delta = createTotp(secret, DIGITS).validate({ token: code, timestamp: now, window: CODE_STEPS_OFF });
  const step = delta === null ? undefined : stepAt(now) + delta;
  return step !== undefined && step > lastStep ? step : undefined;
};

/** Encodes the secret for manual entry (RFC 4648, base32 without padding). */
export const secretText = (secret: Uint8Array): string => base32nopad.encode(secret);

export const uriOf = (secret: Uint8Array, name: string, issuer: string): string =>
  createTotp(secret, DIGITS, name, issuer).toString();
