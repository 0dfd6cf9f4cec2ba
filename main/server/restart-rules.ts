export type RestartDecision =
  | { readonly kind: 'restart'; readonly restartInMs: number; readonly quickCrashes: number }
  | { readonly kind: 'give-up'; readonly quickCrashes: number };

/** A crash after this uptime restarts the count of crashes, because it probably has a different cause. */
export const STEADY_UPTIME_MS = 60_000;
/** Number of quick crashes after which the server is not restarted, because the cause evidently persists. */
export const MAX_QUICK_CRASHES = 5;
const FIRST_RESTART_DELAY_MS = 500;
export const MAX_RESTART_DELAY_MS = 30_000;

/**
 * Decides whether to restart the server, and when: exponential back-off with jitter.
 * @param crash `upMs`: uptime in milliseconds, 0 if the server never responded
 */
export function decideRestart(
  crash: { readonly quickCrashes: number; readonly upMs: number; readonly random: number },
  maxQuickCrashes = MAX_QUICK_CRASHES,
): RestartDecision {
  const quickCrashes = crash.upMs >= STEADY_UPTIME_MS ? 1 : crash.quickCrashes + 1;
  if (quickCrashes >= maxQuickCrashes) return { kind: 'give-up', quickCrashes };
  const delayMs = Math.min(FIRST_RESTART_DELAY_MS * 2 ** (quickCrashes - 1), MAX_RESTART_DELAY_MS);
  return { kind: 'restart', restartInMs: Math.round(delayMs * (1 - crash.random / 2)), quickCrashes };
}
