import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import type { Debit } from '../../../../wire/debits.ts';
import { rowsOf } from '../../access-log/recording/access-recorder.test-support.ts';
import {
  aBundle,
  aProposal,
  NOT_ENABLED,
  NOW,
  SHARED_VALUES,
  startDebits,
  storeEvents,
  type DebitCalls,
} from '../harness.test-support.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
beforeEach(async () => {
  ({ pda, owner, requester } = await startDebits());
  await storeEvents(pda);
});
afterEach(() => pda.close());

const stateFieldsOf = ({ state: debitState, active, accepted }: Debit): unknown[] => [debitState, active, accepted];

describe('the owner', () => {
  it('enables a pending permission, disables it immediately and restarts it, keeping the history', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false });
    expect(stateFieldsOf(await owner.enable('lunch'))).toStrictEqual(['enabled', true, true]);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    const runningDebit = await owner.enable('lunch');
    expect(runningDebit.permissions).toHaveLength(1);
    expect(runningDebit.end).toBeNull();

    pda.clock.advance(1000);
    const stoppedDebit = await owner.disable('lunch');
    expect([...stateFieldsOf(stoppedDebit), stoppedDebit.end]).toStrictEqual([
      'disabled',
      false,
      true,
      '2026-01-15T12:00:01.000Z',
    ]);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(1000);
    expect(await owner.disable('lunch')).toStrictEqual(stoppedDebit);
    expect(await owner.disable('lunch', true)).toStrictEqual(stoppedDebit);

    const reenabledDebit = await owner.enable('lunch');
    expect(stateFieldsOf(reenabledDebit)).toStrictEqual(['enabled', true, true]);
    expect(
      reenabledDebit.permissions.map((permission) => [permission.state, permission.start, permission.end]),
    ).toStrictEqual([
      ['running', '2026-01-15T12:00:02.000Z', null],
      ['disabled', NOW, '2026-01-15T12:00:01.000Z'],
    ]);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it('stops the running permission, and the access log names it although a request is pending', async () => {
    await requester.propose('lunch');
    const { permissionId } = (await owner.enable('lunch')).permissionsLatest;
    await requester.update('lunch', { purpose: 'More.' });
    await owner.disable('lunch');
    const [entry] = await rowsOf(pda, 'debit=lunch&act=decision');
    expect(entry).toMatchObject({
      action: 'GET /api/v2.6/data-debit/*key/disable',
      consent: { kind: 'debit', name: 'lunch', detail: permissionId },
    });
  });

  it('disables a permission at the end of its period, and can still end it immediately', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false, period: 10 });
    await owner.enable('lunch');
    pda.clock.advance(25_000);
    const stoppingDebit = await owner.disable('lunch', true);
    expect([...stateFieldsOf(stoppingDebit), stoppingDebit.end]).toStrictEqual([
      'enabled',
      true,
      true,
      '2026-01-15T12:00:30.000Z',
    ]);
    expect((await owner.findAsOwner('lunch')).endsAtPeriodEnd).toBe(true);
    pda.clock.advance(2000);
    expect(await owner.disable('lunch', true)).toStrictEqual(stoppingDebit);
    pda.clock.advance(2999);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    pda.clock.advance(1);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect((await owner.find('lunch')).state).toBe('disabled');

    await owner.enable('lunch');
    await owner.disable('lunch', true);
    pda.clock.advance(1000);
    expect((await owner.disable('lunch')).active).toBe(false);
  });

  it('restarts the granted permission, not the requested permission', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    const narrowing = { drop: [{ property: 'events', entry: 0, fields: ['hour'] }] };
    await owner.grant('lunch', { permissionId: permissionsLatest.permissionId, narrowing, period: 100 });
    const narrowedValues = { events: [{ name: 'lunch' }, { name: 'dinner' }] };
    expect(await requester.values('lunch')).toStrictEqual(narrowedValues);
    await owner.disable('lunch');
    expect((await owner.enable('lunch')).permissionsActive?.period).toBe(100);
    expect(await requester.values('lunch')).toStrictEqual(narrowedValues);
    pda.clock.advance(100_000);
    expect((await owner.enable('lunch')).active).toBe(true);
    expect(await requester.values('lunch')).toStrictEqual(narrowedValues);
  });

  it('revokes a stop that is planned for the end of the period by enabling again', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false, period: 10 });
    await owner.enable('lunch');
    await owner.disable('lunch', true);
    const reenabledDebit = await owner.enable('lunch');
    expect([reenabledDebit.active, reenabledDebit.end]).toStrictEqual([true, null]);
  });

  it('enables again after an immediate stop, and the permission still ends at the period end as planned', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false, period: 10 });
    await owner.enable('lunch');
    pda.clock.advance(13_000);
    await owner.disable('lunch', true);
    pda.clock.advance(1000);
    await owner.disable('lunch');
    pda.clock.advance(1000);
    const reenabledDebit = await owner.enable('lunch');
    expect([reenabledDebit.active, reenabledDebit.end]).toStrictEqual([true, '2026-01-15T12:00:20.000Z']);
    expect((await owner.findAsOwner('lunch')).endsAtPeriodEnd).toBe(true);
    pda.clock.advance(5000);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect((await owner.find('lunch')).state).toBe('disabled');
  });

  it('revokes a stop that is planned for the end of the period by enabling twice after an immediate stop', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false, period: 10 });
    await owner.enable('lunch');
    await owner.disable('lunch', true);
    pda.clock.advance(1000);
    await owner.disable('lunch');
    await owner.enable('lunch');
    const reenabledDebit = await owner.enable('lunch');
    expect([reenabledDebit.active, reenabledDebit.end]).toStrictEqual([true, null]);
  });

  it('cannot undo an immediate stop after the planned end has passed', async () => {
    await requester.propose('lunch', { cancelAtPeriodEnd: false, period: 10 });
    await owner.enable('lunch');
    await owner.disable('lunch', true);
    pda.clock.advance(5000);
    await owner.disable('lunch');
    pda.clock.advance(5000);
    const undoRefusal = await owner.expectRefusal('GET', 'data-debit/lunch/enable?approve=false');
    expect(undoRefusal).toStrictEqual([409, 'wrong_state']);
    expect((await owner.enable('lunch')).end).toBeNull();
  });

  it('restarts a permission with its original start and end while that end is in the future', async () => {
    await requester.propose('lunch', { period: 10 });
    await owner.enable('lunch');
    pda.clock.advance(4000);
    await owner.disable('lunch');
    pda.clock.advance(1000);
    const restartedDebit = await owner.enable('lunch');
    expect([restartedDebit.start, restartedDebit.end]).toStrictEqual([
      '2026-01-15T12:00:00.000Z',
      '2026-01-15T12:00:10.000Z',
    ]);
    pda.clock.advance(5000);
    expect((await owner.find('lunch')).state).toBe('ended');
  });

  it('cannot undo a stop after the permission would have ended', async () => {
    await requester.propose('lunch', { period: 10 });
    await owner.enable('lunch');
    pda.clock.advance(5000);
    const stoppedDebit = await owner.disable('lunch');
    pda.clock.advance(5000);
    const undoRefusal = await owner.expectRefusal('GET', 'data-debit/lunch/enable?approve=false');
    expect(undoRefusal).toStrictEqual([409, 'wrong_state']);
    expect(await owner.find('lunch')).toStrictEqual(stoppedDebit);
    expect((await owner.enable('lunch')).end).toBe('2026-01-15T12:00:20.000Z');
  });

  it('rejects a pending permission without ending the running one', async () => {
    await requester.propose('lunch');
    expect(stateFieldsOf(await owner.reject('lunch'))).toStrictEqual(['rejected', false, false]);
    expect(await owner.expectRefusal('POST', 'data-debit/lunch/reject')).toStrictEqual([409, 'wrong_state']);
    expect(await owner.expectRefusal('GET', 'data-debit/lunch/enable')).toStrictEqual([409, 'wrong_state']);
    await requester.update('lunch');
    await owner.enable('lunch');
    await requester.update('lunch', { bundle: aBundle('lunch-bundle', 'calendar/events') });
    expect(stateFieldsOf(await owner.reject('lunch'))).toStrictEqual(['enabled', true, true]);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it('removes a Data Debit permanently: sharing ends, and the history stays readable', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await requester.update('lunch');
    const removedDebit = await owner.remove('lunch');
    expect(stateFieldsOf(removedDebit)).toStrictEqual(['removed', false, true]);
    expect(removedDebit.permissions.map((permission) => permission.state)).toStrictEqual(['rejected', 'disabled']);
    expect(await owner.remove('lunch')).toStrictEqual(removedDebit);
    expect(await requester.find('lunch')).toStrictEqual(removedDebit);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect(await owner.expectRefusal('GET', 'data-debit/lunch/enable')).toStrictEqual([409, 'wrong_state']);
    expect(await requester.expectRefusal('PUT', 'data-debit/lunch', aProposal('lunch'))).toStrictEqual([
      409,
      'wrong_state',
    ]);
    expect((await owner.disable('lunch')).state).toBe('removed');
  });

  it('is the only one who can decide or see the preview', async () => {
    await requester.propose('lunch');
    for (const [method, path] of [
      ['GET', 'enable'],
      ['GET', 'disable'],
      ['GET', 'preview'],
      ['POST', 'reject'],
    ] as const)
      expect(await requester.expectRefusal(method, `data-debit/lunch/${path}`)).toStrictEqual([403, 'forbidden']);
    expect(await requester.expectRefusal('DELETE', 'data-debit/lunch')).toStrictEqual([403, 'forbidden']);
    expect((await owner.find('lunch')).state).toBe('pending');
  });

  it('receives 404 for an unknown key', async () => {
    const notFound = [404, 'not_found'];
    for (const path of ['', '/values', '/enable', '/disable', '/preview'])
      expect([path, ...(await owner.expectRefusal('GET', `data-debit/unknown${path}`))]).toStrictEqual([
        path,
        ...notFound,
      ]);
    expect(await owner.expectRefusal('POST', 'data-debit/unknown/reject')).toStrictEqual(notFound);
    expect(await owner.expectRefusal('DELETE', 'data-debit/unknown')).toStrictEqual(notFound);
    expect(await owner.expectRefusal('PUT', 'data-debit/unknown', aProposal('unknown'))).toStrictEqual(notFound);
    expect(await owner.expectRefusal('GET', 'owner/debits/unknown')).toStrictEqual(notFound);
  });
});

