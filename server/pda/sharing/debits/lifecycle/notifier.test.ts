import { compactVerify, createRemoteJWKSet } from 'jose';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { anApplication, setUpApplication } from '../../../../../tests/support/applications.ts';
import { until } from '../../../../../tests/support/server-process.ts';
import { startTestPda, type TestPda } from '../../../../../tests/support/test-pda.ts';
import { receiptSchema } from '../../../../wire/debits.ts';
import { closeAll, openReceiver, type Receiver } from '../../webhooks/harness.test-support.ts';
import {
  aBundle,
  aProposal,
  REQUESTER,
  createDebitCalls,
  startDebits,
  store,
  type DebitCalls,
  type ProposalInput,
} from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let receiver: Receiver;
beforeEach(async () => {
  receiver = await openReceiver();
  ({ pda, owner, requester } = await startDebits([REQUESTER], { network: { allowLoopback: true } }));
});
afterEach(async () => {
  await pda.close();
  await closeAll();
});

const withCallback = (changes: Partial<ProposalInput> = {}): Partial<ProposalInput> => ({
  requestClientCallbackUrl: receiver.url,
  ...changes,
});
/** Returns the events of distinct webhooks. A webhook in flight at a restart can arrive twice, with the same id. */
const events = (): string[] => [...new Map(receiver.received.map(({ id, event }) => [id, event])).values()];
/** Waits until `count` webhooks have arrived in total. */
const eventsAfter = async (count: number): Promise<string[]> => {
  await pda.pda.debitNotifier.flushDue();
  await until(() => events().length >= count, `${count} webhooks are received`);
  return events();
};
/** Expects that all webhooks are delivered and that `count` of them have arrived in total. */
const expectTotal = async (count: number): Promise<void> => {
  await pda.pda.debitNotifier.flushDue();
  await until(() => pda.pda.outbox.list().length === 0, 'all webhooks are delivered');
  expect(events()).toHaveLength(count);
};

it('the owner sees which host will be notified of a decision', async () => {
  await requester.propose('lunch', withCallback());
  expect((await owner.findAsOwner('lunch')).callbackHost).toBe(new URL(receiver.url).host);
  await requester.propose('quiet');
  expect((await owner.findAsOwner('quiet')).callbackHost).toBeNull();
});

