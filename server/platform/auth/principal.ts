/**
 * Who calls, and whether they may. Rights are data: a scope is a string such as `records:read:fitness`, a route names the
 * scope that it wants, and the one function below decides.
 */

export type Scope = `${string}:${string}`;

export type Principal =
  | { kind: 'visitor' }
  | { kind: 'owner'; userId: string; sessionId: string }
  | { kind: 'application'; application: string; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** Somebody whom the owner knows by name. What they were given is looked up where it is kept, by `userId`. */
  | { kind: 'user'; userId: string; sessionId: string; scopes: ReadonlySet<Scope> }
  | { kind: 'contract'; contract: string; scopes: ReadonlySet<Scope> }
  | { kind: 'exchange'; scopes: ReadonlySet<Scope> }
  /** The provider of an Offer that the owner claimed: reads what the one Data Debit of the claim shares. */
  | { kind: 'offer'; offer: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** Who was given an account at a service; the scopes are its roles, `role:marketPlace`. */
  | { kind: 'account'; accountId: string; name: string; sessionId: string; scopes: ReadonlySet<Scope> }
  /** A PDA that proved by its key who it is, as a service knows it. */
  | { kind: 'pda'; pdaId: string; address: string; scopes: ReadonlySet<Scope> };

/** Id of the owner session that calls; undefined for every other caller. */
export const ownerSessionOf = (principal: Principal): string | undefined =>
  principal.kind === 'owner' && principal.sessionId !== '' ? principal.sessionId : undefined;

/** What a route asks of its caller. */
export type Access<Input> =
  /** No credentials needed. */
  | { want: 'nothing' }
  /** Any valid token. */
  | { want: 'token' }
  /** The owner alone, whatever scopes others hold. */
  | { want: 'owner' }
  /** The owner, or whoever holds each of the scopes that this request needs. */
  | { want: 'scopes'; of: (input: Input) => readonly Scope[] }
  /** The owner, or whoever holds at least one scope that starts so; the room checks each item. */
  | { want: 'some-scope'; startsWith: string };

export const anyone = { want: 'nothing' } as const;
export const anyToken = { want: 'token' } as const;
export const ownerOnly = { want: 'owner' } as const;

export const VISITOR: Principal = { kind: 'visitor' };

/** The scope that stands for every scope with this start, `any:records:read:` for every `records:read:<ns>`. No name can spell it. */
const anyOf = (start: string): Scope => `any:${start}`;

/** Whether this caller holds the scope. The owner holds every one. */
export const holds = (principal: Principal, scope: Scope): boolean => {
  if (principal.kind === 'owner') return true;
  if (principal.kind === 'visitor') return false;
  return principal.scopes.has(scope) || principal.scopes.has(anyOf(scope.slice(0, scope.lastIndexOf(':') + 1)));
};

const holdsSome = (principal: Principal, start: string): boolean => {
  if (principal.kind === 'owner') return true;
  if (principal.kind === 'visitor') return false;
  for (const scope of principal.scopes) if (scope.startsWith(start)) return true;
  return principal.scopes.has(anyOf(start));
};

export type Decision = 'allowed' | 'not_authenticated' | 'forbidden';

/** Thrown by what stands for a body that has not been read. */
const UNREAD = Symbol('unread');

/** What can be said before a body is read: false when no body at all would make it allowed. */
export const mayAtAll = <Input extends { body: unknown }>(
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
    // The body is there, and says that it is not known yet.
    return decide(principal, access, unread as Input) === 'allowed';
  } catch (error) {
    if (error === UNREAD) return true;
    throw error;
  }
};

/** The only place where a caller is let through or refused. */
export const decide = <Input>(principal: Principal, access: Access<Input>, input: Input): Decision => {
  if (access.want === 'nothing') return 'allowed';
  if (principal.kind === 'visitor') return 'not_authenticated';
  switch (access.want) {
    case 'token':
      return 'allowed';
    case 'owner':
      return principal.kind === 'owner' ? 'allowed' : 'forbidden';
    case 'scopes':
      return access.of(input).every((scope) => holds(principal, scope)) ? 'allowed' : 'forbidden';
    case 'some-scope':
      return holdsSome(principal, access.startsWith) ? 'allowed' : 'forbidden';
  }
};
