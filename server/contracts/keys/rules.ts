import { SHORT_LIVED_TOKEN_MS } from '../../wire/limits.ts';

/**
 * Delay between the creation of a key and its first signature, unless there is no older key. It exceeds the time for
 * which processes cache keys, so that all processes publish the key before it signs a token.
 */
export const PUBLISHED_BEFORE_SIGNING_MS = 10_000;
/** Time for which a replaced key stays published: until its last token expires, plus five minutes of clock skew. */
const PUBLISHED_AFTER_REPLACEMENT_MS = SHORT_LIVED_TOKEN_MS + 300_000;

/**
 * Returns the newest key that has been published long enough, otherwise the oldest key; undefined without keys.
 * @param keys oldest first
 */
export const selectSigningKey = <K extends { created: number }>(keys: readonly K[], now: number): K | undefined =>
  keys.findLast(({ created }) => created + PUBLISHED_BEFORE_SIGNING_MS <= now) ?? keys[0];

/** Returns replaced keys that need not be published any more. @param keys oldest first */
export const expiredKeys = <K extends { created: number }>(keys: readonly K[], now: number): K[] =>
  keys.filter((_, index) => {
    const next = keys[index + 1];
    return next !== undefined && next.created + PUBLISHED_BEFORE_SIGNING_MS + PUBLISHED_AFTER_REPLACEMENT_MS <= now;
  });
