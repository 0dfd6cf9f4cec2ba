import { describe, expect, it } from 'vitest';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { exampleConsent } from './example.test-support.ts';
import {
  canUndoStop,
  debitStatusText,
  grantOf,
  laterPermissions,
  mainPermission,
  permissionToChange,
  permissionEndText,
} from './status-text.ts';

const NOW = new Date('2026-01-05T12:00:00.000Z');

const { permissionsLatest: example } = exampleConsent('example', {}).debit;
const permission = (permissionId: string, state: Permission['state'], day: number): Permission => ({
  ...example,
  permissionId,
  state,
  active: state === 'running',
  start: new Date(Date.UTC(2026, 0, day)).toISOString(),
});
const RUNNING = permission('running', 'running', 1);
const NEXT = permission('next', 'scheduled', 10);
const LAST = permission('last', 'scheduled', 20);
const REPLACED = permission('replaced', 'replaced', 10);

const grant = (permissionId: string): OwnerDebit['liveGrants'][number] => ({
  permissionId,
  requestedPeriod: 1,
  requestedCancelAtPeriodEnd: false,
  narrowing: { drop: [], keep: [] },
});

/** @param permissions newest first */
const consent = (permissions: Permission[]): OwnerDebit => {
  const item = exampleConsent('key', {});
  const { permissionsActive: _, ...debit } = item.debit;
  const activePermission = permissions.find((candidate) => candidate.active);
  return {
    ...item,
    debit: {
      ...debit,
      permissions,
      permissionsLatest: permissions[0] ?? example,
      ...(activePermission === undefined ? {} : { permissionsActive: activePermission }),
    },
    liveGrants: [grant('running'), grant('next'), grant('last')],
    lastGranted: grant('last'),
  };
};

describe('a consent with several permissions', () => {
  it('shows the running permission first, then later permissions by start', () => {
    const item = consent([LAST, NEXT, REPLACED, RUNNING]);
    expect([mainPermission(item), ...laterPermissions(item)]).toEqual([RUNNING, NEXT, LAST]);
  });

  it('shows the next permission first if none is running', () => {
    const item = consent([LAST, NEXT, REPLACED]);
    expect([mainPermission(item), ...laterPermissions(item)]).toEqual([NEXT, LAST]);
    expect(debitStatusText(item, NOW)).toBe(debitStatusText(consent([NEXT]), NOW));
    expect(debitStatusText(item, NOW)).not.toBe(debitStatusText(consent([LAST]), NOW));
  });

  it('can be changed by a request even while it is paused or has not started, but not after a stop', () => {
    const pausedItem = consent([{ ...RUNNING, active: false }]);
    expect(pausedItem.debit.permissionsActive).toBeUndefined();
    expect(permissionToChange(pausedItem)?.permissionId).toBe('running');
    expect(permissionToChange(consent([NEXT]))).toBe(NEXT);
    const { debit, ...item } = consent([RUNNING]);
    expect(permissionToChange({ ...item, debit: { ...debit, state: 'disabled' } })).toBeUndefined();
  });

  it('allows changes to its live permissions and, after a stop, to the last granted one', () => {
    const item = consent([LAST, NEXT, REPLACED, RUNNING]);
    expect([RUNNING, NEXT, LAST, REPLACED].map((candidate) => grantOf(item, candidate)?.permissionId)).toEqual([
      'running',
      'next',
      'last',
      undefined,
    ]);
    const stoppedConsent = { ...item, liveGrants: [] };
    expect([NEXT, LAST].map((candidate) => grantOf(stoppedConsent, candidate)?.permissionId)).toEqual([
      undefined,
      'last',
    ]);
    expect(grantOf({ ...stoppedConsent, lastGranted: null }, LAST)).toBeUndefined();
  });
});

describe('a stop', () => {
  const canceledAt = NOW.toISOString();

  it("at the end of the period is described as the owner's choice", () => {
    const stoppedPermission = { ...RUNNING, canceledAt, end: '2026-02-01T00:00:00.000Z' };
    expect(permissionEndText(stoppedPermission, NOW)).toMatch(/^Stops .*, as you chose\.$/u);
    expect(permissionEndText(RUNNING, NOW)).toMatch(/until you stop sharing\.$/u);
  });

  it('can be undone, even if the consent was stopped earlier or was to stop at the end of the period', () => {
    expect(canUndoStop(consent([NEXT, RUNNING]).debit)).toBe(true);
    expect(canUndoStop(consent([RUNNING, { ...permission('stopped', 'disabled', 1), canceledAt }]).debit)).toBe(true);
    expect(canUndoStop(consent([{ ...RUNNING, canceledAt }]).debit)).toBe(true);
  });

  it('cannot be undone if the consent was paused', () => {
    expect(canUndoStop({ ...consent([RUNNING]).debit, pausedUntil: canceledAt })).toBe(false);
  });
});
