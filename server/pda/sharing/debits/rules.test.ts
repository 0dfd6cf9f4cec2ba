import { describe, expect, it } from 'vitest';
import {
  activeOf,
  debitState,
  enabling,
  endByTime,
  endOf,
  permissionState,
  renewsAt,
  toCancel,
  waitingOf,
  type DebitFacts,
  type PermissionFacts,
} from './rules.ts';

/** Times are seconds after an arbitrary moment. */
const T0 = Date.UTC(2026, 0, 15);
const at = (seconds: number): number => T0 + seconds * 1000;

type Facts = Partial<{
  start: number;
  period: number;
  renews: boolean;
  accepted: number;
  rejected: number;
  canceled: number;
  canceledAtPeriodEnd: number;
}>;

/** A permission from 0, for 10 seconds unless it renews, accepted at 0; with `accepted: -1` it waits. */
const permission = (facts: Facts = {}): PermissionFacts => {
  const canceled = facts.canceled ?? facts.canceledAtPeriodEnd;
  const undecided = facts.accepted === -1 || facts.rejected !== undefined;
  return {
    start: at(facts.start ?? 0),
    period: facts.period ?? 10,
    cancelAtPeriodEnd: facts.renews !== true,
    acceptedAt: undecided ? null : at(facts.accepted ?? 0),
    rejectedAt: facts.rejected === undefined ? null : at(facts.rejected),
    canceledAt: canceled === undefined ? null : at(canceled),
    canceledAtPeriodEnd: facts.canceledAtPeriodEnd !== undefined,
  };
};
const debit = (...permissions: PermissionFacts[]): DebitFacts => ({ removedAt: null, permissions });
const waiting = (facts: Facts = {}): PermissionFacts => permission({ ...facts, accepted: -1 });

const seconds = (ms: number | null): number | null => (ms === null ? null : (ms - T0) / 1000);

describe('the end of a permission', () => {
  it.each<[string, Facts, end: number | null, byTime: number | null]>([
    ['that renews: none', { renews: true }, null, null],
    ['that ends with its period: start and period', { start: 5 }, 15, 15],
    ['canceled at once: that moment', { renews: true, canceled: 7 }, 7, null],
    ['canceled at once, ending with its period', { canceled: 7 }, 7, null],
    ['canceled after its period was over: the period', { canceled: 12 }, 10, null],
    ['canceled at period end, in the first period', { renews: true, canceledAtPeriodEnd: 3 }, 10, 10],
    ['canceled at period end, in the third period', { renews: true, canceledAtPeriodEnd: 27 }, 30, 30],
    [
      'canceled at period end, as a period begins: the end of that one',
      { renews: true, canceledAtPeriodEnd: 10 },
      20,
      20,
    ],
    ['canceled at period end, at its start', { renews: true, canceledAtPeriodEnd: 0 }, 10, 10],
    ['canceled at period end, ending with its period anyway', { canceledAtPeriodEnd: 3 }, 10, 10],
    ['canceled at period end before its start: at once', { start: 5, renews: true, canceledAtPeriodEnd: 3 }, 3, null],
    ['canceled at once before its start', { start: 5, canceled: 3 }, 3, null],
    ['of one second', { period: 1, renews: true, canceledAtPeriodEnd: 4 }, 5, 5],
  ])('%s', (_, facts, end, byTime) => {
    expect(seconds(endOf(permission(facts)))).toBe(end);
    expect(seconds(endByTime(permission(facts)))).toBe(byTime);
  });

  it('never renews a request that was not accepted', () => {
    expect(endByTime(waiting())).toBeNull();
    expect(endByTime(permission({ rejected: 1 }))).toBeNull();
  });
});

