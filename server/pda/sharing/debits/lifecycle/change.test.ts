import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { receiptSchema } from '../../../../wire/debits.ts';
import {
  NOT_ENABLED,
  NOW,
  SHARED_VALUES,
  aBundle,
  startDebits,
  storeEvents,
  type DebitCalls,
  type DebitTest,
} from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let proposeAndEnable: DebitTest['proposeAndEnable'];
beforeEach(async () => {
  ({ pda, owner, requester, proposeAndEnable } = await startDebits());
  await storeEvents(pda);
});
afterEach(() => pda.close());

const WITHOUT_HOUR = { drop: [{ property: 'events', entry: 0, fields: ['hour'] }] };
const NAMES_ONLY = { events: [{ name: 'lunch' }, { name: 'dinner' }] };
/** Returns the ISO 8601 time `seconds` after the start of the test. */
const secondsLater = (seconds: number): string => new Date(Date.parse(NOW) + seconds * 1000).toISOString();

const grantedId = async (): Promise<string> =>
  (await owner.find('lunch')).permissions.find(({ accepted }) => accepted)?.permissionId ?? '';
const change = async (changes: { narrowing?: unknown; end?: string }) =>
  (await owner.change('lunch', { permissionId: await grantedId(), ...changes })).debit;
const expectRefusedChange = async (changes: object) =>
  owner.expectRefusal('POST', 'owner/debits/lunch/change', { permissionId: await grantedId(), ...changes });
const historyEvents = async (): Promise<string[]> => {
  const { receipt } = receiptSchema.parse((await owner.call('GET', 'owner/debits/lunch/receipt')).json);
  return (receipt as { history: { event: string }[] }).history.map(({ event }) => event);
};

describe('a change of a running permission', () => {
  it('narrows the shared data immediately, and can widen it up to the request', async () => {
    await proposeAndEnable({ period: 30 });
    pda.clock.advance(1000);
    const narrowedDebit = await change({ narrowing: WITHOUT_HOUR });
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    expect(narrowedDebit.permissions.map(({ state, start, end }) => [state, start, end])).toStrictEqual([
      ['running', NOW, secondsLater(30)],
      ['replaced', NOW, '2026-01-15T12:00:01.000Z'],
    ]);
    await change({});
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    expect(await historyEvents()).toStrictEqual(['created', 'enabled', 'updated', 'updated']);
  });

  it('moves the end, but never beyond the requested end', async () => {
    await proposeAndEnable({ period: 30 });
    expect((await change({ end: secondsLater(10) })).end).toBe(secondsLater(10));
    expect(await expectRefusedChange({ end: secondsLater(31) })).toStrictEqual([400, 'invalid_input']);
    expect(await expectRefusedChange({ end: NOW })).toStrictEqual([400, 'invalid_input']);
    expect((await change({ end: secondsLater(30) })).end).toBe(secondsLater(30));
    expect((await change({ end: secondsLater(1) })).end).toBe(secondsLater(1));
    pda.clock.advance(1000);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect((await owner.find('lunch')).state).toBe('ended');
  });

  it('can give a renewing permission an end, and otherwise keeps its periods', async () => {
    await proposeAndEnable({ period: 30, cancelAtPeriodEnd: false });
    pda.clock.advance(45 * 1000);
    await change({ narrowing: WITHOUT_HOUR });
    expect((await owner.findAsOwner('lunch')).renews).toBe(secondsLater(60));
    expect((await change({ end: secondsLater(100) })).end).toBe(secondsLater(100));
    expect((await owner.findAsOwner('lunch')).renews).toBeNull();
    await change({});
    expect((await owner.findAsOwner('lunch')).renews).toBe(secondsLater(60));
  });

  it('changes nothing if the grant is the same', async () => {
    const debit = await proposeAndEnable({ period: 30 });
    expect(await change({})).toStrictEqual(debit);
    expect(await change({ end: secondsLater(30) })).toStrictEqual(debit);
  });

  it('is refused if it leaves no data, names an unknown field, or refers to a replaced permission', async () => {
    const { permissionsLatest } = await proposeAndEnable({ period: 30 });
    const dropEverything = { drop: [{ property: 'events', entry: 0 }] };
    const dropUnknownField = { drop: [{ property: 'events', entry: 0, fields: ['secret'] }] };
    for (const narrowing of [dropEverything, dropUnknownField])
      expect(await expectRefusedChange({ narrowing })).toStrictEqual([400, 'invalid_input']);
    await change({ narrowing: WITHOUT_HOUR });
    const outdatedChange = { permissionId: permissionsLatest.permissionId };
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/change', outdatedChange)).toStrictEqual([
      409,
      'wrong_state',
    ]);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
  });

  it('keeps a pending request with the same terms', async () => {
    await proposeAndEnable({ period: 30 });
    const wholeRecords = aBundle('lunch-bundle', 'calendar/events');
    pda.clock.advance(1000);
    const permissionBefore = (await requester.update('lunch', { bundle: wholeRecords })).permissionsLatest;
    pda.clock.advance(1000);
    const changedDebit = await change({ narrowing: WITHOUT_HOUR });
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    const { permissionId } = changedDebit.permissionsLatest;
    expect(changedDebit.permissionsLatest).toStrictEqual({ ...permissionBefore, permissionId });
    expect((await owner.grant('lunch', { permissionId })).debit.active).toBe(true);
    expect((await requester.values('lunch'))['lunch-bundle']).toHaveLength(2);
  });

  it('can be made only by the owner', async () => {
    await proposeAndEnable({ period: 30 });
    const body = { permissionId: await grantedId(), narrowing: WITHOUT_HOUR };
    expect(await requester.expectRefusal('POST', 'owner/debits/lunch/change', body)).toStrictEqual([403, 'forbidden']);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'applies to 20 concurrent readers once it is acknowledged, and survives a restart',
    async () => {
      await proposeAndEnable({ period: 30 });
      let isChanged = false;
      let responseCount = 0;
      const read = async (): Promise<void> => {
        for (let readsAfterChange = 0; readsAfterChange < 5;) {
          const startedAfterChange = isChanged;
          const reply = await requester.call('GET', 'data-debit/lunch/values');
          responseCount += 1;
          if (!startedAfterChange) continue;
          readsAfterChange += 1;
          expect(reply.status).toBe(200);
          expect(reply.text).not.toContain('hour');
        }
      };
      const readers = Promise.all(Array.from({ length: 20 }, read));
      await expect.poll(() => responseCount).toBeGreaterThan(40);
      await change({ narrowing: WITHOUT_HOUR });
      isChanged = true;
      await readers;
      await pda.restart();
      expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    },
  );
});

