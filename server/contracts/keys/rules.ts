import { SHORT_LIVED_TOKEN_MS } from '../../wire/limits.ts';

/**
 * Milliseconds for which a key is published before it signs: longer than any process goes on with the keys that it knows, so that no token is seen whose key
 * cannot be had yet.
 */
export const PUBLISHED_FIRST_MS = 10_000;
/** Milliseconds for which a key is published after another took its place: until what it signed last is over, and a little for clocks that differ. */
export const PUBLISHED_AFTER_MS = SHORT_LIVED_TOKEN_MS + 300_000;

/** The key that signs now: the newest that was published long enough, or the oldest that there is. Keys come oldest first. */
export const signerOf = <K extends { created: number }>(keys: readonly K[], now: number): K | undefined =>
  keys.findLast(({ created }) => created + PUBLISHED_FIRST_MS <= now) ?? keys[0];

/** Keys of which no token can be good any more. */
export const outdated = <K extends { created: number }>(keys: readonly K[], now: number): K[] =>
  keys.filter((_, index) => {
    const next = keys[index + 1];
    return next !== undefined && next.created + PUBLISHED_FIRST_MS + PUBLISHED_AFTER_MS <= now;
  });
