/** What to do after the server ended without being asked. */
export type AfterCrash =
  | { readonly kind: 'restart'; readonly inMs: number; readonly quickCrashes: number }
  | { readonly kind: 'give-up'; readonly quickCrashes: number };

/** A server that was up for so long has earned a fresh count: what ended it is something new. */
export const STEADY_AFTER_MS = 60_000;
/** So many quick ends in a row, and the cause will not go away by trying once more. */
export const MAX_QUICK_CRASHES = 5;
export const FIRST_WAIT_MS = 500;
export const LONGEST_WAIT_MS = 30_000;

/**
 * Exponential backoff with jitter: 0.5 s, 1 s, 2 s, 4 s, each shortened by up to a half, so that several things that fell together do not rise
 * and fall together for ever.
 *
 * @param crash `quickCrashes`: how many came right before this one; `upMs`: how long the server answered before it ended, 0 if it never did;
 *   `random`: a number from 0 to 1
 */
export function afterCrash(
  crash: { readonly quickCrashes: number; readonly upMs: number; readonly random: number },
  maxQuickCrashes = MAX_QUICK_CRASHES,
): AfterCrash {
  const quickCrashes = crash.upMs >= STEADY_AFTER_MS ? 1 : crash.quickCrashes + 1;
  if (quickCrashes >= maxQuickCrashes) return { kind: 'give-up', quickCrashes };
  const longest = Math.min(FIRST_WAIT_MS * 2 ** (quickCrashes - 1), LONGEST_WAIT_MS);
  return { kind: 'restart', inMs: Math.round(longest * (1 - crash.random / 2)), quickCrashes };
}