describe('a change while a newer permission is scheduled', () => {
  /** Grants a permission that runs for 30 seconds, and another that replaces it after 10 seconds. */
  const grantBoth = async (): Promise<{ running: string; scheduled: string }> => {
    await proposeAndEnable({ period: 30 });
    pda.clock.advance(1000);
    await requester.update('lunch', { period: 30, start: secondsLater(10) });
    await owner.enable('lunch');
    const { liveGrants } = await owner.findAsOwner('lunch');
    const [running = '', scheduled = ''] = liveGrants.map(({ permissionId }) => permissionId);
    return { running, scheduled };
  };

  it('narrows the running permission, and keeps the scheduled permission and a pending request', async () => {
    const { running } = await grantBoth();
    await requester.update('lunch', { bundle: aBundle('lunch-bundle', 'calendar/events') });
    const ownerDebit = await owner.change('lunch', { permissionId: running, narrowing: WITHOUT_HOUR });
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    const { permissions } = ownerDebit.debit;
    expect(permissions.map(({ state }) => state)).toStrictEqual([
      'waiting',
      'scheduled',
      'running',
      'replaced',
      'replaced',
      'replaced',
    ]);
    const ids = permissions.map(({ permissionId }) => permissionId);
    expect([ownerDebit.waiting, ownerDebit.lastGranted?.permissionId]).toStrictEqual(ids.slice(0, 2));
    expect(ownerDebit.liveGrants.map(({ permissionId }) => permissionId)).toStrictEqual([ids[2], ids[1]]);
    expect(await historyEvents()).toStrictEqual(['created', 'enabled', 'updated', 'enabled', 'updated', 'updated']);
    pda.clock.advance(9000);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    const { liveGrants } = await owner.findAsOwner('lunch');
    expect(liveGrants.map(({ permissionId }) => permissionId)).toStrictEqual([ids[1]]);
  });

  it('ends the running permission earlier; the scheduled permission starts as agreed and can be stopped', async () => {
    const { running } = await grantBoth();
    await owner.change('lunch', { permissionId: running, end: secondsLater(5) });
    pda.clock.advance(4000);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(5000);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await owner.disable('lunch');
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
  });

  it('narrows only the scheduled permission', async () => {
    const { scheduled } = await grantBoth();
    await owner.change('lunch', { permissionId: scheduled, narrowing: WITHOUT_HOUR });
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    pda.clock.advance(9000);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
  });

  it('changes one of several scheduled permissions and keeps what the others share', async () => {
    const { running, scheduled } = await grantBoth();
    await requester.update('lunch', { period: 30, start: secondsLater(20) });
    await owner.findAsOwner('lunch');
    await owner.enable('lunch');
    const { debit, liveGrants } = await owner.change('lunch', { permissionId: scheduled, narrowing: WITHOUT_HOUR });
    expect(debit.permissions.map(({ state }) => state)).toStrictEqual([
      'scheduled',
      'scheduled',
      'replaced',
      'replaced',
      'running',
    ]);
    const [last, next] = debit.permissions.map(({ permissionId }) => permissionId);
    expect(liveGrants.map(({ permissionId }) => permissionId)).toStrictEqual([running, next, last]);
    pda.clock.advance(9000);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    pda.clock.advance(10_000);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it('replaces the scheduled permission immediately, so that a further change of it is refused', async () => {
    const { scheduled } = await grantBoth();
    await owner.change('lunch', { permissionId: scheduled, narrowing: WITHOUT_HOUR });
    const { permissions } = await requester.find('lunch');
    expect(permissions.map(({ state, end }) => [state, end])).toStrictEqual([
      ['scheduled', secondsLater(40)],
      ['replaced', secondsLater(1)],
      ['running', secondsLater(30)],
    ]);
    const outdatedChange = { permissionId: scheduled, end: secondsLater(20) };
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/change', outdatedChange)).toStrictEqual([
      409,
      'wrong_state',
    ]);
    pda.clock.advance(9000);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
  });

  it('does not let the replaced permission start when the owner stops sharing at the end of the period', async () => {
    const { scheduled } = await grantBoth();
    await owner.change('lunch', { permissionId: scheduled, narrowing: WITHOUT_HOUR });
    pda.clock.advance(1000);
    await owner.disable('lunch', true);
    const { permissions } = await requester.find('lunch');
    expect(permissions.map(({ state, canceledAt }) => [state, canceledAt])).toStrictEqual([
      ['disabled', secondsLater(2)],
      ['replaced', undefined],
      ['running', secondsLater(2)],
    ]);
    pda.clock.advance(9000);
    // The running permission continues until the end of its period.
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    pda.clock.advance(20_000);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect((await owner.find('lunch')).state).toBe('disabled');
  });

  it.each([false, true])('survives a stop (at the end of the period: %s) that is undone', async (atEnd) => {
    await proposeAndEnable({ period: 30, cancelAtPeriodEnd: false });
    await change({ narrowing: WITHOUT_HOUR });
    await requester.update('lunch', { period: 30, start: secondsLater(10) });
    await owner.findAsOwner('lunch');
    await owner.enable('lunch');
    await owner.disable('lunch', atEnd);
    pda.clock.advance(2000);
    const { permissions } = await owner.enable('lunch');
    expect(permissions.slice(0, 2).map(({ state, start }) => [state, start])).toStrictEqual([
      ['scheduled', secondsLater(10)],
      ['running', secondsLater(2)],
    ]);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    pda.clock.advance(8000);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it('is refused for a permission that was replaced', async () => {
    const { running } = await grantBoth();
    await owner.change('lunch', { permissionId: running, narrowing: WITHOUT_HOUR });
    const body = { permissionId: running };
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/change', body)).toStrictEqual([409, 'wrong_state']);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
  });
});

describe('a change of a permission that is not running', () => {
  it('restarts a disabled permission with different fields and a different end', async () => {
    await proposeAndEnable({ period: 30 });
    pda.clock.advance(1000);
    await owner.disable('lunch');
    pda.clock.advance(1000);
    const restartedDebit = await change({ narrowing: WITHOUT_HOUR, end: secondsLater(30) });
    expect([restartedDebit.state, restartedDebit.start, restartedDebit.end]).toStrictEqual([
      'enabled',
      secondsLater(2),
      secondsLater(30),
    ]);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    expect(await historyEvents()).toStrictEqual(['created', 'enabled', 'disabled', 'enabled']);
  });

  it('restarts an ended permission for the requested period', async () => {
    await proposeAndEnable({ period: 30 });
    pda.clock.advance(40 * 1000);
    expect((await change({})).end).toBe(secondsLater(70));
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
  });

  it('keeps the start of a scheduled permission', async () => {
    await proposeAndEnable({ period: 30, start: secondsLater(5) });
    const changedDebit = await change({ narrowing: WITHOUT_HOUR });
    expect([changedDebit.start, changedDebit.active]).toStrictEqual([secondsLater(5), false]);
    pda.clock.advance(5 * 1000);
    expect(await requester.values('lunch')).toStrictEqual(NAMES_ONLY);
    await owner.disable('lunch');
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
  });

  it('does not start a scheduled permission that is then stopped', async () => {
    await proposeAndEnable({ period: 30, start: secondsLater(5) });
    await change({ narrowing: WITHOUT_HOUR });
    await owner.disable('lunch');
    pda.clock.advance(5 * 1000);
    expect(await requester.expectRefusal('GET', 'data-debit/lunch/values')).toStrictEqual(NOT_ENABLED);
    expect((await owner.find('lunch')).state).toBe('disabled');
  });

  it('is not needed to enable a stopped scheduled permission again, which keeps its start', async () => {
    await proposeAndEnable({ period: 30, start: secondsLater(5) });
    await owner.disable('lunch');
    const { state, active, start } = await owner.enable('lunch');
    expect([state, active, start]).toStrictEqual(['enabled', false, secondsLater(5)]);
  });

  it('is refused for a removed Data Debit and for a permission that was never granted', async () => {
    const { permissionsLatest } = await requester.propose('lunch');
    const body = { permissionId: permissionsLatest.permissionId };
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/change', body)).toStrictEqual([409, 'wrong_state']);
    await owner.enable('lunch');
    await owner.remove('lunch');
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/change', body)).toStrictEqual([409, 'wrong_state']);
    expect(await owner.expectRefusal('POST', 'owner/debits/other/change', body)).toStrictEqual([404, 'not_found']);
  });
});