describe('the state of a Data Debit', () => {
  /** Which permission is active and what state it is in, at some moments. */
  type Moments = [seconds: number, active: number | undefined, state: string][];
  it.each<[string, PermissionFacts[], Moments]>([
    [
      'asked for',
      [waiting()],
      [
        [0, undefined, 'pending'],
        [100, undefined, 'pending'],
      ],
    ],
    ['rejected', [permission({ rejected: 1 })], [[2, undefined, 'rejected']]],
    ['asked for again after a rejection', [permission({ rejected: 1 }), waiting()], [[2, undefined, 'pending']]],
    [
      'accepted: active from its start up to its end, and not at its end',
      [permission({ start: 5 })],
      [
        [4.999, undefined, 'enabled'],
        [5, 0, 'enabled'],
        [14.999, 0, 'enabled'],
        [15, undefined, 'ended'],
      ],
    ],
    [
      'accepted and renewing',
      [permission({ renews: true })],
      [
        [9, 0, 'enabled'],
        [10, 0, 'enabled'],
        [1e6, 0, 'enabled'],
      ],
    ],
    ['accepted after its period was over', [permission({ accepted: 20 })], [[20, undefined, 'ended']]],
    [
      'canceled at once; a clock that is set back brings nothing back',
      [permission({ renews: true, canceled: 7 })],
      [
        [6.999, undefined, 'disabled'],
        [7, undefined, 'disabled'],
      ],
    ],
    [
      'canceled at period end',
      [permission({ renews: true, canceledAtPeriodEnd: 12 })],
      [
        [19.999, 0, 'enabled'],
        [20, undefined, 'disabled'],
      ],
    ],
    [
      'canceled before its start',
      [permission({ start: 5, canceled: 3 })],
      [
        [3, undefined, 'disabled'],
        [6, undefined, 'disabled'],
      ],
    ],
    ['an update that waits changes nothing', [permission({ renews: true }), waiting()], [[50, 0, 'enabled']]],
    [
      'an update that was rejected changes nothing',
      [permission(), permission({ rejected: 2 })],
      [
        [5, 0, 'enabled'],
        [10, undefined, 'ended'],
      ],
    ],
    [
      'an update that begins later takes over at its start, and the old one does not come back after it',
      [permission({ renews: true }), permission({ start: 20, accepted: 3 })],
      [
        [19.999, 0, 'enabled'],
        [20, 1, 'enabled'],
        [30, undefined, 'ended'],
        [100, undefined, 'ended'],
      ],
    ],
    [
      'an old one that ends before the new one begins leaves a gap',
      [permission(), permission({ start: 20, accepted: 3 })],
      [
        [10, undefined, 'enabled'],
        [20, 1, 'enabled'],
      ],
    ],
    [
      'one that was to begin later never begins when a newer one has begun before',
      [permission({ start: 20 }), permission({ start: 5, accepted: 5 })],
      [
        [5, 1, 'enabled'],
        [15, undefined, 'ended'],
        [20, undefined, 'ended'],
      ],
    ],
    [
      'a new one that was canceled before its start leaves the old one alone',
      [permission({ renews: true }), permission({ start: 20, accepted: 3, canceled: 4 })],
      [[25, 0, 'enabled']],
    ],
    [
      'a new one that was canceled at its very start had taken over',
      [permission({ renews: true }), permission({ start: 20, accepted: 20, canceled: 20 })],
      [[25, undefined, 'disabled']],
    ],
    ['a new request for one that ended', [permission(), waiting()], [[11, undefined, 'ended']]],
    [
      'begun again after it was disabled',
      [permission({ canceled: 5 }), permission({ start: 7, accepted: 7 })],
      [[7, 1, 'enabled']],
    ],
  ])('%s', (_, permissions, moments) => {
    const facts = debit(...permissions);
    for (const [moment, active, state] of moments) {
      const found = activeOf(facts, at(moment));
      expect([moment, found === undefined ? undefined : permissions.indexOf(found)]).toStrictEqual([moment, active]);
      expect([moment, debitState(facts, at(moment))]).toStrictEqual([moment, state]);
    }
  });

  it('removed: nothing is active, whatever the permissions say', () => {
    const facts = { removedAt: at(3), permissions: [permission({ renews: true }), waiting()] };
    expect([activeOf(facts, at(5)), debitState(facts, at(5)), waitingOf(facts)]).toStrictEqual([
      undefined,
      'removed',
      undefined,
    ]);
  });
});

