import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';
import type { Caller, Route } from '../http/route.ts';

/** Requires an account with this role. Administrators have every role. */
export const withRole = <const Role extends string>(role: Role) => ({
  auth: 'scopes' as const,
  scopesFor: () => [`role:${role}`] as const,
});

export const pdaOnly = { auth: 'scopes' as const, scopesFor: () => ['pda:self'] as const };

type Account = Extract<Principal, { kind: 'account' }>;
type Pda = Extract<Principal, { kind: 'pda' }>;

/** @throws Failure forbidden unless the principal is an account */
export const accountOf = ({ principal }: Pick<Caller, 'principal'>): Account => {
  if (principal.kind !== 'account') throw new Failure('forbidden', 'Only an account can do this.');
  return principal;
};

/** @throws Failure forbidden unless the principal is a PDA */
export const pdaOf = ({ principal }: Pick<Caller, 'principal'>): Pda => {
  if (principal.kind !== 'pda') throw new Failure('forbidden', 'Only a PDA can do this.');
  return principal;
};

export const hasRole = (principal: Principal, role: string): boolean =>
  principal.kind === 'account' && principal.scopes.has(`role:${role}`);

export const describeAccess = ({ access }: Route): string => {
  if (access.auth === 'public') return 'Requires no credentials.';
  if (access.auth === 'token') return 'Requires the token of an account or of a registered PDA.';
  if (access.auth === 'owner') return 'Cannot be called over the network.';
  if (access.auth === 'anyScope') return 'Requires the token of an account.';
  const scopes = access.scopesFor({ params: {}, query: {}, body: {} });
  const roles = scopes.filter((scope) => scope.startsWith('role:')).map((scope) => scope.slice('role:'.length));
  return roles.length === 0
    ? 'Requires a token that a PDA signed for this service.'
    : `Requires the token of an account with the role ${roles.join(' and ')}.`;
};
