import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../../../../tests/support/server-process.ts';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { exposureSchema } from '../../../../wire/exposure.ts';
import { ledgerPageSchema } from '../../../../wire/ledger.ts';
import { receiptSchema } from '../../../../wire/debits.ts';
import { closeAll, openReceiver, type Receiver } from '../../webhooks/harness.test-support.ts';
import {
  NOT_ENABLED,
  NOW,
  REQUESTER,
  SHARED_VALUES,
  startDebits,
  store,
  storeEvents,
  type DebitCalls,
  type DebitTest,
  type ProposalInput,
} from '../harness.test-support.ts';

const SECOND_MS = 1000;

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let proposeAndEnable: DebitTest['proposeAndEnable'];
let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
  ({ pda, owner, requester, proposeAndEnable } = await startDebits([REQUESTER], { network: { allowLoopback: true } }));
  await storeEvents(pda);
});
afterEach(async () => {
  await pda.close();
  await closeAll();
});

const enableWithCallback = (changes: Partial<ProposalInput> = {}) =>
  proposeAndEnable({ period: 30, requestClientCallbackUrl: receiver.url, ...changes });
/** Returns the ISO 8601 time `seconds` after the start of the test. */
const secondsLater = (seconds: number): string => new Date(Date.parse(NOW) + seconds * SECOND_MS).toISOString();
const expectRefusedValues = () => requester.expectRefusal('GET', 'data-debit/lunch/values');
const expectRefusedPause = (end: string) => owner.expectRefusal('POST', 'owner/debits/lunch/pause', { until: end });
const history = async (): Promise<[string, string][]> => {
  const { receipt } = receiptSchema.parse((await owner.call('GET', 'owner/debits/lunch/receipt')).json);
  return (receipt as { history: { event: string; time: string }[] }).history.map(({ event, time }) => [event, time]);
};
/** Returns the number of active Data Debits on the "Address and exposure" page. */
const openDebitCount = async (): Promise<number> =>
  exposureSchema.parse((await pda.call('GET', '/api/v2.6/owner/exposure')).json).open.debits;
/** Returns time, principal and planned time of each automatic resumption in the access history, newest first. */
const resumptions = async () => {
  const { rows } = ledgerPageSchema.parse((await pda.call('GET', '/api/v2.6/owner/ledger?debit=lunch')).json);
  return rows
    .filter(({ action }) => action === 'debit-resumed')
    .map(({ time, who, consent }) => [time, who.kind, consent?.detail]);
};
/** Returns the events of the received webhooks without duplicates, after `count` webhooks have arrived. */
const webhooks = async (count: number): Promise<string[]> => {
  await pda.pda.debitNotifier.flushDue();
  const events = () => [...new Map(receiver.received.map(({ id, event }) => [id, event])).values()];
  await until(() => events().length >= count && pda.pda.outbox.list().length === 0, `${count} webhooks are received`);
  return events();
};

