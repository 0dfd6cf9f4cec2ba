/** Action after a crash. */
export type AfterCrash =
  | { readonly kind: 'restart'; readonly inMs: number; readonly quickCrashes: number }
  | { readonly kind: 'give-up'; readonly quickCrashes: number };

/** Milliseconds of uptime after which the crash counter restarts: a later crash has a new cause. */
export const STEADY_AFTER_MS = 60_000;
/** Number of consecutive quick crashes after which restarts end, since the cause persists. */
export const MAX_QUICK_CRASHES = 5;
export const FIRST_WAIT_MS = 500;
export const LONGEST_WAIT_MS = 30_000;

/**
 * Exponential back-off with jitter: 0.5 s, 1 s, 2 s, 4 s, each shortened by up to a half, so that several programs
 * that failed together do not retry together.
 * @param crash `quickCrashes`: number of quick crashes before this one; `upMs`: uptime in milliseconds, 0 if the
 * server never responded; `random`: from 0 to 1
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
