import { describe, expect, it } from 'vitest';
import type { Permission } from '../../../shared/api/contract.ts';
import { consentChangeOf } from './consent-change.ts';

const START = '2026-01-01T00:00:00.000Z';
const BOTH_FIELDS = { day: 'date', steps: 'steps' };
const ONE_FIELD = { day: 'date' };

const permission = (
  permissionId: string,
  mapping: Record<string, string> = BOTH_FIELDS,
  changes: Partial<Permission> = {},
): Permission => ({
  permissionId,
  state: 'running',
  dateCreated: START,
  purpose: '',
  start: START,
  period: 30,
  cancelAtPeriodEnd: true,
  termsUrl: '',
  bundle: { name: 'b', bundle: { a: { endpoints: [{ endpoint: 'fit/steps', mapping }] } } },
  accepted: true,
  active: true,
  end: null,
  ...changes,
});
/** Returns the change that the permission with the id `after` made. @param permissions newest first */
const changeOf = (...permissions: Permission[]) => consentChangeOf(permissions, 'after');

describe('consent change', () => {
  it('is narrowed, shortened, or both', () => {
    const previousPermission = permission('before');
    expect(changeOf(permission('after', ONE_FIELD), previousPermission)).toBe('narrowed');
    expect(changeOf(permission('after', BOTH_FIELDS, { period: 20 }), previousPermission)).toBe('shortened');
    expect(changeOf(permission('after', ONE_FIELD, { period: 20 }), previousPermission)).toBe('narrowedAndShortened');
  });

  it('is shortened if a renewing permission gets an end', () => {
    const renewingPermission = permission('before', BOTH_FIELDS, { cancelAtPeriodEnd: false });
    expect(changeOf(permission('after', BOTH_FIELDS, { period: 900 }), renewingPermission)).toBe('shortened');
  });

  it('is undefined if fields or time are added, or nothing changes', () => {
    expect(changeOf(permission('after'), permission('before', ONE_FIELD))).toBeUndefined();
    expect(changeOf(permission('after', ONE_FIELD, { period: 40 }), permission('before'))).toBeUndefined();
    expect(changeOf(permission('after', BOTH_FIELDS, { period: 20 }), permission('before', ONE_FIELD))).toBeUndefined();
    expect(changeOf(permission('after'), permission('before'))).toBeUndefined();
  });

  it('is based on the permission that was replaced, not on one that begins later or was declined', () => {
    const laterPermission = permission('later', ONE_FIELD, { start: '2026-01-01T00:00:10.000Z', state: 'scheduled' });
    const declinedPermission = permission('declined', ONE_FIELD, { accepted: false, state: 'rejected' });
    expect(changeOf(permission('after', ONE_FIELD), laterPermission, declinedPermission, permission('before'))).toBe(
      'narrowed',
    );
  });

  it('is undefined if the replaced permission had not started', () => {
    const start = '2026-01-01T00:00:10.000Z';
    const previousPermission = permission('before', BOTH_FIELDS, { start, grantedAt: START, state: 'replaced' });
    const newPermission = permission('after', ONE_FIELD, {
      start,
      grantedAt: '2026-01-01T00:00:02.000Z',
      state: 'scheduled',
    });
    expect(changeOf(newPermission, previousPermission)).toBeUndefined();
    expect(changeOf({ ...newPermission, state: 'running' }, previousPermission)).toBeUndefined();
    const canceledAt = '2026-01-01T00:00:05.000Z';
    expect(changeOf({ ...newPermission, canceledAt }, { ...previousPermission, canceledAt })).toBeUndefined();
  });

  it('is narrowed if the replaced permission had started, even if the new one was stopped later', () => {
    const newPermission = permission('after', ONE_FIELD, { grantedAt: '2026-01-01T00:00:02.000Z' });
    expect(changeOf(newPermission, permission('before'))).toBe('narrowed');
    expect(changeOf({ ...newPermission, canceledAt: '2026-01-01T00:00:05.000Z' }, permission('before'))).toBe(
      'narrowed',
    );
  });

  it('is undefined if the previous permission was stopped, or if either permission is unknown', () => {
    const stoppedPermission = permission('before', BOTH_FIELDS, { canceledAt: START });
    expect(changeOf(permission('after', ONE_FIELD), stoppedPermission)).toBeUndefined();
    expect(consentChangeOf([permission('after')], 'after')).toBeUndefined();
    expect(consentChangeOf([permission('before')], 'unknown')).toBeUndefined();
  });
});
