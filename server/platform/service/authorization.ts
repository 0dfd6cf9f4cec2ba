import { Failure } from '../failure.ts';
import type { Principal } from '../auth/principal.ts';
import type { Caller, Route } from '../http/route.ts';

/** Who may call a route of a service: holders of a role, or a PDA. */

/** An account with this role; administrators have every one. */
export const withRole = <const Role extends string>(role: Role) => ({
  want: 'scopes' as const,
  of: () => [`role:${role}`] as const,
});

/** A PDA that proved by its key who it is. */
export const pdaOnly = { want: 'scopes' as const, of: () => ['pda:self'] as const };

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
export const whoMayCall = ({ access }: Route): string => {
  if (access.want === 'nothing') return 'No credentials needed.';
  if (access.want === 'token') return 'Any account, and any registered PDA.';
  if (access.want === 'owner') return 'Nobody from outside.';
  if (access.want === 'some-scope') return 'Any account.';
  const scopes = access.of({ params: {}, query: {}, body: {} });
  const roles = scopes.filter((scope) => scope.startsWith('role:')).map((scope) => scope.slice('role:'.length));
  return roles.length === 0
    ? 'PDAs, with a token that they signed for this service.'
    : `Accounts with the role ${roles.join(' and ')}.`;
};
