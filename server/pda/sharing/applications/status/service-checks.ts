import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SafeFetch } from '../../../../platform/outbound/safe-fetch.ts';
import type { Application } from '../../../../wire/applications.ts';
import { STATUS_CHECK_MS, STATUS_CACHE_MS } from '../../../../wire/limits.ts';
import { keyOf } from '../rules.ts';

// Checks whether the service of an application responds with the published status code. A check can take seconds, so
// callers share it (single-flight), and wait only briefly if there is a recent outcome.

export type StatusCheckOutcome = {
  ok: boolean;
  problem: string | null;
  /** Unix milliseconds. */
  checked: number;
};

export type StatusChecks = ReturnType<typeof createStatusChecks>;

const MAX_STALE_MS = 5 * 60_000;
/** Maximum wait while there is an older outcome, because a hanging service must not block a page every minute. */
const STALE_WAIT_MS = 300;

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u;

const isInsecureUrl = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !LOOPBACK_HOST.test(parsed.hostname);
};

export const createStatusChecks = (parts: {
  fetch: SafeFetch;
  tokenFor: (id: string) => Promise<string>;
  clock: Clock;
  log: Log;
  onChange: () => void;
}) => {
  const { fetch, tokenFor, clock, log } = parts;
  type CachedCheck = { request: string; outcome?: StatusCheckOutcome; currentCheck?: Promise<StatusCheckOutcome> };
  const cache = new Map<string, CachedCheck>();
  /** Each callback ends one wait for a running check. */
  const pendingWaits = new Set<() => void>();

  const check = async (id: string, url: string, expectedStatus: number): Promise<string | null> => {
    if (url === '') return 'Its developer has not set a status URL.';
    if (isInsecureUrl(url)) return 'Its status URL is not https, and tokens are never sent unencrypted.';
    const token = await tokenFor(id);
    const response = await fetch(url, {
      headers: { 'x-auth-token': token },
      timeoutMs: STATUS_CHECK_MS,
      discardBody: true,
    });
    if (!response.ok) return response.cause;
    return response.status === expectedStatus
      ? null
      : `The server answered ${response.status} instead of ${expectedStatus}.`;
  };

  const start = (entry: CachedCheck, id: string, url: string, expectedStatus: number): Promise<StatusCheckOutcome> => {
    const currentCheck = check(id, url, expectedStatus)
      .catch((error: unknown) => {
        log.warn({ err: error, application: id }, 'a status check failed with an internal error');
        return 'The check failed because of an internal error. The log has details.';
      })
      .then((problem) => {
        const previous = entry.outcome;
        const outcome = { ok: problem === null, problem, checked: clock.now() };
        entry.outcome = outcome;
        delete entry.currentCheck;
        if (previous !== undefined && previous.ok !== outcome.ok && cache.get(keyOf(id)) === entry) parts.onChange();
        return outcome;
      });
    entry.currentCheck = currentCheck;
    return currentCheck;
  };

  const staleOutcomeTimeout = (): Promise<undefined> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        pendingWaits.delete(finish);
        resolve(undefined);
      };
      const timer = setTimeout(finish, STALE_WAIT_MS);
      pendingWaits.add(finish);
    });

  return {
    /**
     * Returns an outcome of the last minute, or checks the service. If the check is slow, returns an outcome of the
     * last five minutes, if there is one.
     */
    async outcome({ id, status }: Application): Promise<StatusCheckOutcome> {
      const url = status.statusUrl ?? '';
      const expectedStatus = status.expectedStatus ?? 200;
      const request = `${expectedStatus} ${url}`;
      let entry = cache.get(keyOf(id));
      // An outcome for a different URL or expected status code is discarded.
      if (entry?.request !== request) cache.set(keyOf(id), (entry = { request }));
      const { outcome } = entry;
      const ageMs = outcome === undefined ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - outcome.checked);
      if (outcome !== undefined && ageMs < STATUS_CACHE_MS) return outcome;
      const currentCheck = entry.currentCheck ?? start(entry, id, url, expectedStatus);
      if (outcome === undefined || ageMs > MAX_STALE_MS) return currentCheck;
      return (await Promise.race([currentCheck, staleOutcomeTimeout()])) ?? outcome;
    },
    lastOutcome: ({ id }: Application): StatusCheckOutcome | undefined => cache.get(keyOf(id))?.outcome,
    forget: (id: string): void => void cache.delete(keyOf(id)),
    close(): void {
      for (const finish of pendingWaits) finish();
    },
  };
};
