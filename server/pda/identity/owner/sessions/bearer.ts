import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { TokenClaims } from '../../../../platform/auth/tokens.ts';
import type { Holder } from '../store.ts';

const NO_SCOPES: ReadonlySet<Scope> = new Set();

export type BearerParts = {
  ownerId: () => string | undefined;
  /** Whose a session is; undefined when it has ended. */
  holderOf: (session: string) => Holder | undefined;
  isOwnHost: (host: string) => boolean;
  isEnabled: (userId: string) => boolean;
  /** The scopes of an application or an Offer; undefined when it has no access any more. */
  scopesOf: (kind: 'application' | 'offer', name: string) => ReadonlySet<Scope> | undefined;
};

/**
 * Resolves the principal of a token that one of our keys signed. The kind in its claims must match the kind of its session:
 * tokens that mix two kinds are rejected.
 */
export const createBearers = (parts: BearerParts) => {
  /** What the token of a session of this kind has to claim. */
  const fits = (claims: TokenClaims, holder: Holder): boolean => {
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
        // Made for another service to look at. Here it is good for nothing.
        return false;
    }
  };

  return (claims: TokenClaims): Principal => {
    if (parts.ownerId() === undefined || !parts.isOwnHost(claims.iss)) return ANONYMOUS;
    if (claims.resource !== undefined && !parts.isOwnHost(claims.resource)) return ANONYMOUS;
    // Looked up each time: ending a session works at once.
    const holder = parts.holderOf(claims.jti);
    if (holder === undefined || !fits(claims, holder)) return ANONYMOUS;
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
