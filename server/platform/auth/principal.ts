/**
 * Principals and access rules. Rights are data: a scope is a string such as `records:read:fitness`, a route names the
 * scopes that it requires, and `decide` alone grants or denies access.
 */

/** One right of a token. */
export type Scope = `${string}:${string}`;

/** The actor that makes a request, as determined by authentication. */
export type Principal =
  /** Anonymous: a request without a valid token. */
  | { kind: 'visitor' }
  | { kind: 'owner'; userId: string; sessionId: string }
  | { kind: 'application'; application: string; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /**
   * A person with an account on this PDA. Grants to the user are looked up by `userId` in the modules that store them.
   */
  | { kind: 'user'; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  | { kind: 'contract'; contract: string; scopes: ReadonlySet<Scope> }
  | { kind: 'exchange'; scopes: ReadonlySet<Scope> }
  /** The provider of an Offer that the owner claimed. Reads what the Data Debit of the claim shares. */
  | { kind: 'offer'; offer: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** An account of a service. The scopes are its roles, e.g. `role:marketPlace`. */
  | { kind: 'account'; accountId: string; name: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** A PDA that proved its identity to a service with its key. */
  | { kind: 'pda'; pdaId: string; address: string; scopes: ReadonlySet<Scope> };

/** Returns the ID of the owner's session; undefined for every other principal. */
export const ownerSessionOf = (principal: Principal): string | undefined =>
  principal.kind === 'owner' && principal.sessionId !== '' ? principal.sessionId : undefined;

/** The access rule of a route. */
export type Access<Input> =
  /** No credentials needed. */
  | { auth: 'public' }
  /** Any valid token. */
  | { auth: 'token' }
  /** The owner only, regardless of the scopes of other principals. */
  | { auth: 'owner' }
  /** The owner, or a principal that holds all of the scopes that this request needs. */
  | { auth: 'scopes'; scopesFor: (input: Input) => readonly Scope[] }
  /** The owner, or a principal that holds at least one scope with this prefix. The module checks each item. */
  | { auth: 'anyScope'; startsWith: string };

export const publicAccess = { auth: 'public' } as const;
export const anyToken = { auth: 'token' } as const;
export const ownerOnly = { auth: 'owner' } as const;

export const ANONYMOUS: Principal = { kind: 'visitor' };

/**
 * Returns the wildcard for all scopes with this prefix: `any:records:read:` covers every `records:read:<ns>`. It
 * cannot equal the scope of any namespace.
 */
const wildcardScope = (prefix: string): Scope => `any:${prefix}`;

/** Returns true if the principal holds the scope. The owner holds every scope. */
export const hasScope = (principal: Principal, scope: Scope): boolean => {
  if (principal.kind === 'owner') return true;
  if (principal.kind === 'visitor') return false;
  return principal.scopes.has(scope) || principal.scopes.has(wildcardScope(scope.slice(0, scope.lastIndexOf(':') + 1)));
};

const hasAnyScope = (principal: Principal, prefix: string): boolean => {
  if (principal.kind === 'owner') return true;
  if (principal.kind === 'visitor') return false;
  for (const scope of principal.scopes) if (scope.startsWith(prefix)) return true;
  return principal.scopes.has(wildcardScope(prefix));
};

export type Decision = 'allowed' | 'not_authenticated' | 'forbidden';

/** Thrown by the placeholder of a body that has not been read yet. */
const UNREAD = Symbol('unread');

/** Decides before the body is read. Returns false if access would be denied for every possible body. */
export const canBeAllowed = <Input extends { body: unknown }>(
  principal: Principal,
  access: Access<Input>,
  input: Omit<Input, 'body'>,
): boolean => {
  const unread = Object.defineProperty({ ...input }, 'body', {
    get() {
      throw UNREAD;
    },
  });
  try {
    // The placeholder has the property `body`; reading it throws.
    return decide(principal, access, unread as Input) === 'allowed';
  } catch (error) {
    if (error === UNREAD) return true;
    throw error;
  }
};

/** Grants or denies access. No other function makes this decision. */
export const decide = <Input>(principal: Principal, access: Access<Input>, input: Input): Decision => {
  if (access.auth === 'public') return 'allowed';
  if (principal.kind === 'visitor') return 'not_authenticated';
  switch (access.auth) {
    case 'token':
      return 'allowed';
    case 'owner':
      return principal.kind === 'owner' ? 'allowed' : 'forbidden';
    case 'scopes':
      return access.scopesFor(input).every((scope) => hasScope(principal, scope)) ? 'allowed' : 'forbidden';
    case 'anyScope':
      return hasAnyScope(principal, access.startsWith) ? 'allowed' : 'forbidden';
  }
};
