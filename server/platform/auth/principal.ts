/** Right of a principal, such as `records:read:fitness`. */
export type Scope = `${string}:${string}`;

export type Principal =
  | { kind: 'visitor' }
  | { kind: 'owner'; userId: string; sessionId: string }
  | { kind: 'application'; application: string; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** A person with an account on this PDA. The modules look up the user's grants by `userId`. */
  | { kind: 'user'; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  | { kind: 'contract'; contract: string; scopes: ReadonlySet<Scope> }
  | { kind: 'exchange'; scopes: ReadonlySet<Scope> }
  /** The provider of an Offer that the owner claimed. It reads the data that the claim's Data Debit shares. */
  | { kind: 'offer'; offer: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** An account of a service. The scopes are its roles, e.g. `role:marketPlace`. */
  | { kind: 'account'; accountId: string; name: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** A PDA that proved its identity to a service with its key. */
  | { kind: 'pda'; pdaId: string; address: string; scopes: ReadonlySet<Scope> };

export const ownerSessionOf = (principal: Principal): string | undefined =>
  principal.kind === 'owner' && principal.sessionId !== '' ? principal.sessionId : undefined;

export type Access<Input> =
  | { auth: 'public' }
  | { auth: 'token' }
  | { auth: 'owner' }
  /** The owner, or a principal that holds all scopes that this request needs. */
  | { auth: 'scopes'; scopesFor: (input: Input) => readonly Scope[] }
  /** The owner, or a principal that holds at least one scope with this prefix. The module checks each item. */
  | { auth: 'anyScope'; startsWith: string };

export const publicAccess = { auth: 'public' } as const;
export const anyToken = { auth: 'token' } as const;
export const ownerOnly = { auth: 'owner' } as const;

export const ANONYMOUS: Principal = { kind: 'visitor' };

/**
 * Returns a wildcard: `any:records:read:` covers every `records:read:<namespace>` and is not itself the scope of a
 * namespace.
 */
const wildcardScope = (prefix: string): Scope => `any:${prefix}`;

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

const BODY_NOT_READ = Symbol('body not read');

/** Returns false if the access rule denies access without regard to the body. Called before the body is read. */
export const canBeAllowed = <Input extends { body: unknown }>(
  principal: Principal,
  access: Access<Input>,
  input: Omit<Input, 'body'>,
): boolean => {
  const unreadInput = Object.defineProperty({ ...input }, 'body', {
    get() {
      throw BODY_NOT_READ;
    },
  });
  try {
    return decide(principal, access, unreadInput as Input) === 'allowed';
  } catch (error) {
    if (error === BODY_NOT_READ) return true;
    throw error;
  }
};

/** Decides whether the access rule of a route admits a principal. Only this function evaluates access rules. */
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
