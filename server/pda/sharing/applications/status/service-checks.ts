import type { Clock } from '../../../../platform/clock.ts';
import type { Log } from '../../../../platform/log.ts';
import type { SafeFetch } from '../../../../platform/outbound/safe-fetch.ts';
import type { Application } from '../../../../wire/applications.ts';
import { STATUS_CHECK_MS, STATUS_KEPT_MS } from '../../../../wire/limits.ts';
import { keyOf } from '../rules.ts';

/**
 * External status: checks whether the service behind an application responds as published. A check is one GET to a
 * third-party URL, which may hang, and there can be many. Checks therefore run concurrently, callers share a running check
 * (single-flight), and a caller with a recent outcome does not wait.
 */

export type Outcome = {
  ok: boolean;
  problem: string | null;
  /** Unix milliseconds. */
  checked: number;
};

export type StatusChecks = {
  /** The outcome for an application with External status: at hand, or after at most the time of a check. */
  outcome(application: Application): Promise<Outcome>;
  /** The last outcome, if there is one. */
  last(application: Application): Outcome | undefined;
  forget(id: string): void;
  close(): void;
};

/**
 * Milliseconds after which an outcome is too old to be shown at all. Between this and the minute for which it is good, the new check gets
 * a moment, and is not waited for when it takes longer: a page must not stand still each minute for a service that hangs.
 */
const TOO_OLD_MS = 5 * 60_000;
const MOMENT_MS = 300;

const LOOPBACK_HOST = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/u;

/** A token in clear text is anybody's on the way. */
const isInTheClear = (url: string): boolean => {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !LOOPBACK_HOST.test(parsed.hostname);
};

export type StatusCheckParts = {
  fetch: SafeFetch;
  /** A token by which the service can speak with this PDA. */
  tokenFor: (id: string) => Promise<string>;
  clock: Clock;
  log: Log;
  /** Called when an outcome differs from the previous one. */
  onChange: () => void;
};

export const createStatusChecks = (parts: StatusCheckParts): StatusChecks => {
  const { fetch, tokenFor, clock, log } = parts;
  type Kept = { question: string; outcome?: Outcome; running?: Promise<Outcome> };
  const kept = new Map<string, Kept>();
  const timers = new Set<() => void>();

  const ask = async (id: string, url: string, expected: number): Promise<string | null> => {
    if (url === '') return 'Its maker named no status address.';
    if (isInTheClear(url)) return 'Its status address is not https: a token is not sent in the clear.';
    const token = await tokenFor(id);
    const answer = await fetch(url, {
      headers: { 'x-auth-token': token },
      timeoutMs: STATUS_CHECK_MS,
      discardBody: true,
    });
    if (!answer.ok) return answer.cause;
    return answer.status === expected ? null : `It answered ${answer.status} where ${expected} was expected.`;
  };

  const start = (entry: Kept, id: string, url: string, expected: number): Promise<Outcome> => {
    const running = ask(id, url, expected)
      .catch((error: unknown) => {
        log.warn({ err: error, application: id }, 'a status check could not be made');
        return 'The check could not be made.';
      })
      .then((problem) => {
        const before = entry.outcome;
        const outcome = { ok: problem === null, problem, checked: clock.now() };
        entry.outcome = outcome;
        delete entry.running;
        if (before !== undefined && before.ok !== outcome.ok && kept.get(keyOf(id)) === entry) parts.onChange();
        return outcome;
      });
    entry.running = running;
    return running;
  };

  const moment = (): Promise<undefined> =>
    new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        timers.delete(end);
        resolve(undefined);
      };
      const timer = setTimeout(end, MOMENT_MS);
      timers.add(end);
    });

  return {
    async outcome({ id, status }) {
      const url = status.statusUrl ?? '';
      const expected = status.expectedStatus ?? 200;
      const question = `${expected} ${url}`;
      let entry = kept.get(keyOf(id));
      // Another version may have another address: what the old one answered says nothing about it.
      if (entry?.question !== question) kept.set(keyOf(id), (entry = { question }));
      const { outcome } = entry;
      const age = outcome === undefined ? Number.POSITIVE_INFINITY : Math.abs(clock.now() - outcome.checked);
      if (outcome !== undefined && age < STATUS_KEPT_MS) return outcome;
      const running = entry.running ?? start(entry, id, url, expected);
      if (outcome === undefined || age > TOO_OLD_MS) return running;
      return (await Promise.race([running, moment()])) ?? outcome;
    },
    last: ({ id }) => kept.get(keyOf(id))?.outcome,
    forget: (id) => void kept.delete(keyOf(id)),
    close() {
      for (const end of timers) end();
    },
  };
};
