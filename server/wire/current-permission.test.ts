import { describe, expect, it } from 'vitest';
import { findApprovedPermission, findCurrentPermission } from './current-permission.ts';
import type { Permission } from './debits.ts';

const permission = (permissionId: string, state: Permission['state']): Permission => ({
  permissionId,
  state,
  dateCreated: '2026-01-01T00:00:00.000Z',
  purpose: 'A test',
  start: '2026-01-01T00:00:00.000Z',
  period: 86_400,
  cancelAtPeriodEnd: false,
  termsUrl: '',
  bundle: { name: permissionId, bundle: {} },
  accepted: true,
  active: false,
  end: null,
});
const ENDED = permission('ended', 'ended');
const RUNNING = permission('running', 'running');
const NEXT = permission('next', 'scheduled');
const LAST = permission('last', 'scheduled');
const PENDING = permission('pending', 'waiting');

describe('the permissions of a Data Debit, newest request first', () => {
  it.each([
    ['a running one and later ones', [PENDING, LAST, NEXT, RUNNING, ENDED], RUNNING, LAST],
    ['only later ones', [LAST, NEXT, ENDED], NEXT, LAST],
    ['a running one', [PENDING, RUNNING, ENDED], RUNNING, RUNNING],
    ['none of both', [PENDING, ENDED], undefined, undefined],
  ])('contain the current and the approved one: %s', (_, permissions, current, approved) => {
    expect(findCurrentPermission(permissions)).toBe(current);
    expect(findApprovedPermission(permissions)).toBe(approved);
  });
});
