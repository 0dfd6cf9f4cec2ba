import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { CONTENT_URL_MS } from '../../../wire/limits.ts';

// Signed URLs of content: `/storage/<fileId>?expires&method&by&signature` (docs/decisions.md, section 6). A URL is
// valid for at most five minutes, and a URL for PUT only until the content has been received.

/**
 * Step of the expiry times of URLs for GET. A principal gets the same URL for up to this long, so that its browser can
 * cache the response.
 */
const EXPIRY_STEP_MS = 60_000;

/**
 * Principal and session of a signed URL: `owner::<session>`, `user:<id>:<session>`, `application:<id>:<session>`,
 * `link:<share link>:<visit>` or `public`.
 */
export type Bearer = string;

/** Splits a bearer into its kind, id and session. Absent parts are empty. */
export const parseBearer = (bearer: Bearer): { kind: string; id: string; session: string } => {
  const [kind = '', ...fields] = bearer.split(':');
  const session = fields.pop() ?? '';
  return { kind, id: fields.join(':'), session };
};

type SignedFields = { fileId: string; method: 'GET' | 'PUT'; expires: number; bearer: Bearer; nonce: string };

const KEY_BYTES = 32;
const NONCE_BYTES = 18;

export const newNonce = (): string => randomBytes(NONCE_BYTES).toString('base64url');

/**
 * Returns a function that returns the key of signed URLs and creates it on first use.
 * @param parts.store stores a new key; a crash before the commit invalidates the URLs signed until then, which are
 *   valid for minutes only
 */
export const createUrlKeyProvider = (parts: {
  load: () => Buffer | undefined;
  store: (key: Buffer) => void;
}): (() => Buffer) => {
  let key = parts.load();
  return () => {
    if (key === undefined) {
      key = randomBytes(KEY_BYTES);
      parts.store(key);
    }
    return key;
  };
};

/** Returns the text to sign. Each part is prefixed with its length, so that different URLs never have the same text. */
const signedText = ({ fileId, method, expires, bearer, nonce }: SignedFields): string =>
  [method, fileId, String(expires), bearer, nonce].map((part) => `${part.length}:${part}`).join('');

const signatureOf = (secret: Buffer, signedFields: SignedFields): Buffer =>
  createHmac('sha256', secret).update(signedText(signedFields)).digest();

export const expiryOf = (method: 'GET' | 'PUT', now: number): number =>
  (method === 'PUT' ? now : Math.floor(now / EXPIRY_STEP_MS) * EXPIRY_STEP_MS) + CONTENT_URL_MS;

export const signUrl = (secret: Buffer, base: string, signedFields: SignedFields): string => {
  const query = new URLSearchParams({
    expires: String(signedFields.expires),
    method: signedFields.method,
    by: signedFields.bearer,
    signature: signatureOf(secret, signedFields).toString('base64url'),
  });
  return `${base}/storage/${encodeURIComponent(signedFields.fileId)}?${query.toString()}`;
};

export const isSignedBy = (secret: Buffer, signedFields: SignedFields, signature: string): boolean => {
  const actual = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secret, signedFields);
  // Decoding ignores some characters. Only the canonical encoding is accepted, so that each URL has one valid
  // signature.
  return (
    actual.length === expected.length && timingSafeEqual(actual, expected) && actual.toString('base64url') === signature
  );
};