describe('the state of a permission', () => {
  it.each<[string, PermissionFacts[], now: number, states: string[]]>([
    ['waits until it is decided', [waiting()], 0, ['waiting']],
    ['is taken back when another one is asked for', [waiting(), waiting()], 0, ['replaced', 'waiting']],
    ['rejected', [permission({ rejected: 0 })], 1, ['rejected']],
    ['scheduled', [permission({ start: 5 })], 4, ['scheduled']],
    ['running beside one that is scheduled', [permission(), permission({ start: 8 })], 7, ['running', 'scheduled']],
    ['replaced', [permission(), permission({ start: 8 })], 8, ['replaced', 'running']],
    ['ended before it could be replaced', [permission(), permission({ start: 12 })], 13, ['ended', 'running']],
    [
      'disabled before it could be replaced',
      [permission({ canceled: 3 }), permission({ start: 12 })],
      13,
      ['disabled', 'running'],
    ],
    ['disabled at the end of its period', [permission({ renews: true, canceledAtPeriodEnd: 12 })], 20, ['disabled']],
  ])('%s', (_, permissions, now, states) => {
    const facts = debit(...permissions);
    expect(permissions.map((one) => permissionState(facts, one, at(now)))).toStrictEqual(states);
  });
});

describe('enabling', () => {
  it.each<[string, PermissionFacts[], now: number, string]>([
    ['approves what waits', [waiting()], 0, 'approve'],
    ['approves what waits before it begins anything again', [permission({ canceled: 2 }), waiting()], 3, 'approve'],
    ['changes nothing where it runs', [permission()], 3, 'unchanged'],
    ['changes nothing where it will run', [permission({ start: 5 })], 3, 'unchanged'],
    ['begins again what was disabled', [permission({ canceled: 2 })], 3, 'again'],
    ['begins again what ended', [permission()], 10, 'again'],
    [
      'begins again what would run out with its period',
      [permission({ renews: true, canceledAtPeriodEnd: 2 })],
      3,
      'again',
    ],
    ['begins again although another request was rejected', [permission(), permission({ rejected: 4 })], 10, 'again'],
    ['has nothing to approve after a rejection', [permission({ rejected: 1 })], 2, 'impossible'],
    [
      'has nothing to approve when it was taken back and rejected',
      [waiting(), permission({ rejected: 1 })],
      2,
      'impossible',
    ],
  ])('%s', (_, permissions, now, expected) => {
    expect(enabling(debit(...permissions), at(now))).toBe(expected);
  });

  it('is impossible once it was removed', () => {
    expect(enabling({ removedAt: at(1), permissions: [permission(), waiting()] }, at(2))).toBe('impossible');
  });
});

describe('disabling', () => {
  const indices = (permissions: PermissionFacts[], now: number, atPeriodEnd: boolean): number[] =>
    toCancel(debit(...permissions), at(now), atPeriodEnd).map((one) => permissions.indexOf(one));

  it('cancels what runs and what will run, and nothing else', () => {
    const permissions = [permission({ canceled: 1 }), permission({ start: 2 }), permission({ start: 8 }), waiting()];
    expect(indices(permissions, 5, false)).toStrictEqual([1, 2]);
    expect(indices(permissions, 8, false)).toStrictEqual([2]);
  });

  it('ends at once what would have run out, and moves no time otherwise', () => {
    const runsOut = [permission({ renews: true, canceledAtPeriodEnd: 2 })];
    expect(indices(runsOut, 5, true)).toStrictEqual([]);
    expect(indices(runsOut, 5, false)).toStrictEqual([0]);
    expect(indices(runsOut, 10, false)).toStrictEqual([]);
    expect(indices([permission({ canceled: 2 })], 5, false)).toStrictEqual([]);
  });
});

describe('a renewing permission', () => {
  it('begins its next period at whole periods after its start', () => {
    const facts = debit(permission({ renews: true }));
    expect([0, 9.999, 10, 35].map((now) => seconds(renewsAt(facts, at(now))))).toStrictEqual([10, 10, 20, 40]);
  });

  it('does not once it is to run out, or is over', () => {
    expect(renewsAt(debit(permission()), at(5))).toBeNull();
    expect(renewsAt(debit(permission({ renews: true, canceledAtPeriodEnd: 2 })), at(5))).toBeNull();
    expect(renewsAt(debit(permission({ renews: true, canceled: 2 })), at(5))).toBeNull();
  });
});
