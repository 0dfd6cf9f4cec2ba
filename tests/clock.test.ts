import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isStale, nextDue, backupStatusOf } from '../server/pda/account/backup/schedule-rules.ts';
import { REQUESTER, startDebits, type DebitCalls } from '../server/pda/sharing/debits/harness.test-support.ts';
import type { TestPda } from './support/test-pda.ts';

// Tests deadlines while the clock is wrong by years or set back by hours, and after its correction.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const FIVE_YEARS_MS = 5 * 365 * DAY_MS;

let pda: TestPda;
let owner: DebitCalls;
let requester: DebitCalls;
let start: number;
beforeAll(async () => {
  ({ pda, owner, requester } = await startDebits([REQUESTER]));
  start = pda.clock.now();
});
afterAll(() => pda.close());

const statusOf = async (token: string): Promise<number> => (await pda.call('GET', '/api/v2.6/owner', { token })).status;
const countOwnerSessions = (): number => pda.pda.owner.sessions('').filter(({ kind }) => kind === 'owner').length;

describe('a consent', () => {
  it('is valid only between its start and its deadline according to the current clock', async () => {
    await pda.call('POST', '/api/v2.6/data/calendar/events', { json: [{ name: 'Lunch', when: { hour: 12 } }] });
    await requester.propose('lunch');
    await owner.enable('lunch');
    const readValuesStatus = async (): Promise<number> =>
      (await requester.call('GET', 'data-debit/lunch/values')).status;
    expect(await readValuesStatus()).toBe(200);
    pda.clock.set(start - 3 * HOUR_MS);
    // According to this clock, the period has not begun.
    expect(await readValuesStatus()).toBe(400);
    pda.clock.set(start + 2 * DAY_MS);
    expect(await readValuesStatus()).toBe(200);
    pda.clock.set(start + 31 * DAY_MS);
    expect(await readValuesStatus()).not.toBe(200);
    pda.clock.set(start);
  });
});

describe('a sign-in', () => {
  it('survives setting the clock back by hours, and is listed', async () => {
    const token = await pda.signIn();
    const previousCount = countOwnerSessions();
    pda.clock.set(start - 10 * HOUR_MS);
    expect([await statusOf(token), countOwnerSessions()]).toStrictEqual([200, previousCount]);
    pda.clock.set(start);
  });

  it('expires when the clock is ahead by years, and is valid again after a correction', async () => {
    const token = await pda.signIn();
    pda.clock.set(start + FIVE_YEARS_MS);
    expect([await statusOf(token), countOwnerSessions()]).toStrictEqual([401, 0]);
    pda.clock.set(start);
    expect(await statusOf(token)).toBe(200);
  });

  it('made while the clock is years ahead is valid only until the clock is corrected', async () => {
    pda.clock.set(start + FIVE_YEARS_MS);
    const futureToken = await pda.signIn();
    expect([await statusOf(futureToken), countOwnerSessions()]).toStrictEqual([200, 1]);
    pda.clock.set(start);
    expect([await statusOf(futureToken), countOwnerSessions()]).toStrictEqual([401, 0]);
    await pda.restart();
    expect(await statusOf(futureToken)).toBe(401);
    expect(await statusOf(await pda.signIn())).toBe(200);
  });

  it('allows no additional attempts when the clock is set back', async () => {
    const tryWrongPassword = (): Promise<number> =>
      pda.pda.owner.signIn('ada', 'wrong', { address: '192.0.2.7', host: pda.host, local: false, userAgent: '' }).then(
        () => 200,
        (error: unknown) => (error instanceof Error && 'status' in error ? Number(error.status) : 0),
      );
    let attempts = 0;
    for (; attempts < 50 && (await tryWrongPassword()) !== 429; attempts += 1);
    expect(attempts).toBeLessThan(50);
    for (const offsetMs of [HOUR_MS, 10 * HOUR_MS]) {
      pda.clock.set(start - offsetMs);
      expect(await tryWrongPassword()).toBe(429);
    }
    pda.clock.set(start);
    // The delay ends according to the corrected clock. The hours by which it was set back do not extend the delay.
    pda.clock.advance(MINUTE_MS);
    expect(await tryWrongPassword()).toBe(401);
    pda.clock.set(start);
  });
});

describe('backups', () => {
  it('are due at once when the clock jumps ahead, and follow the corrected clock afterwards', () => {
    const lastAttempt = { at: start, failures: 0 };
    expect(nextDue('day', start, lastAttempt, start + FIVE_YEARS_MS)).toBe(start + DAY_MS);
    // The backup was created with a wrong clock, so its age is unknown.
    const futureTime = start + FIVE_YEARS_MS;
    expect(nextDue('day', futureTime, { at: futureTime, failures: 0 }, start)).toBe(start);
    expect(isStale('day', futureTime, start)).toBe(true);
    expect(backupStatusOf('day', futureTime, undefined, start)).toBe('old');
    expect(nextDue('day', start, lastAttempt, start)).toBe(start + DAY_MS);
    expect(isStale('day', start, start)).toBe(false);
  });

  it('are due on time, and not twice, when the clock goes back by an hour', () => {
    expect(nextDue('day', start, { at: start, failures: 0 }, start - HOUR_MS)).toBe(start + DAY_MS);
    expect(isStale('hour', start, start - HOUR_MS)).toBe(false);
    // A failure recorded with a clock that was ahead does not delay the next attempt until then.
    const futureAttempt = { at: start + FIVE_YEARS_MS, failures: 9 };
    expect(nextDue('day', start - 2 * DAY_MS, futureAttempt, start)).toBeLessThanOrEqual(start);
  });
});
