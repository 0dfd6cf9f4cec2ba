import type { Clock } from '../../../../platform/clock.ts';
import { TOKEN_VALIDITY_MS } from '../../../../wire/limits.ts';
import type { From, OwnerService } from '../../../identity/owner/service.ts';

/**
 * Tokens that go out with status checks. The service keeps the one it is given, to call this PDA with; so there is one for each application as
 * long as it is good for a while yet, and not a session for each check.
 */

/** Milliseconds for which a token must still be good when it is handed out. */
const RESERVE_MS = 24 * 3_600_000;

export type CheckTokens = {
  tokenFor(application: { id: string; version: string }): Promise<string>;
};

export const createCheckTokens = (parts: {
  /** Starts a session of an application. @throws Failure when it is not enabled */
  start: (application: { id: string; version: string }, from: From) => ReturnType<OwnerService['applicationToken']>;
  isSessionAlive: (id: string) => boolean;
  /** host[:port] of this PDA as the application last saw it in a sign-in; that of the public address before one. */
  hostFor: (id: string) => string;
  clock: Clock;
}): CheckTokens => {
  const { start, isSessionAlive, hostFor, clock } = parts;
  const kept = new Map<string, { version: string; host: string; time: number; sessionId: string; token: string }>();

  return {
    async tokenFor({ id, version }) {
      const host = hostFor(id);
      const now = clock.now();
      const last = kept.get(id);
      const good =
        last !== undefined &&
        last.version === version &&
        last.host === host &&
        Math.abs(now - last.time) < TOKEN_VALIDITY_MS - RESERVE_MS &&
        isSessionAlive(last.sessionId);
      if (good) return last.token;
      const from = { address: '', host, local: true, userAgent: 'Status check' };
      const { accessToken, sessionId } = await start({ id, version }, from);
      kept.set(id, { version, host, time: now, sessionId, token: accessToken });
      return accessToken;
    },
  };
};