describe('a paused Data Debit', () => {
  it('shares nothing until the pause ends, then resumes automatically, and reports both changes', async () => {
    await enableWithCallback();
    const pausedDebit = await owner.pause('lunch', secondsLater(7));
    expect(pausedDebit.debit).toMatchObject({
      state: 'enabled',
      active: false,
      pausedUntil: secondsLater(7),
      end: secondsLater(30),
    });
    expect(pausedDebit.debit.permissionsActive).toBeUndefined();
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    expect(await openDebitCount()).toBe(0);
    expect(await requester.find('lunch')).toMatchObject({ active: false, pausedUntil: secondsLater(7) });
    // New values are not reported during a pause.
    await store(pda, 'calendar/events', { name: 'tea', when: { hour: 17 } });
    expect(await webhooks(3)).toStrictEqual(['created', 'enabled', 'disabled']);

    pda.clock.advance(7 * SECOND_MS - 1);
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(1);
    // The values are shared at this time, even before the timer reports the end of the pause.
    expect((await requester.values('lunch'))['events']).toHaveLength(3);
    expect(await openDebitCount()).toBe(1);
    expect((await owner.findAsOwner('lunch')).debit).toMatchObject({ active: true, end: secondsLater(30) });
    expect((await owner.findAsOwner('lunch')).debit.pausedUntil).toBeUndefined();
    expect(await webhooks(4)).toStrictEqual(['created', 'enabled', 'disabled', 'enabled']);
    expect(await history()).toStrictEqual([
      ['created', NOW],
      ['enabled', NOW],
      ['paused', NOW],
      ['resumed', secondsLater(7)],
    ]);
    expect(await resumptions()).toStrictEqual([[secondsLater(7), 'pda', secondsLater(7)]]);
  });

  it('resumes immediately on request or when it is enabled, and not again at the end of the pause', async () => {
    await enableWithCallback();
    for (const resume of [() => owner.resume('lunch'), () => owner.enable('lunch')]) {
      await owner.pause('lunch', secondsLater(7));
      expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
      await resume();
      expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    }
    expect(await owner.expectRefusal('POST', 'owner/debits/lunch/resume')).toStrictEqual([409, 'wrong_state']);
    pda.clock.advance(8 * SECOND_MS);
    expect((await history()).map(([event]) => event)).toStrictEqual([
      'created',
      'enabled',
      'paused',
      'resumed',
      'paused',
      'resumed',
    ]);
    expect((await owner.find('lunch')).permissions).toHaveLength(1);
    expect(await resumptions()).toStrictEqual([]);
  });

  it('stays resumed when the clock is set back after the end of the pause', async () => {
    await proposeAndEnable({ period: 30 });
    await owner.pause('lunch', secondsLater(7));
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(7 * SECOND_MS);
    await pda.pda.debitNotifier.flushDue();
    pda.clock.advance(-SECOND_MS);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    expect((await owner.find('lunch')).pausedUntil).toBeUndefined();
  });

  it('can be paused again until a different time, even before the timer has reported that it resumed', async () => {
    await proposeAndEnable({ period: 30 });
    await owner.pause('lunch', secondsLater(7));
    await owner.pause('lunch', secondsLater(2));
    pda.clock.advance(2 * SECOND_MS);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await owner.pause('lunch', secondsLater(3));
    expect(await resumptions()).toStrictEqual([[secondsLater(2), 'pda', secondsLater(2)]]);
    pda.clock.advance(SECOND_MS);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await owner.disable('lunch');
    expect(await resumptions()).toHaveLength(2);
    expect((await history()).slice(-5)).toStrictEqual([
      ['paused', NOW],
      ['resumed', secondsLater(2)],
      ['paused', secondsLater(2)],
      ['resumed', secondsLater(3)],
      ['disabled', secondsLater(3)],
    ]);
  });

  it('resumes once after a restart, with the time at which the pause ended', async () => {
    await enableWithCallback();
    await owner.pause('lunch', secondsLater(1));
    await pda.restart();
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(5 * SECOND_MS);
    await pda.restart();
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    expect(await webhooks(4)).toStrictEqual(['created', 'enabled', 'disabled', 'enabled']);
    await pda.restart();
    await pda.pda.debitNotifier.flushDue();
    expect((await history()).at(-1)).toStrictEqual(['resumed', secondsLater(1)]);
    expect(await history()).toHaveLength(4);
    expect(await resumptions()).toStrictEqual([[secondsLater(5), 'pda', secondsLater(1)]]);
  });

  it('resumes and then ends while the PDA is not running', async () => {
    await proposeAndEnable({ period: 30 });
    await owner.pause('lunch', secondsLater(1));
    pda.clock.advance(40 * SECOND_MS);
    await pda.restart();
    await pda.pda.debitNotifier.flushDue();
    expect((await history()).slice(-2)).toStrictEqual([
      ['resumed', secondsLater(1)],
      ['ended', secondsLater(30)],
    ]);
  });

  it('stays paused through a change, and ends during the pause if the change moves its end there', async () => {
    await proposeAndEnable({ period: 30 });
    await owner.pause('lunch', secondsLater(7));
    const [permission] = (await owner.find('lunch')).permissions;
    await owner.change('lunch', { permissionId: permission?.permissionId, end: secondsLater(3) });
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(10 * SECOND_MS);
    await pda.pda.debitNotifier.flushDue();
    expect((await owner.find('lunch')).state).toBe('ended');
    expect((await history()).map(([event]) => event)).toStrictEqual([
      'created',
      'enabled',
      'paused',
      'updated',
      'ended',
    ]);
    expect(await resumptions()).toStrictEqual([]);
  });

  it('stays paused when a stop at the end of its period is revoked', async () => {
    await proposeAndEnable({ period: 30, cancelAtPeriodEnd: false });
    await owner.pause('lunch', secondsLater(7));
    await owner.disable('lunch', true);
    expect(await owner.enable('lunch')).toMatchObject({ active: false, pausedUntil: secondsLater(7), end: null });
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
    pda.clock.advance(7 * SECOND_MS);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await pda.pda.debitNotifier.flushDue();
    expect((await history()).at(-1)).toStrictEqual(['resumed', secondsLater(7)]);
  });

  it('reports no resumption after it was stopped, shared again or removed', async () => {
    await proposeAndEnable({ period: 30 });
    await owner.pause('lunch', secondsLater(7));
    expect((await owner.disable('lunch')).state).toBe('disabled');
    await owner.enable('lunch');
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await owner.pause('lunch', secondsLater(8));
    await owner.remove('lunch');
    pda.clock.advance(10 * SECOND_MS);
    await pda.pda.debitNotifier.flushDue();
    expect((await history()).map(([event]) => event)).toStrictEqual([
      'created',
      'enabled',
      'paused',
      'disabled',
      'enabled',
      'paused',
      'removed',
    ]);
    expect(await expectRefusedValues()).toStrictEqual(NOT_ENABLED);
  });
});

describe('a pause', () => {
  it('is refused if it would end in the past or not before the permission, and while nothing is shared', async () => {
    expect(await expectRefusedPause(secondsLater(1))).toStrictEqual([404, 'not_found']);
    await requester.propose('lunch', { period: 30 });
    expect(await expectRefusedPause(secondsLater(1))).toStrictEqual([409, 'wrong_state']);
    await owner.enable('lunch');
    for (const end of [NOW, secondsLater(-1), secondsLater(30), secondsLater(31), 'tomorrow'])
      expect(await expectRefusedPause(end), end).toStrictEqual([400, 'invalid_input']);
    expect((await requester.call('POST', 'owner/debits/lunch/pause', { until: secondsLater(1) })).status).toBe(403);
    expect(await requester.values('lunch')).toStrictEqual(SHARED_VALUES);
    await owner.disable('lunch');
    expect(await expectRefusedPause(secondsLater(1))).toStrictEqual([409, 'wrong_state']);
  });

  it('of a permission that renews can end at any later time, and is in the access history', async () => {
    await proposeAndEnable({ period: 30, cancelAtPeriodEnd: false });
    await owner.pause('lunch', secondsLater(100));
    await owner.resume('lunch');
    const page = await pda.call('GET', '/api/v2.6/owner/ledger?act=decision&take=2');
    expect(ledgerPageSchema.parse(page.json).rows.map(({ action, consent }) => [action, consent?.name])).toEqual([
      ['POST /api/v2.6/owner/debits/*key/resume', 'lunch'],
      ['POST /api/v2.6/owner/debits/*key/pause', 'lunch'],
    ]);
  });
});
