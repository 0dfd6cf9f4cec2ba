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
const some = { auth: 'anyScope', startsWith: 'records:write:' } as const;

describe('who may call', () => {
  it('everybody, where nothing is wanted', () => {
    for (const principal of [ANONYMOUS, owner, application()])
      expect(decide(principal, publicAccess, {})).toBe('allowed');
  });

  it('no visitor, where anything is', () => {
    for (const access of [anyToken, ownerOnly, needs(), needs('records:read:a'), some]) {
      expect(decide(ANONYMOUS, access, {})).toBe('not_authenticated');
    }
  });

  it('the owner, everywhere', () => {
    for (const access of [anyToken, ownerOnly, needs('records:read:a', 'files:x'), some])
      expect(decide(owner, access, {})).toBe('allowed');
  });

  it('the owner alone, where the owner is wanted, whatever scopes others hold', () => {
    const all = application('records:read:a', 'records:write:a', 'owner:owner', 'queries:use');
    expect(decide(all, ownerOnly, {})).toBe('forbidden');
    expect(decide({ kind: 'contract', contract: 'c', scopes: new Set<Scope>(['records:read:a']) }, ownerOnly, {})).toBe(
      'forbidden',
    );
    expect(decide({ kind: 'exchange', scopes: new Set<Scope>() }, ownerOnly, {})).toBe('forbidden');
  });

  it('a user, where any token will do, and nowhere else: what they were given is looked up where it is kept', () => {
    const user: Principal = { kind: 'user', userId: 'u', sessionId: 's', scopes: new Set() };
    expect(decide(user, anyToken, {})).toBe('allowed');
    for (const access of [ownerOnly, needs('records:read:a'), some]) expect(decide(user, access, {})).toBe('forbidden');
  });

  it('an application with each of the scopes wanted, not with some of them', () => {
    const both = needs('records:read:a', 'records:write:b');
    expect(decide(application('records:read:a', 'records:write:b', 'x:y'), both, {})).toBe('allowed');
    expect(decide(application('records:read:a'), both, {})).toBe('forbidden');
    expect(decide(application(), both, {})).toBe('forbidden');
  });

  it('by whole scopes: neither a start of one, nor another case, nor a star', () => {
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

  it('any scope with the start, where some scope is wanted', () => {
    expect(decide(application('records:write:a'), some, {})).toBe('allowed');
    expect(decide(application('records:read:a', 'xrecords:write:a'), some, {})).toBe('forbidden');
    expect(decide(application(), some, {})).toBe('forbidden');
  });

  it('every scope with a start, where it holds the one that stands for them all', () => {
    const every = application('any:records:write:');
    expect(decide(every, needs('records:write:fitness', 'records:write:notes'), {})).toBe('allowed');
    expect(decide(every, some, {})).toBe('allowed');
    for (const scope of ['records:read:fitness', 'files:fitness', 'queries:use'] as const)
      expect(decide(every, needs(scope), {})).toBe('forbidden');
    expect(decide(every, ownerOnly, {})).toBe('forbidden');
    expect(decide(application('any:records:'), needs('records:write:fitness'), {})).toBe('forbidden');
  });

  it('by what the request is about', () => {
    const access = {
      auth: 'scopes',
      scopesFor: (input: { namespace: string }): Scope[] => [`records:read:${input.namespace}`],
    } as const;
    expect(decide(application('records:read:a'), access, { namespace: 'a' })).toBe('allowed');
    expect(decide(application('records:read:a'), access, { namespace: 'b' })).toBe('forbidden');
  });

  it('nobody holds a scope by the name of an object member', () => {
    for (const scope of ['__proto__:x', 'constructor:x', 'has:x'] as const)
      expect(hasScope(application(), scope)).toBe(false);
  });
});