describe('a permission', () => {
  it('starts and ends on time, even across a restart', async () => {
    await requester.propose('lunch', { start: '2026-01-15T12:00:10Z', period: 10 });
    expect(stateFieldsOf(await owner.enable('lunch'))).toStrictEqual(['enabled', false, true]);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(9999);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(1);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await pda.restart();
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    pda.clock.advance(9999);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    pda.clock.advance(1);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect(stateFieldsOf(await owner.find('lunch'))).toStrictEqual(['ended', false, true]);
  });

  it('keeps running after its period if it renews, and states its next renewal', async () => {
    await requester.propose('lunch', { period: 10, cancelAtPeriodEnd: false });
    expect((await owner.findAsOwner('lunch')).renews).toBeNull();
    await owner.enable('lunch');
    pda.clock.advance(234_567_000);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    expect((await owner.findAsOwner('lunch')).renews).toBe('2026-01-18T05:09:30.000Z');
  });

  it('runs as approved until an update is approved', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    const updatedDebit = await requester.update('lunch', {
      bundle: aBundle('lunch-bundle', 'calendar/events'),
      requestClientName: 'Another Name',
    });
    expect(updatedDebit.permissions.map((permission) => [permission.state, permission.accepted])).toStrictEqual([
      ['waiting', false],
      ['running', true],
    ]);
    expect([updatedDebit.active, updatedDebit.permissionsActive?.bundle]).toStrictEqual([
      true,
      aProposal('lunch').bundle,
    ]);
    // The Data Debit keeps the approved name; the owner also sees the name in the pending request.
    expect(updatedDebit.requestClientName).toBe('Lunch Ltd');
    expect((await owner.findAsOwner('lunch')).pendingRequester?.requestClientName).toBe('Another Name');
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);

    const approvedDebit = await owner.enable('lunch');
    expect(approvedDebit.requestClientName).toBe('Another Name');
    expect(approvedDebit.permissions.map((permission) => permission.state)).toStrictEqual(['running', 'replaced']);
    expect((await requester.values('lunch'))['lunch-bundle']).toHaveLength(2);
  });

  it('can no longer be approved after a newer request', async () => {
    const olderDebit = await requester.propose('lunch');
    await requester.update('lunch', { bundle: aBundle('second', 'calendar/events') });
    const grant = { permissionId: olderDebit.permissionsLatest.permissionId };
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/grant', grant)).toStrictEqual([409, 'wrong_state']);
    const { permissions } = await owner.enable('lunch');
    expect(permissions.map((permission) => [permission.state, permission.bundle.name])).toStrictEqual([
      ['running', 'second'],
      ['replaced', 'lunch-bundle'],
    ]);
  });
});
