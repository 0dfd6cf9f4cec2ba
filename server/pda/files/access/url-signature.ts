import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CONTENT_URL_MS } from '../../../wire/limits.ts';

/**
 * Signed content URLs (decisions 6): `/storage/<fileId>?expires&method&by&signature`. The holder may use it for five minutes,
 * once for PUT. It names the principal it was made for, so downloads are logged as theirs and end with their right.
 */

/** Unix milliseconds are rounded to this, so that a browser that asks again gets the same address, and what it has is still good. */
const SAME_FOR_MS = 60_000;

/** For whom and in which session an address was made: `owner::<session>`, `user:<id>:<session>`, `application:<id>:<session>` or `public`. */
export type Bearer = string;

/** The kind before the first colon, the session after the last one, and the id in between; empty where there is none. */
export const bearerParts = (by: Bearer): { kind: string; id: string; session: string } => {
  const [kind = '', ...rest] = by.split(':');
  const session = rest.pop() ?? '';
  return { kind, id: rest.join(':'), session };
};

export type Signed = { fileId: string; method: 'GET' | 'PUT'; expires: number; by: Bearer; nonce: string };

export const newSecret = (): Buffer => randomBytes(32);
export const newNonce = (): string => randomBytes(18).toString('base64url');

/** Each part with its length, so that no two addresses are signed by one text. */
const signedText = ({ fileId, method, expires, by, nonce }: Signed): string =>
  [method, fileId, String(expires), by, nonce].map((part) => `${part.length}:${part}`).join('');

const signatureOf = (secret: Buffer, signed: Signed): Buffer =>
  createHmac('sha256', secret).update(signedText(signed)).digest();

export const expiryOf = (method: 'GET' | 'PUT', now: number): number =>
  (method === 'PUT' ? now : Math.floor(now / SAME_FOR_MS) * SAME_FOR_MS) + CONTENT_URL_MS;

export const signedAddress = (secret: Buffer, base: string, signed: Signed): string => {
  const query = new URLSearchParams({
    expires: String(signed.expires),
    method: signed.method,
    by: signed.by,
    signature: signatureOf(secret, signed).toString('base64url'),
  });
  return `${base}/storage/${encodeURIComponent(signed.fileId)}?${query.toString()}`;
};

export const isSignedBy = (secret: Buffer, signed: Signed, signature: string): boolean => {
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(secret, signed);
  // Spelled in the one way in which we write it: what differs in letters that mean nothing was changed.
  return given.length === right.length && timingSafeEqual(given, right) && given.toString('base64url') === signature;
};
