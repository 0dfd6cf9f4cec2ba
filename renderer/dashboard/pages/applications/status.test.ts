import { describe, expect, it } from 'vitest';
import { example } from './example.test-support.ts';
import { groupApplications, applicationStateOf } from './status.ts';

const approved = {
  version: '1.0.0',
  time: '2026-03-03T12:00:00.000Z',
  rights: { read: [], write: [], files: [], proposesDebits: false, debits: [], actsAsOwner: false, other: [] },
  data: null,
};
const on = { setup: true, enabled: true, active: true };

describe('where an application stands', () => {
  it.each([
    ['available', example({})],
    ['running', example({ approved, item: on })],
    ['stopped', example({ approved, item: { ...on, enabled: false, active: false, needsUpdating: true } })],
    ['approval', example({ approved, item: { ...on, active: false, needsUpdating: true } })],
    ['problem', example({ approved, item: { ...on, active: false } })],
    [
      'problem',
      example({ approved, item: on, status: { ok: false, problem: '503', checked: '2026-03-03T12:00:00.000Z' } }),
    ],
  ])('%s', (state, application) => {
    expect(applicationStateOf(application)).toBe(state);
  });
});

describe('the catalogue', () => {
  const all = [
    example({ id: 'z', name: 'Zebra' }),
    example({ id: 'b', name: 'Bear', approved, item: on }),
    example({ id: 'a', name: 'Ant', approved, item: { ...on, enabled: false } }),
    example({ id: 'w', name: 'Wolf', approved, item: { ...on, needsUpdating: true } }),
  ];
  const names = (find: string) =>
    [...groupApplications(all, find)].map(([group, some]) => [
      group,
      some.map(({ item }) => item.application.info.name),
    ]);

  it('puts first what wants something', () => {
    expect(names('')).toEqual([
      ['connected', ['Wolf', 'Bear']],
      ['stopped', ['Ant']],
      ['available', ['Zebra']],
    ]);
  });

  it('finds by every word, in any order and case', () => {
    expect(names('STEPS zeb')).toEqual([['available', ['Zebra']]]);
    expect(names('zebra wolf')).toEqual([]);
  });
});
