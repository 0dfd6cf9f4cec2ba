import { createHmac } from 'node:crypto';
import { CODE_STEP_MS, CODE_STEPS_OFF } from '../../wire/limits.ts';

/** Codes of authenticator apps: RFC 6238 with SHA-1 and thirty seconds, the one form that every app knows. */

export const SECRET_BYTES = 20;
const DIGITS = 6;
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @param digits for the RFC's own examples, which have eight */
export const codeAt = (secret: Uint8Array, step: number, digits: number = DIGITS): string => {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  // "Dynamic truncation": the last four bits say where the thirty-one bits are taken from.
  const number = mac.readUInt32BE((mac[mac.length - 1] ?? 0) & 0xf) & 0x7f_ff_ff_ff;
  return String(number % 10 ** digits).padStart(digits, '0');
};

export const stepAt = (ms: number): number => Math.floor(ms / CODE_STEP_MS);

/**
 * The step whose code this is, within what a clock may be off; undefined: it is none, or not later than one that was used. Works as long for each code.
 * @param lastStep of the code that was used last
 */
export const stepOf = (secret: Uint8Array, code: string, now: number, lastStep: number): number | undefined => {
  let found: number | undefined;
  for (let step = stepAt(now) - CODE_STEPS_OFF; step <= stepAt(now) + CODE_STEPS_OFF; step += 1) {
    if (step > lastStep && codeAt(secret, step) === code) found ??= step;
  }
  return found;
};

export const base32 = (bytes: Uint8Array): string => {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(held >>> bits) & 31];
    }
    held &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32[(held << (5 - bits)) & 31];
};

/** What apps read from the QR code. @param place where the code is for, said beside it in the app */
export const uriOf = (secret: Uint8Array, name: string, place: string): string => {
  const query = new URLSearchParams({
    secret: base32(secret),
    issuer: place,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  });
  // Apps show a plus as a plus.
  return `otpauth://totp/${encodeURIComponent(place)}:${encodeURIComponent(name)}?${query.toString().replaceAll('+', '%20')}`;
};
