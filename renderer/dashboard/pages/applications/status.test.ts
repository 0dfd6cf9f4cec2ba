import { describe, expect, it } from 'vitest';
import { exampleApplication } from './example.test-support.ts';
import { groupApplications, applicationStateOf } from './status.ts';

const approved = {
  version: '1.0.0',
  time: '2026-03-03T12:00:00.000Z',
  rights: { read: [], write: [], files: [], proposesDebits: false, debits: [], actsAsOwner: false, other: [] },
  data: null,
};
const enabledItem = { setup: true, enabled: true, active: true };

describe('application status', () => {
  it.each([
    ['available', 'if it was never set up', exampleApplication({})],
    ['running', 'if it is set up', exampleApplication({ approved, item: enabledItem })],
    [
      'stopped',
      'even if it needs an update',
      exampleApplication({
        approved,
        item: { ...enabledItem, enabled: false, active: false, needsUpdating: true },
      }),
    ],
    [
      'approval',
      'if it needs an update',
      exampleApplication({ approved, item: { ...enabledItem, active: false, needsUpdating: true } }),
    ],
    ['problem', 'if it is not active', exampleApplication({ approved, item: { ...enabledItem, active: false } })],
    [
      'problem',
      'if its status check failed',
      exampleApplication({
        approved,
        item: enabledItem,
        status: { ok: false, problem: '503', checked: '2026-03-03T12:00:00.000Z' },
      }),
    ],
  ])('is %s %s', (state, _, application) => {
    expect(applicationStateOf(application)).toBe(state);
  });
});

describe('application list', () => {
  const applications = [
    exampleApplication({ id: 'z', name: 'Zebra' }),
    exampleApplication({ id: 'b', name: 'Bear', approved, item: enabledItem }),
    exampleApplication({ id: 'a', name: 'Ant', approved, item: { ...enabledItem, enabled: false } }),
    exampleApplication({ id: 'w', name: 'Wolf', approved, item: { ...enabledItem, needsUpdating: true } }),
  ];
  const names = (searchText: string) =>
    [...groupApplications(applications, searchText)].map(([group, members]) => [
      group,
      members.map(({ item }) => item.application.info.name),
    ]);

  it('starts with the applications that need attention', () => {
    expect(names('')).toEqual([
      ['connected', ['Wolf', 'Bear']],
      ['stopped', ['Ant']],
      ['available', ['Zebra']],
    ]);
  });

  it('matches all words in any order, ignoring case', () => {
    expect(names('STEPS zeb')).toEqual([['available', ['Zebra']]]);
    expect(names('zebra wolf')).toEqual([]);
  });
});
