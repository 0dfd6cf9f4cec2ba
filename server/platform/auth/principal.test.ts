import { describe, expect, it } from 'vitest';
import {
  publicAccess,
  anyToken,
  decide,
  hasScope,
  ownerOnly,
  ANONYMOUS,
  type Principal,
  type Scope,
} from './principal.ts';

const application = (...scopes: Scope[]): Principal => ({
  kind: 'application',
  application: 'notes',
  userId: 'u',
  sessionId: 's',
  scopes: new Set(scopes),
});
const owner: Principal = { kind: 'owner', userId: 'u', sessionId: 's' };
const needs = (...scopes: Scope[]) => ({ auth: 'scopes', scopesFor: () => scopes }) as const;
const anyWriteScope = { auth: 'anyScope', startsWith: 'records:write:' } as const;

describe('access rules', () => {
  it('allow everyone on public routes', () => {
    for (const principal of [ANONYMOUS, owner, application()])
      expect(decide(principal, publicAccess, {})).toBe('allowed');
  });

  it('deny anonymous callers on all other routes', () => {
    for (const access of [anyToken, ownerOnly, needs(), needs('records:read:a'), anyWriteScope]) {
      expect(decide(ANONYMOUS, access, {})).toBe('not_authenticated');
    }
  });

  it('allow the owner everywhere', () => {
    for (const access of [anyToken, ownerOnly, needs('records:read:a', 'files:x'), anyWriteScope])
      expect(decide(owner, access, {})).toBe('allowed');
  });

  it('allow only the owner on owner routes, regardless of scopes', () => {
    const allScopes = application('records:read:a', 'records:write:a', 'owner:owner', 'queries:use');
    expect(decide(allScopes, ownerOnly, {})).toBe('forbidden');
    expect(decide({ kind: 'contract', contract: 'c', scopes: new Set<Scope>(['records:read:a']) }, ownerOnly, {})).toBe(
      'forbidden',
    );
    expect(decide({ kind: 'exchange', scopes: new Set<Scope>() }, ownerOnly, {})).toBe('forbidden');
  });

  it('allow a user only on routes for any token: grants are checked by the modules', () => {
    const user: Principal = { kind: 'user', userId: 'u', sessionId: 's', scopes: new Set() };
    expect(decide(user, anyToken, {})).toBe('allowed');
    for (const access of [ownerOnly, needs('records:read:a'), anyWriteScope])
      expect(decide(user, access, {})).toBe('forbidden');
  });

  it('require all of the scopes, not only some', () => {
    const needsBoth = needs('records:read:a', 'records:write:b');
    expect(decide(application('records:read:a', 'records:write:b', 'x:y'), needsBoth, {})).toBe('allowed');
    expect(decide(application('records:read:a'), needsBoth, {})).toBe('forbidden');
    expect(decide(application(), needsBoth, {})).toBe('forbidden');
  });

  it('compare whole scopes: a prefix, a different case or an asterisk does not match', () => {
    const access = needs('records:read:fitness');
    for (const scope of [
      'records:read:fit',
      'records:read:fitness2',
      'records:read:Fitness',
      'records:read:*',
      'records:read:',
      'records:write:fitness',
    ] as const) {
      expect(decide(application(scope), access, {})).toBe('forbidden');
    }
  });

  it('accept any scope with the prefix for anyScope', () => {
    expect(decide(application('records:write:a'), anyWriteScope, {})).toBe('allowed');
    expect(decide(application('records:read:a', 'xrecords:write:a'), anyWriteScope, {})).toBe('forbidden');
    expect(decide(application(), anyWriteScope, {})).toBe('forbidden');
  });

  it('treat a wildcard as the scope of every namespace with exactly its prefix', () => {
    const anyWriter = application('any:records:write:');
    expect(decide(anyWriter, needs('records:write:fitness', 'records:write:notes'), {})).toBe('allowed');
    expect(decide(anyWriter, anyWriteScope, {})).toBe('allowed');
    for (const scope of ['records:read:fitness', 'files:fitness', 'queries:use'] as const)
      expect(decide(anyWriter, needs(scope), {})).toBe('forbidden');
    expect(decide(anyWriter, ownerOnly, {})).toBe('forbidden');
    expect(decide(application('any:records:'), needs('records:write:fitness'), {})).toBe('forbidden');
  });

  it('derive the scopes from the request', () => {
    const access = {
      auth: 'scopes',
      scopesFor: (input: { namespace: string }): Scope[] => [`records:read:${input.namespace}`],
    } as const;
    expect(decide(application('records:read:a'), access, { namespace: 'a' })).toBe('allowed');
    expect(decide(application('records:read:a'), access, { namespace: 'b' })).toBe('forbidden');
  });

  it('do not treat names of object members as scopes', () => {
    for (const scope of ['__proto__:x', 'constructor:x', 'has:x'] as const)
      expect(hasScope(application(), scope)).toBe(false);
  });
});
