import { digestJson } from '../../../../platform/json/canonical.ts';
import { COMPARED_ON_MAIN_THREAD_MAX_BYTES } from '../../../../wire/work-limits.ts';

/** 12 hexadecimal digits are 48 bits, so a fingerprint is a safe integer in JavaScript. */
const FINGERPRINT_HEX_DIGITS = 12;

/** `text` is undefined for a large value. */
export type ComparedValue = { readonly digest: string; readonly text: string | undefined };

export const isLargeJson = (json: string | Buffer): boolean =>
  Buffer.byteLength(json) > COMPARED_ON_MAIN_THREAD_MAX_BYTES;

/** Returns the fingerprint of a value. Values that differ can share it, so their digests must confirm a match. */
export const fingerprintOf = (digest: string): number => Number.parseInt(digest.slice(0, FINGERPRINT_HEX_DIGITS), 16);

/** @throws Error if the text is large and its digest is missing */
export const toComparedValue = (json: string | Buffer, digest?: string): ComparedValue => {
  if (isLargeJson(json)) {
    if (digest === undefined) throw new Error('the digest of a large JSON text must be computed in a worker thread');
    return { digest, text: undefined };
  }
  const text = json.toString();
  return { digest: digest ?? digestJson(text), text };
};