describe('webhooks to the requester', () => {
  it('report each request and decision, in order', async () => {
    await requester.propose('lunch', withCallback({ cancelAtPeriodEnd: false }));
    await owner.enable('lunch');
    await owner.enable('lunch');
    await requester.update('lunch', withCallback());
    await owner.reject('lunch');
    await owner.disable('lunch');
    await owner.disable('lunch');
    await owner.enable('lunch');
    await owner.remove('lunch');
    await owner.remove('lunch');
    const expectedEvents = ['created', 'enabled', 'updated', 'rejected', 'disabled', 'enabled', 'removed'];
    expect(await eventsAfter(expectedEvents.length)).toStrictEqual(expectedEvents);
    expect(receiver.received[0]?.json).toStrictEqual({
      id: expect.any(String),
      event: 'created',
      dataDebitKey: 'lunch',
      pda: `localhost:${pda.port}`,
      time: new Date(pda.clock.now()).toISOString(),
    });
  });

  it("report the owner's change of a running permission", async () => {
    await requester.propose('lunch', withCallback());
    const { permissionsLatest } = await owner.enable('lunch');
    const narrowing = { drop: [{ property: 'events', entry: 0, fields: ['hour'] }] };
    await owner.change('lunch', { permissionId: permissionsLatest.permissionId, narrowing });
    expect(await eventsAfter(3)).toStrictEqual(['created', 'enabled', 'updated']);
    expect(receiver.received.at(-1)?.json).toMatchObject({ event: 'updated', dataDebitKey: 'lunch' });
  });

  it('are not sent without a callback URL', async () => {
    await requester.propose('lunch');
    await owner.enable('lunch');
    await expectTotal(0);
  });

  it('report an expiry once, with its time, even if it happened while the PDA was not running', async () => {
    await requester.propose('lunch', withCallback({ period: 10 }));
    await owner.enable('lunch');
    expect(await eventsAfter(2)).toStrictEqual(['created', 'enabled']);
    pda.clock.advance(9999);
    await expectTotal(2);
    const end = new Date(pda.clock.now() + 1).toISOString();
    pda.clock.advance(1_000_000);
    await pda.restart();
    expect(await eventsAfter(3)).toStrictEqual(['created', 'enabled', 'ended']);
    expect(receiver.received.at(-1)?.json['time']).toBe(end);
    await pda.pda.debitNotifier.flushDue();
    await pda.restart();
    await expectTotal(3);
  });

  it('report an expiry even if the timer fires early', async () => {
    await requester.propose('lunch', withCallback({ period: 10 }));
    await owner.enable('lunch');
    pda.clock.advance(9970);
    await requester.update('lunch', withCallback());
    await expectTotal(3);
    // The test clock stands still while timers run, so the timer fires early repeatedly.
    const clockReads = vi.spyOn(pda.clock, 'now');
    await until(() => clockReads.mock.calls.length > 2, 'the timer has fired early');
    clockReads.mockRestore();
    expect(events()).not.toContain('ended');
    pda.clock.advance(30);
    await until(() => events().includes('ended'), 'the webhook `ended` is received');
  });

  it('report the end of a permission that the owner disabled at the end of its period', async () => {
    await requester.propose('lunch', withCallback({ period: 10, cancelAtPeriodEnd: false }));
    await owner.enable('lunch');
    await owner.disable('lunch', true);
    pda.clock.advance(10_000);
    expect(await eventsAfter(4)).toStrictEqual(['created', 'enabled', 'disabled', 'ended']);
  });

  it('do not report the expiry of a replaced permission', async () => {
    await requester.propose('lunch', withCallback({ period: 10 }));
    await owner.enable('lunch');
    pda.clock.advance(5000);
    await requester.update('lunch', withCallback({ period: 100 }));
    await owner.enable('lunch');
    pda.clock.advance(10_000);
    await expectTotal(4);
    expect((await owner.find('lunch')).active).toBe(true);
  });

  it('report new values at shared endpoints, at most once a minute, while the permission runs', async () => {
    await requester.propose('lunch', withCallback({ bundle: aBundle('days', 'a/days'), cancelAtPeriodEnd: false }));
    await store(pda, 'a/days', { before: true });
    await eventsAfter(1);
    await owner.enable('lunch');
    await expectTotal(2);
    await store(pda, 'a/other', { n: 1 });
    await expectTotal(2);
    for (let n = 0; n < 5; n += 1) await store(pda, 'a/days', { n });
    expect((await eventsAfter(3)).at(-1)).toBe('values-available');
    await store(pda, 'a/days', { n: 6 });
    await expectTotal(3);
    pda.clock.advance(60_000);
    expect((await eventsAfter(4)).at(-1)).toBe('values-available');
    pda.clock.advance(60_000);
    await expectTotal(4);
    await owner.disable('lunch');
    await store(pda, 'a/days', { n: 7 });
    await expectTotal(5);
    expect(events().at(-1)).toBe('disabled');
  });

  it('report new values after a write without a manual flush', async () => {
    await requester.propose('lunch', withCallback({ bundle: aBundle('days', 'a/days') }));
    await owner.enable('lunch');
    await store(pda, 'a/days', { n: 1 });
    await until(() => events().length >= 3, 'the third webhook is received');
    expect(events().at(-1)).toBe('values-available');
  });

  it('report values that were written just before a restart', async () => {
    await requester.propose('lunch', withCallback({ bundle: aBundle('days', 'a/days') }));
    await owner.enable('lunch');
    await eventsAfter(2);
    await store(pda, 'a/days', { n: 1 });
    await pda.restart();
    expect((await eventsAfter(3)).at(-1)).toBe('values-available');
  });
});

it('the indexes of a permission are dropped when it expires', async () => {
  const filters = [{ field: 'n', operator: { operator: 'in' as const, value: 1 } }];
  const bundle = { name: 'b', bundle: { days: { endpoints: [{ endpoint: 'a/days', filters }] } } };
  await requester.propose('lunch', { bundle, period: 30 });
  await owner.enable('lunch');
  await pda.pda.indexes.waitUntilIdle();
  expect(pda.pda.indexes.readyNames().size).toBe(1);
  pda.clock.advance(30_000);
  await pda.pda.debitNotifier.flushDue();
  await pda.pda.indexes.waitUntilIdle();
  expect(pda.pda.indexes.readyNames().size).toBe(0);
});

