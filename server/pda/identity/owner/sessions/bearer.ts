import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { TokenClaims } from '../../../../platform/auth/tokens.ts';
import type { Holder } from '../store.ts';

const NO_SCOPES: ReadonlySet<Scope> = new Set();

/**
 * Creates a function that returns the principal of verified claims. The claims must match the kind of the session, so a
 * token that mixes claims of two kinds is rejected.
 */
export const createPrincipalResolver = (parts: {
  ownerId: () => string | undefined;
  holderOf: (session: string) => Holder | undefined;
  isOwnHost: (host: string) => boolean;
  isEnabled: (userId: string) => boolean;
  /** Returns undefined if the application or Offer no longer has access. */
  scopesOf: (kind: 'application' | 'offer', name: string) => ReadonlySet<Scope> | undefined;
}) => {
  const matchesSession = (claims: TokenClaims, holder: Holder): boolean => {
    const { sub, accessScope, application } = claims;
    switch (holder.kind) {
      case 'owner':
        return sub === parts.ownerId() && accessScope === 'owner' && application === undefined;
      case 'application':
        return sub === parts.ownerId() && accessScope === undefined && application === holder.application;
      case 'user':
        return sub === holder.user_id && accessScope === 'user' && application === undefined;
      case 'offer':
        return sub === parts.ownerId() && accessScope === 'offer' && application === undefined;
      case 'service':
        // The token proves the owner's identity to another service. It grants no access to this PDA.
        return false;
    }
  };

  return (claims: TokenClaims): Principal => {
    if (parts.ownerId() === undefined || !parts.isOwnHost(claims.iss)) return ANONYMOUS;
    if (claims.resource !== undefined && !parts.isOwnHost(claims.resource)) return ANONYMOUS;
    // Looked up for each request, so that a session ends immediately.
    const holder = parts.holderOf(claims.jti);
    if (holder === undefined || !matchesSession(claims, holder)) return ANONYMOUS;
    const session = { userId: claims.sub, sessionId: claims.jti };
    if (holder.kind === 'user') {
      return parts.isEnabled(claims.sub) ? { kind: 'user', ...session, scopes: NO_SCOPES } : ANONYMOUS;
    }
    if (holder.kind === 'offer') {
      const scopes = holder.offer === null ? undefined : parts.scopesOf('offer', holder.offer);
      return scopes === undefined || holder.offer === null
        ? ANONYMOUS
        : { kind: 'offer', offer: holder.offer, sessionId: claims.jti, scopes };
    }
    if (claims.application === undefined) return { kind: 'owner', ...session };
    const scopes = parts.scopesOf('application', claims.application);
    return scopes === undefined
      ? ANONYMOUS
      : { kind: 'application', application: claims.application, ...session, scopes };
  };
};
