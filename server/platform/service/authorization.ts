import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';
import type { Caller, Route } from '../http/route.ts';

/** Who may call a route of a service: holders of a role, or a PDA. */

/** An account with this role; administrators have every one. */
export const withRole = <const Role extends string>(role: Role) => ({
  auth: 'scopes' as const,
  scopesFor: () => [`role:${role}`] as const,
});

/** A PDA that proved by its key who it is. */
export const pdaOnly = { auth: 'scopes' as const, scopesFor: () => ['pda:self'] as const };

type Account = Extract<Principal, { kind: 'account' }>;
type Pda = Extract<Principal, { kind: 'pda' }>;

/** @throws Failure forbidden when the caller is no account */
export const accountOf = ({ principal }: Pick<Caller, 'principal'>): Account => {
  if (principal.kind !== 'account') throw new Failure('forbidden', 'This is for accounts.');
  return principal;
};

/** @throws Failure forbidden when the caller is no PDA */
export const pdaOf = ({ principal }: Pick<Caller, 'principal'>): Pda => {
  if (principal.kind !== 'pda') throw new Failure('forbidden', 'This is for PDAs.');
  return principal;
};

/** Whether an account has a role, or is an administrator's. */
export const hasRole = (principal: Principal, role: string): boolean =>
  principal.kind === 'account' && principal.scopes.has(`role:${role}`);

/** Who may call a route, in a sentence for the document. */
export const describeAccess = ({ access }: Route): string => {
  if (access.auth === 'public') return 'No credentials needed.';
  if (access.auth === 'token') return 'Any account, and any registered PDA.';
  if (access.auth === 'owner') return 'Nobody from outside.';
  if (access.auth === 'anyScope') return 'Any account.';
  const scopes = access.scopesFor({ params: {}, query: {}, body: {} });
  const roles = scopes.filter((scope) => scope.startsWith('role:')).map((scope) => scope.slice('role:'.length));
  return roles.length === 0
    ? 'PDAs, with a token that they signed for this service.'
    : `Accounts with the role ${roles.join(' and ')}.`;
};
