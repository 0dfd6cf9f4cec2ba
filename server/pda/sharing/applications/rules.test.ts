import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, hasScope, type Scope } from '../../../platform/auth/principal.ts';
import type { UserRole } from '../../../wire/applications.ts';
import { toPrincipal, rightsOfRoles, scopesOfRoles } from './rules.ts';

const scopes = (...roles: UserRole[]): string[] => [...scopesOfRoles(roles)].toSorted();

describe('roles', () => {
  it('grant exactly the scopes that they name, and access to the application’s own Data Debits', () => {
    expect(scopes({ role: 'namespaceread', detail: 'fitness' })).toStrictEqual(['debits:own', 'records:read:fitness']);
    expect(scopes({ role: 'namespacewrite', detail: 'fitness' })).toStrictEqual([
      'debits:own',
      'records:write:fitness',
    ]);
    expect(scopes({ role: 'managefiles', detail: 'photos' })).toStrictEqual(['debits:own', 'files:photos']);
    expect(scopes({ role: 'datadebit' })).toStrictEqual(['debits:own', 'debits:propose']);
    expect(scopes({ role: 'datadebit', detail: 'bank/one' })).toStrictEqual([
      'debits:own',
      'debits:propose:bank/one',
      'debits:read:bank/one',
    ]);
    expect(scopes()).toStrictEqual(['debits:own']);
  });

  it('are matched case-insensitively', () => {
    expect(scopes({ role: 'NamespaceRead', detail: 'Fitness' })).toContain('records:read:Fitness');
    expect(scopes({ role: 'DataDebit' })).toContain('debits:propose');
    expect(scopes({ role: 'Owner' })).toContain('queries:use');
  });

  it.each([
    [{ role: 'namespaceread' }],
    [{ role: 'namespaceread', detail: '' }],
    [{ role: 'namespaceread', detail: '*' }],
    [{ role: 'namespacewrite', detail: 'a/b' }],
    [{ role: 'namespacewrite', detail: '..' }],
    [{ role: 'namespaceread', detail: 'a:b' }],
    [{ role: 'managefiles' }],
    [{ role: 'managefiles', detail: '*' }],
    [{ role: 'datadebit', detail: '*' }],
    [{ role: 'datadebit', detail: 'a:b' }],
    [{ role: 'applicationmanage', detail: 'other' }],
    [{ role: 'retrieveapplicationtoken', detail: 'other' }],
    [{ role: 'platform' }],
    [{ role: 'datacredit', detail: 'x' }],
    [{ role: 'root' }],
    [{ role: '__proto__' }],
  ])('grant nothing if they are unsupported or their detail is invalid, and are listed as other roles: %j', (role) => {
    expect(scopes(role)).toStrictEqual(['debits:own']);
    expect(rightsOfRoles([role]).other).toHaveLength(1);
  });

  it('grant access to data and queries, but not to actions reserved for the owner, if one is `owner`', () => {
    const principal = toPrincipal('browser', scopesOfRoles([{ role: 'owner' }]));
    for (const scope of [
      'records:read:a',
      'records:write:b',
      'queries:use',
      'functions:use',
      'debits:propose',
    ] as const)
      expect(hasScope(principal, scope)).toBe(true);
    for (const scope of ['files:photos', 'debits:propose:x', 'debits:read:x'] as const)
      expect(hasScope(principal, scope)).toBe(false);
    expect(decide(principal, { auth: 'owner' }, {})).toBe('forbidden');
    expect(rightsOfRoles([{ role: 'owner' }])).toMatchObject({ actsAsOwner: true, proposesDebits: true, other: [] });
  });

  it('never grant a scope that none of them names, in any combination', () => {
    const name = fc.oneof(
      fc.constantFrom('', '*', 'fitness', 'notes', 'any:records:read:', 'records:read:x', '..', 'a/b', '__proto__'),
      fc.string({ maxLength: 12 }),
    );
    const kind = fc.constantFrom(
      'namespaceread',
      'namespacewrite',
      'managefiles',
      'datadebit',
      'datacredit',
      'verified',
    );
    const roles = fc.array(fc.record({ role: fc.oneof(kind, name), detail: fc.option(name) }), { maxLength: 6 });
    fc.assert(
      fc.property(roles, (requestedRoles) => {
        const grantableRoles = requestedRoles.filter(({ role }) => role.toLowerCase() !== 'owner');
        const hasRole = (role: string, detail: string) =>
          grantableRoles.some(
            (candidate) => candidate.role.toLowerCase() === role && (candidate.detail ?? '') === detail,
          );
        for (const scope of scopesOfRoles(grantableRoles)) {
          const reasons = [
            scope === 'debits:own',
            scope === 'debits:propose' && hasRole('datadebit', ''),
            ...(
              [
                ['records:read:', 'namespaceread'],
                ['records:write:', 'namespacewrite'],
                ['files:', 'managefiles'],
                ['debits:propose:', 'datadebit'],
                ['debits:read:', 'datadebit'],
              ] as const
            ).map(([start, role]) => scope.startsWith(start) && hasRole(role, scope.slice(start.length))),
          ];
          expect([scope, reasons.includes(true)]).toStrictEqual([scope, true]);
        }
        const broadScopes: Scope[] = ['queries:use', 'any:records:read:', 'any:records:write:'];
        expect(broadScopes.filter((scope) => scopesOfRoles(grantableRoles).has(scope))).toStrictEqual([]);
      }),
    );
  });

  it('are converted to the rights of the HTTP API', () => {
    expect(
      rightsOfRoles([
        { role: 'namespaceread', detail: 'notes' },
        { role: 'namespaceread', detail: 'fitness' },
        { role: 'namespaceread', detail: 'notes' },
        { role: 'namespacewrite', detail: 'fitness' },
        { role: 'managefiles', detail: 'photos' },
        { role: 'datadebit', detail: 'one' },
        { role: 'verified', detail: 'email' },
      ]),
    ).toStrictEqual({
      read: ['fitness', 'notes'],
      write: ['fitness'],
      files: ['photos'],
      proposesDebits: false,
      debits: ['one'],
      actsAsOwner: false,
      other: ['verified email'],
    });
    expect(rightsOfRoles([{ role: 'datadebit' }])).toMatchObject({ proposesDebits: true, debits: [] });
  });
});
