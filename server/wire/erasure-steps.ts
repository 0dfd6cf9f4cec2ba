import { normalizeText } from './normalize.ts';

// Steps and confirmation of an erasure. This file contains no schemas, so that the dashboard can import it without
// bundling Zod.

/** Steps of an erasure, in order. An interrupted erasure resumes at its current step. */
export const ERASURE_STEPS = ['hold', 'records', 'derived', 'files', 'traces', 'indexes', 'copies', 'scrub'] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];

const toComparable = (text: string): string => normalizeText(text, 'NFC').replace(/\s+/gu, ' ').trim();

/**
 * Returns true if a typed text confirms an erasure. Ignores spaces that a page does not show, and the Unicode form,
 * which differs between file names on macOS and typed text.
 * @param required text that the owner has to type (`typed` in the preview of the erasure)
 */
export const isConfirmation = (typed: string, required: string): boolean =>
  toComparable(typed) === toComparable(required);
