import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isoTime } from '../../../../platform/clock.ts';
import type { Principal } from '../../../../platform/auth/principal.ts';
import type { TestPda } from '../../../../../tests/support/test-pda.ts';
import { REQUESTER, DAY_SECONDS, startDebits, type DebitCalls, type DebitTest } from '../harness.test-support.ts';

const DAY_MS = DAY_SECONDS * 1000;

let pda: TestPda;
let owner: DebitCalls;
let proposeAndEnable: DebitTest['proposeAndEnable'];
beforeEach(async () => {
  ({ pda, owner, proposeAndEnable } = await startDebits([REQUESTER]));
});
afterEach(() => pda.close());

/**
 * Runs the notifier. Returns the start of the renewed period of which the owner is reminded; null without a reminder.
 */
const flushAndGetRenewal = async (): Promise<string | null> => {
  await pda.pda.debitNotifier.flushDue();
  return pda.pda.debits.ownerView('lunch').renewed;
};
const OWNER: Principal = { kind: 'owner', userId: '', sessionId: '' };
const reminders = (): string[] =>
  pda.pda.debits
    .history(pda.pda.debits.findStored('lunch', OWNER))
    .filter(({ event }) => event === 'renewed')
    .map(({ time }) => isoTime(time));

describe('the owner', () => {
  it('is reminded of a renewal once per period, for three days', async () => {
    await proposeAndEnable({ period: 10 * DAY_SECONDS, cancelAtPeriodEnd: false });
    pda.clock.set(Date.parse('2026-01-25T12:00:00.000Z') - 1);
    expect(await flushAndGetRenewal()).toBeNull();
    pda.clock.advance(1);
    expect(await flushAndGetRenewal()).toBe('2026-01-25T12:00:00.000Z');
    pda.clock.advance(2 * DAY_MS);
    expect(await flushAndGetRenewal()).toBe('2026-01-25T12:00:00.000Z');
    pda.clock.advance(DAY_MS + 1);
    expect(await flushAndGetRenewal()).toBeNull();
    pda.clock.advance(7 * DAY_MS);
    expect(await flushAndGetRenewal()).toBe('2026-02-04T12:00:00.000Z');
    expect(reminders()).toHaveLength(2);
  });

  it('is reminded once after a downtime of several periods', async () => {
    await proposeAndEnable({ period: 10 * DAY_SECONDS, cancelAtPeriodEnd: false });
    pda.clock.advance(36 * DAY_MS);
    await pda.restart();
    expect(await flushAndGetRenewal()).toBe('2026-02-14T12:00:00.000Z');
    expect(reminders()).toStrictEqual(['2026-02-20T12:00:00.000Z']);
  });

  it('is reminded once a day if a period is shorter than a day', async () => {
    await proposeAndEnable({ period: 60, cancelAtPeriodEnd: false });
    for (let minutes = 0; minutes < 48 * 60; minutes += 20) {
      pda.clock.advance(20 * 60_000);
      await pda.pda.debitNotifier.flushDue();
    }
    expect(reminders()).toHaveLength(2);
  });

  it('is no longer reminded after disabling the permission', async () => {
    await proposeAndEnable({ period: 10 * DAY_SECONDS, cancelAtPeriodEnd: false });
    pda.clock.advance(10 * DAY_MS);
    expect(await flushAndGetRenewal()).not.toBeNull();
    pda.token = await pda.signIn();
    await owner.disable('lunch');
    expect(await flushAndGetRenewal()).toBeNull();
    pda.clock.advance(10 * DAY_MS);
    expect(await flushAndGetRenewal()).toBeNull();
    expect(reminders()).toHaveLength(1);
  });

  it('is reminded again after a clock that was years ahead is corrected', async () => {
    await proposeAndEnable({ period: 10 * DAY_SECONDS, cancelAtPeriodEnd: false });
    pda.clock.advance(1000 * DAY_MS);
    expect(await flushAndGetRenewal()).not.toBeNull();
    pda.clock.advance(-990 * DAY_MS);
    expect(await flushAndGetRenewal()).toBe('2026-01-25T12:00:00.000Z');
  });

  it('is not reminded if the permission ends with its period', async () => {
    await proposeAndEnable({ period: 10 * DAY_SECONDS, cancelAtPeriodEnd: true });
    pda.clock.advance(10 * DAY_MS);
    expect(await flushAndGetRenewal()).toBeNull();
    expect(reminders()).toStrictEqual([]);
  });
});
