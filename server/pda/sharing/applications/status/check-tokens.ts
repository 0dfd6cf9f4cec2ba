import type { Clock } from '../../../../platform/clock.ts';
import { TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { RequestOrigin, OwnerService } from '../../../identity/owner/service.ts';

// A token per check would create a session per check, so a token is reused until a day before it expires.

const MIN_REMAINING_MS = 24 * 3_600_000;

type EnabledApplication = { id: string; version: string };

export const createCheckTokens = (parts: {
  /** @throws Failure if the application is not enabled */
  startSession: (application: EnabledApplication, from: RequestOrigin) => ReturnType<OwnerService['applicationToken']>;
  isSessionAlive: (id: string) => boolean;
  /**
   * Returns the host[:port] of the application's last sign-in, or this PDA's own host[:port] if there was no sign-in or
   * if it used an address that this PDA no longer has.
   */
  hostFor: (id: string) => string;
  clock: Clock;
}) => {
  const { startSession, isSessionAlive, hostFor, clock } = parts;
  const cache = new Map<string, { version: string; host: string; time: number; sessionId: string; token: string }>();

  return {
    async tokenFor({ id, version }: EnabledApplication): Promise<string> {
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
      const { accessToken, sessionId } = await startSession({ id, version }, from);
      cache.set(id, { version, host, time: now, sessionId, token: accessToken });
      return accessToken;
    },
  };
};