describe('the owner', () => {
  it('receives a signed receipt of the agreement and its history', async () => {
    const bundle = {
      name: 'b',
      bundle: { days: { endpoints: [{ endpoint: 'a/days', mapping: { n: 'n', secret: 's' } }] } },
    };
    const { permissionsLatest } = await requester.propose('lunch', { bundle });
    pda.clock.advance(1000);
    await owner.grant('lunch', {
      permissionId: permissionsLatest.permissionId,
      narrowing: { drop: [{ property: 'days', entry: 0, fields: ['secret'] }] },
    });
    pda.clock.advance(1000);
    await owner.disable('lunch');
    const reply = await owner.call('GET', 'owner/debits/lunch/receipt');
    const { receipt, jws, jwks } = receiptSchema.parse(reply.json);
    const verifiedJws = await compactVerify(jws, createRemoteJWKSet(new URL(jwks), { timeoutDuration: 600_000 }), {
      algorithms: ['RS256'],
    });
    expect(JSON.parse(Buffer.from(verifiedJws.payload).toString())).toStrictEqual(receipt);
    const { permissionId } = permissionsLatest;
    expect(receipt).toMatchObject({
      iss: `localhost:${pda.port}`,
      dataDebitKey: 'lunch',
      state: 'disabled',
      requester: { kind: 'application', name: 'requester' },
      permissions: [
        {
          permissionId,
          requestClientName: 'Lunch Ltd',
          asked: bundle,
          bundle: { name: 'b', bundle: { days: { endpoints: [{ endpoint: 'a/days', mapping: { n: 'n' } }] } } },
          grantedAt: '2026-01-15T12:00:01.000Z',
          canceledAt: '2026-01-15T12:00:02.000Z',
        },
      ],
      history: [
        { time: '2026-01-15T12:00:00.000Z', event: 'created', permissionId },
        { time: '2026-01-15T12:00:01.000Z', event: 'enabled', permissionId },
        { time: '2026-01-15T12:00:02.000Z', event: 'disabled', permissionId },
      ],
    });
  });
});

describe('setting up an application', () => {
  it.skipIf(!IS_THOROUGH_RUN)('requests and approves in one step, and again only if sharing was stopped', async () => {
    const application = anApplication({ id: 'wants', data: ['a/days'] });
    const testPda = await startTestPda({ config: { applications: [application] } });
    const calls = createDebitCalls(testPda);
    try {
      await store(testPda, 'a/days', { n: 1 });
      const token = await setUpApplication(testPda, 'wants');
      let app = createDebitCalls(testPda, token);
      expect(await app.values('app-wants')).toStrictEqual({ 'a-days': [{ n: 1 }] });
      const debitBefore = await calls.find('app-wants');
      testPda.clock.advance(1000);
      await setUpApplication(testPda, 'wants');
      expect(await calls.find('app-wants')).toStrictEqual(debitBefore);

      await calls.call('GET', 'applications/wants/disable');
      expect((await calls.find('app-wants')).state).toBe('disabled');
      await setUpApplication(testPda, 'wants');
      expect((await calls.find('app-wants')).permissions.map(({ state }) => state)).toStrictEqual([
        'running',
        'disabled',
      ]);

      // The history keeps the removal when the application is set up again.
      await calls.remove('app-wants');
      app = createDebitCalls(testPda, await setUpApplication(testPda, 'wants'));
      expect((await calls.find('app-wants')).state).toBe('enabled');
      expect(
        await app.expectRefusal(
          'PUT',
          'data-debit/app-wants',
          aProposal('app-wants', { bundle: debitBefore.permissionsLatest.bundle }),
        ),
      ).toStrictEqual([400, 'invalid_input']);
      const reply = await calls.call('GET', 'owner/debits/app-wants/receipt');
      const { receipt } = receiptSchema.parse(reply.json);
      expect((receipt as { history: { event: string }[] }).history.map(({ event }) => event)).toContain('removed');
    } finally {
      await testPda.close();
    }
  });

  it("keeps the owner's narrowing when the set-up is repeated", async () => {
    const application = anApplication({ id: 'wants', data: ['a/days', 'a/nights'] });
    const testPda = await startTestPda({ config: { applications: [application] } });
    try {
      const calls = createDebitCalls(testPda);
      await store(testPda, 'a/days', { n: 1 });
      await store(testPda, 'a/nights', { n: 2 });
      const narrowing = { drop: [{ property: 'a-nights', entry: 0 }] };
      await calls.call('POST', 'owner/applications/wants/setup', { version: '1.0.0', narrowing });
      const app = createDebitCalls(testPda, await setUpApplication(testPda, 'wants'));
      await calls.call('GET', 'applications/wants/setup');
      expect(await app.values('app-wants')).toStrictEqual({ 'a-days': [{ n: 1 }] });
      expect((await calls.find('app-wants')).permissions).toHaveLength(1);
    } finally {
      await testPda.close();
    }
  });
});
