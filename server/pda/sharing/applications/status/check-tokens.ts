import type { Clock } from '../../../../platform/clock.ts';
import { TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { RequestOrigin, OwnerService } from '../../../identity/owner/service.ts';

/**
 * Each application gets one token, which is reused until a day before it expires, because a token per check would
 * create a session per check.
 */

const MIN_REMAINING_MS = 24 * 3_600_000;

export type CheckTokens = {
  tokenFor(application: { id: string; version: string }): Promise<string>;
};

export const createCheckTokens = (parts: {
  /** @throws Failure if the application is not enabled */
  start: (
    application: { id: string; version: string },
    from: RequestOrigin,
  ) => ReturnType<OwnerService['applicationToken']>;
  isSessionAlive: (id: string) => boolean;
  /** Returns the host[:port] of the application's last sign-in, or this PDA's own host[:port] if there is none. */
  hostFor: (id: string) => string;
  clock: Clock;
}): CheckTokens => {
  const { start, isSessionAlive, hostFor, clock } = parts;
  const cache = new Map<string, { version: string; host: string; time: number; sessionId: string; token: string }>();

  return {
    async tokenFor({ id, version }) {
      const host = hostFor(id);
      const now = clock.now();
      const last = cache.get(id);
      const isReusable =
        last !== undefined &&
        last.version === version &&
        last.host === host &&
        Math.abs(now - last.time) < TOKEN_VALIDITY_MS - MIN_REMAINING_MS &&
        isSessionAlive(last.sessionId);
      if (isReusable) return last.token;
      const from = { address: '', host, local: true, userAgent: 'Status check' };
      const { accessToken, sessionId } = await start({ id, version }, from);
      cache.set(id, { version, host, time: now, sessionId, token: accessToken });
      return accessToken;
    },
  };
};
