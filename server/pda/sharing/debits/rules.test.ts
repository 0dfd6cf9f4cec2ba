import { describe, expect, it } from 'vitest';
import {
  activePermissionOf,
  debitState,
  enableOutcome,
  endByTime,
  endOf,
  permissionState,
  renewsAt,
  replacedAt,
  permissionsToCancel,
  permissionsToRestart,
  pendingPermission,
  scheduledAfter,
  undoLastCancellation,
  wouldHaveEnded,
  type DebitFacts,
  type PermissionFacts,
} from './rules.ts';

/** All times in the tests are seconds since this time. */
const T0 = Date.UTC(2026, 0, 15);
const timeAt = (seconds: number): number => T0 + seconds * 1000;

type Facts = Partial<{
  start: number;
  period: number;
  renews: boolean;
  accepted: number;
  rejected: number;
  canceled: number;
  canceledAtPeriodEnd: number;
  /** Cancelled immediately, after a cancellation at period end in the same period. */
  canceledTwice: number;
}>;

/** Without `facts`, runs from 0 to 10 seconds and is accepted at 0. `accepted: -1` makes it pending. */
const permission = (facts: Facts = {}): PermissionFacts => {
  const canceled = facts.canceled ?? facts.canceledAtPeriodEnd ?? facts.canceledTwice;
  const isUndecided = facts.accepted === -1 || facts.rejected !== undefined;
  return {
    start: timeAt(facts.start ?? 0),
    period: facts.period ?? 10,
    cancelAtPeriodEnd: facts.renews !== true,
    acceptedAt: isUndecided ? null : timeAt(facts.accepted ?? 0),
    rejectedAt: facts.rejected === undefined ? null : timeAt(facts.rejected),
    canceledAt: canceled === undefined ? null : timeAt(canceled),
    canceledAtPeriodEnd: facts.canceledAtPeriodEnd !== undefined,
    wasCanceledAtPeriodEnd: facts.canceledTwice !== undefined,
  };
};
const debit = (...permissions: PermissionFacts[]): DebitFacts => ({ removedAt: null, pausedUntil: null, permissions });
const pendingRequest = (facts: Facts = {}): PermissionFacts => permission({ ...facts, accepted: -1 });

const toSeconds = (ms: number | null): number | null => (ms === null ? null : (ms - T0) / 1000);

describe('the end of a permission', () => {
  it.each<[string, Facts, end: number | null, byTime: number | null]>([
    ['does not exist if the permission renews', { renews: true }, null, null],
    ['is start plus period if it ends with its period', { start: 5 }, 15, 15],
    ['is the cancellation if it was cancelled immediately', { renews: true, canceled: 7 }, 7, null],
    ['is the cancellation if that is before the end of its period', { canceled: 7 }, 7, null],
    ['is the end of its period if it was cancelled later', { canceled: 12 }, 10, null],
    [
      'is the end of the first period after a cancellation at period end in the first period',
      { renews: true, canceledAtPeriodEnd: 3 },
      10,
      10,
    ],
    [
      'is the end of the third period after a cancellation at period end in the third period',
      { renews: true, canceledAtPeriodEnd: 27 },
      30,
      30,
    ],
    [
      'is the end of the second period after a cancellation at period end exactly at its start',
      { renews: true, canceledAtPeriodEnd: 10 },
      20,
      20,
    ],
    [
      'is the end of the first period after a cancellation at period end exactly at its start',
      { renews: true, canceledAtPeriodEnd: 0 },
      10,
      10,
    ],
    ['is the end of its period if cancelled at period end but not renewing', { canceledAtPeriodEnd: 3 }, 10, 10],
    [
      'is the cancellation if cancelled at period end before its start',
      { start: 5, renews: true, canceledAtPeriodEnd: 3 },
      3,
      null,
    ],
    ['is the cancellation if cancelled immediately before its start', { start: 5, canceled: 3 }, 3, null],
    [
      'is the end of the current period if a period has a length of one second',
      { period: 1, renews: true, canceledAtPeriodEnd: 4 },
      5,
      5,
    ],
  ])('%s', (_, facts, end, byTime) => {
    expect(toSeconds(endOf(permission(facts)))).toBe(end);
    expect(toSeconds(endByTime(permission(facts)))).toBe(byTime);
  });

  it('is not an expiry if the permission was not accepted', () => {
    expect(endByTime(pendingRequest())).toBeNull();
    expect(endByTime(permission({ rejected: 1 }))).toBeNull();
  });
});

