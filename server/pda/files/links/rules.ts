import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { SHARE_PASS_MS } from '../../../wire/limits.ts';
import type { ShareLink } from '../../../wire/share-links.ts';
import type { ShareLinkRow } from './store.ts';

/** The token is the only secret of a link without a password, so it has 256 random bits. */
export const newShareToken = (): string => randomBytes(32).toString('base64url');
/** Returns the id of a new visit to the page of a link. A file counts as opened once per visit. */
export const newVisit = (): string => randomBytes(9).toString('base64url');

export const stateOfLink = (
  { expires, opens, opens_max: opensMax }: Pick<ShareLinkRow, 'expires' | 'opens' | 'opens_max'>,
  now: number,
): ShareLink['state'] => {
  if (expires !== null && now >= expires) return 'expired';
  return opensMax !== null && opens >= opensMax ? 'used-up' : 'active';
};

/**
 * Proof that a reader has opened the page of a link: `<visit>.<expiry>.<signature>`. It becomes invalid when the
 * password of the link changes.
 */
export type VisitPass = string;

const signatureOf = (secret: Buffer, link: ShareLinkRow, visit: string, expires: string): Buffer =>
  createHmac('sha256', secret)
    .update(['share-link', link.id, link.token, link.password_hash ?? '', visit, expires].join('\n'))
    .digest();

export const signPass = (secret: Buffer, link: ShareLinkRow, visit: string, now: number): VisitPass => {
  const expires = String(now + SHARE_PASS_MS);
  return `${visit}.${expires}.${signatureOf(secret, link, visit, expires).toString('base64url')}`;
};

/** Returns undefined if the pass is forged, expired or for another link. */
export const visitOfPass = (secret: Buffer, link: ShareLinkRow, pass: VisitPass, now: number): string | undefined => {
  const [visit = '', expires = '', signature = ''] = pass.split('.');
  const actual = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secret, link, visit, expires);
  if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return undefined;
  return now < Number(expires) ? visit : undefined;
};