describe('the state of a Data Debit', () => {
  /** Expected index of the active permission, and expected state, at several times. */
  type Moments = [seconds: number, active: number | undefined, state: string][];
  it.each<[string, PermissionFacts[], Moments]>([
    [
      'requested',
      [pendingRequest()],
      [
        [0, undefined, 'pending'],
        [100, undefined, 'pending'],
      ],
    ],
    ['rejected', [permission({ rejected: 1 })], [[2, undefined, 'rejected']]],
    ['requested again after a rejection', [permission({ rejected: 1 }), pendingRequest()], [[2, undefined, 'pending']]],
    [
      'accepted: active from its start (inclusive) to its end (exclusive)',
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
    ['accepted after its period', [permission({ accepted: 20 })], [[20, undefined, 'ended']]],
    [
      'cancelled immediately, even after the clock is set back',
      [permission({ renews: true, canceled: 7 })],
      [
        [6.999, undefined, 'disabled'],
        [7, undefined, 'disabled'],
      ],
    ],
    [
      'cancelled at period end',
      [permission({ renews: true, canceledAtPeriodEnd: 12 })],
      [
        [19.999, 0, 'enabled'],
        [20, undefined, 'disabled'],
      ],
    ],
    [
      'cancelled before its start',
      [permission({ start: 5, canceled: 3 })],
      [
        [3, undefined, 'disabled'],
        [6, undefined, 'disabled'],
      ],
    ],
    ['a pending update changes nothing', [permission({ renews: true }), pendingRequest()], [[50, 0, 'enabled']]],
    [
      'a rejected update changes nothing',
      [permission(), permission({ rejected: 2 })],
      [
        [5, 0, 'enabled'],
        [10, undefined, 'ended'],
      ],
    ],
    [
      'a later update takes over at its start, and the old permission does not resume after it',
      [permission({ renews: true }), permission({ start: 20, accepted: 3 })],
      [
        [19.999, 0, 'enabled'],
        [20, 1, 'enabled'],
        [30, undefined, 'ended'],
        [100, undefined, 'ended'],
      ],
    ],
    [
      'a permission that ends before its successor starts leaves a gap',
      [permission(), permission({ start: 20, accepted: 3 })],
      [
        [10, undefined, 'enabled'],
        [20, 1, 'enabled'],
      ],
    ],
    [
      'a scheduled permission never starts after a newer one has started',
      [permission({ start: 20 }), permission({ start: 5, accepted: 5 })],
      [
        [5, 1, 'enabled'],
        [15, undefined, 'ended'],
        [20, undefined, 'ended'],
      ],
    ],
    [
      'an update that is cancelled before its start does not end the old permission',
      [permission({ renews: true }), permission({ start: 20, accepted: 3, canceled: 4 })],
      [[25, 0, 'enabled']],
    ],
    [
      'an update that is cancelled exactly at its start has replaced the old permission',
      [permission({ renews: true }), permission({ start: 20, accepted: 20, canceled: 20 })],
      [[25, undefined, 'disabled']],
    ],
    ['a new request after the end', [permission(), pendingRequest()], [[11, undefined, 'ended']]],
    [
      'restarted after it was disabled',
      [permission({ canceled: 5 }), permission({ start: 7, accepted: 7 })],
      [[7, 1, 'enabled']],
    ],
  ])('%s', (_, permissions, moments) => {
    const facts = debit(...permissions);
    for (const [moment, active, state] of moments) {
      const activePermission = activePermissionOf(facts, timeAt(moment));
      expect([
        moment,
        activePermission === undefined ? undefined : permissions.indexOf(activePermission),
      ]).toStrictEqual([moment, active]);
      expect([moment, debitState(facts, timeAt(moment))]).toStrictEqual([moment, state]);
    }
  });

  it('is `removed` after the removal, without an active permission', () => {
    const facts = {
      removedAt: timeAt(3),
      pausedUntil: null,
      permissions: [permission({ renews: true }), pendingRequest()],
    };
    expect([
      activePermissionOf(facts, timeAt(5)),
      debitState(facts, timeAt(5)),
      pendingPermission(facts),
    ]).toStrictEqual([undefined, 'removed', undefined]);
  });
});

describe('the state of a permission', () => {
  it.each<[string, PermissionFacts[], now: number, states: string[]]>([
    ['pending until the decision', [pendingRequest()], 0, ['waiting']],
    ['withdrawn by a newer request', [pendingRequest(), pendingRequest()], 0, ['replaced', 'waiting']],
    ['rejected', [permission({ rejected: 0 })], 1, ['rejected']],
    ['scheduled', [permission({ start: 5 })], 4, ['scheduled']],
    ['running beside a scheduled one', [permission(), permission({ start: 8 })], 7, ['running', 'scheduled']],
    ['replaced', [permission(), permission({ start: 8 })], 8, ['replaced', 'running']],
    ['replaced before its start', [permission({ start: 8 }), permission({ start: 8 })], 4, ['replaced', 'scheduled']],
    [
      'replaced by one that starts earlier',
      [permission({ start: 20 }), permission({ start: 15 })],
      4,
      ['replaced', 'scheduled'],
    ],
    [
      'replaced before its start, even after both were cancelled together',
      [permission({ start: 20, canceled: 3 }), permission({ start: 15, canceled: 3 })],
      4,
      ['replaced', 'disabled'],
    ],
    [
      'scheduled if the newer ones that start earlier were cancelled or not accepted',
      [permission({ start: 20 }), permission({ start: 15, canceled: 3 }), pendingRequest({ start: 15 })],
      4,
      ['scheduled', 'disabled', 'waiting'],
    ],
    [
      'stopped before its start, and granted again',
      [permission({ start: 8, canceled: 3 }), permission({ start: 8, accepted: 4 })],
      5,
      ['disabled', 'scheduled'],
    ],
    ['ended before its successor started', [permission(), permission({ start: 12 })], 13, ['ended', 'running']],
    [
      'disabled before it could be replaced',
      [permission({ canceled: 3 }), permission({ start: 12 })],
      13,
      ['disabled', 'running'],
    ],
    ['disabled at the end of its period', [permission({ renews: true, canceledAtPeriodEnd: 12 })], 20, ['disabled']],
  ])('%s', (_, permissions, now, states) => {
    const facts = debit(...permissions);
    expect(permissions.map((item) => permissionState(facts, item, timeAt(now)))).toStrictEqual(states);
  });
});

describe('the replacement of a permission', () => {
  it.each<[string, PermissionFacts[], at: number]>([
    ['is the start of the newer one', [permission(), permission({ start: 8, accepted: 3 })], 8],
    ['is the acceptance of the newer one if that is after its start', [permission(), permission({ accepted: 4 })], 4],
    [
      'is the acceptance of the newer one if that is before the start of both',
      [permission({ start: 20 }), permission({ start: 15, accepted: 3 })],
      3,
    ],
    [
      'is the acceptance of a different permission, not of a copy with the original time of acceptance',
      [permission({ start: 20, accepted: 2 }), permission({ accepted: 5 }), permission({ start: 20, accepted: 2 })],
      5,
    ],
  ])('%s', (_, permissions, at) => {
    const [olderPermission] = permissions;
    expect(toSeconds(replacedAt(debit(...permissions), olderPermission ?? permission(), timeAt(9)) ?? null)).toBe(at);
  });
});

describe('enabling', () => {
  it.each<[string, PermissionFacts[], now: number, string]>([
    ['approves a pending permission', [pendingRequest()], 0, 'approve'],
    ['prefers a pending permission to a restart', [permission({ canceled: 2 }), pendingRequest()], 3, 'approve'],
    ['changes nothing while the permission runs', [permission()], 3, 'unchanged'],
    ['changes nothing while the permission is scheduled', [permission({ start: 5 })], 3, 'unchanged'],
    ['restarts a disabled permission', [permission({ canceled: 2 })], 3, 'restart'],
    ['restarts an ended permission', [permission()], 10, 'restart'],
    [
      'restarts a permission that would end with its period',
      [permission({ renews: true, canceledAtPeriodEnd: 2 })],
      3,
      'restart',
    ],
    ['restarts although a newer request was rejected', [permission(), permission({ rejected: 4 })], 10, 'restart'],
    ['is impossible after a rejection', [permission({ rejected: 1 })], 2, 'impossible'],
    [
      'is impossible after a withdrawal and a rejection',
      [pendingRequest(), permission({ rejected: 1 })],
      2,
      'impossible',
    ],
  ])('%s', (_, permissions, now, expected) => {
    expect(enableOutcome(debit(...permissions), timeAt(now))).toBe(expected);
  });

  it('is impossible after the removal', () => {
    expect(
      enableOutcome(
        { removedAt: timeAt(1), pausedUntil: null, permissions: [permission(), pendingRequest()] },
        timeAt(2),
      ),
    ).toBe('impossible');
  });
});

describe('restarting', () => {
  it.each<[string, PermissionFacts[], now: number, restartedIndices: number[]]>([
    [
      'restarts what was running, and what was scheduled',
      [permission({ canceled: 5 }), permission({ start: 8, canceled: 5 })],
      6,
      [0, 1],
    ],
    [
      'leaves out what a scheduled permission would have replaced by now',
      [permission({ canceled: 5 }), permission({ start: 8, canceled: 5 }), permission({ start: 20, canceled: 5 })],
      9,
      [1, 2],
    ],
    [
      'leaves out a scheduled permission that was already replaced',
      [permission({ canceled: 5 }), permission({ start: 8, canceled: 5 }), permission({ start: 8, canceled: 5 })],
      6,
      [0, 2],
    ],
    [
      'leaves out what was stopped earlier',
      [permission({ renews: true, canceled: 7 }), permission({ start: 20, canceledAtPeriodEnd: 5 })],
      8,
      [0],
    ],
    [
      'leaves out a permission that still runs until the end of its period',
      [
        permission({ renews: true, canceledAtPeriodEnd: 3 }),
        permission({ start: 20, accepted: 4, canceledAtPeriodEnd: 5 }),
      ],
      6,
      [1],
    ],
    [
      'leaves out what would have ended by now if another one starts later',
      [permission({ canceled: 5 }), permission({ start: 20, canceled: 5 })],
      12,
      [1],
    ],
    ['restarts what would have ended by now if it is the only one', [permission({ canceled: 5 })], 12, [0]],
    [
      'restarts what was to end with its period when it was stopped',
      [permission({ renews: true, canceledTwice: 15 }), permission({ start: 40, canceled: 15 })],
      19,
      [0, 1],
    ],
    [
      'leaves out what was to end with its period, and would have ended by now, if another one starts later',
      [permission({ renews: true, canceledTwice: 15 }), permission({ start: 40, canceled: 15 })],
      20,
      [1],
    ],
    ['restarts what ended by itself', [permission({ canceled: 2 }), permission({ start: 3, accepted: 3 })], 15, [1]],
    ['restarts nothing if nothing was accepted', [pendingRequest()], 1, []],
  ])('%s', (_, permissions, now, restartedIndices) => {
    const result = permissionsToRestart(debit(...permissions), timeAt(now));
    expect(result.map((item) => permissions.indexOf(item))).toStrictEqual(restartedIndices);
  });
});

describe('a permission without its last cancellation', () => {
  it.each<[string, Facts, end: number | null]>([
    ['renews again after a cancellation at period end', { renews: true, canceledAtPeriodEnd: 27 }, null],
    ['renews again after an immediate cancellation', { renews: true, canceled: 27 }, null],
    ['ends with its period again', { canceled: 7 }, 10],
    ['ends with the period of its first cancellation', { renews: true, canceledTwice: 27 }, 30],
    ['ends as granted if it was cancelled at period end first', { canceledTwice: 7 }, 10],
  ])('%s', (_, facts, end) => {
    expect(toSeconds(endOf(undoLastCancellation(permission(facts))))).toBe(end);
    expect(wouldHaveEnded(permission(facts), timeAt(end ?? 1e6))).toBe(end !== null);
    expect(wouldHaveEnded(permission(facts), timeAt(end ?? 1e6) - 1)).toBe(false);
  });
});

describe('a running or scheduled permission', () => {
  it('is followed by the newer permissions that take effect, in the order of their requests', () => {
    const permissions = [permission(), permission({ start: 20 }), permission({ start: 15 }), permission({ start: 30 })];
    const facts = debit(...permissions, pendingRequest());
    const starts = (index: number): (number | null)[] =>
      scheduledAfter(facts, permissions[index] ?? permission(), timeAt(5)).map(({ start }) => toSeconds(start));
    expect([0, 1, 2, 3].map(starts)).toStrictEqual([[15, 30], [15, 30], [30], []]);
  });
});

describe('disabling', () => {
  const canceledIndices = (permissions: PermissionFacts[], now: number, atPeriodEnd: boolean): number[] =>
    permissionsToCancel(debit(...permissions), timeAt(now), atPeriodEnd).map((item) => permissions.indexOf(item));

  it('cancels only running and scheduled permissions', () => {
    const permissions = [
      permission({ canceled: 1 }),
      permission({ start: 2 }),
      permission({ start: 8 }),
      pendingRequest(),
    ];
    expect(canceledIndices(permissions, 5, false)).toStrictEqual([1, 2]);
    expect(canceledIndices(permissions, 8, false)).toStrictEqual([2]);
  });

  it('cancels a scheduled permission that a newer one will replace, but not one that was replaced', () => {
    expect(canceledIndices([permission(), permission({ start: 8 }), permission({ start: 8 })], 5, false)).toStrictEqual(
      [0, 1, 2],
    );
    expect(canceledIndices([permission({ start: 20 }), permission({ start: 15 })], 16, false)).toStrictEqual([1]);
  });

  it('can still immediately end a permission that was cancelled at period end, but changes no ended permission', () => {
    const endsAtPeriodEnd = [permission({ renews: true, canceledAtPeriodEnd: 2 })];
    expect(canceledIndices(endsAtPeriodEnd, 5, true)).toStrictEqual([]);
    expect(canceledIndices(endsAtPeriodEnd, 5, false)).toStrictEqual([0]);
    expect(canceledIndices(endsAtPeriodEnd, 10, false)).toStrictEqual([]);
    expect(canceledIndices([permission({ canceled: 2 })], 5, false)).toStrictEqual([]);
  });
});

describe('a renewing permission', () => {
  it('renews at multiples of its period after its start', () => {
    const facts = debit(permission({ renews: true }));
    expect([0, 9.999, 10, 35].map((now) => toSeconds(renewsAt(facts, timeAt(now))))).toStrictEqual([10, 10, 20, 40]);
  });

  it('does not renew if it ends with its period or has ended', () => {
    expect(renewsAt(debit(permission()), timeAt(5))).toBeNull();
    expect(renewsAt(debit(permission({ renews: true, canceledAtPeriodEnd: 2 })), timeAt(5))).toBeNull();
    expect(renewsAt(debit(permission({ renews: true, canceled: 2 })), timeAt(5))).toBeNull();
  });
});
