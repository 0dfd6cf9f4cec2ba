import { describe, expect, it } from 'vitest';
import type { LedgerGroup, LedgerRow } from '../../../shared/api/contract.ts';
import { shouldContinueSearch, joinByDay } from './groups.ts';

const row = (id: number, time: string, changes: Partial<LedgerRow> = {}): LedgerRow => ({
  id,
  time,
  who: { kind: 'application', name: 'acme' },
  action: 'GET /api/v2.6/data/:namespace/*endpoint',
  outcome: 'allowed',
  status: 200,
  reason: null,
  consent: null,
  endpoints: ['fitness/steps'],
  files: [],
  records: 10,
  fields: null,
  bytes: 100,
  address: '203.0.113.7',
  count: 1,
  last: null,
  ...changes,
});
const group = (groupRow: LedgerRow, entries: number, oldest: number, since = groupRow.time): LedgerGroup => ({
  day: groupRow.time.slice(0, 10),
  row: groupRow,
  entries,
  oldest,
  since,
});

const NOW = new Date(2026, 2, 4, 9);

describe('joinByDay', () => {
  it('joins a group that continues on the next page, and merges its files', () => {
    const file = (name: string) => ({ fileId: name, name });
    const pages = [
      [group(row(90, '2026-03-04T08:00:00.000Z', { files: [file('a.png')], records: 3, count: 3 }), 3, 70)],
      [
        group(
          row(60, '2026-03-04T06:00:00.000Z', { files: [file('b.png'), file('a.png')], records: 2, count: 2 }),
          2,
          50,
        ),
        group(row(40, '2026-03-03T06:00:00.000Z'), 1, 40),
      ],
    ];
    const [today, yesterday] = joinByDay(pages, NOW);
    expect(today?.groups).toHaveLength(1);
    expect(today?.groups[0]).toMatchObject({
      entries: 5,
      oldest: 50,
      since: '2026-03-04T06:00:00.000Z',
      row: { id: 90, records: 5, count: 5, bytes: 200, files: [file('a.png'), file('b.png')] },
    });
    expect(yesterday?.groups.map(({ entries }) => entries)).toEqual([1]);
  });

  it('does not join groups that differ in reader, action, error code, consent, endpoint or day', () => {
    const time = '2026-03-04T08:00:00.000Z';
    const variants: Partial<LedgerRow>[] = [
      {},
      { who: { kind: 'application', name: 'other' } },
      { action: 'DELETE /api/v2.6/data' },
      { outcome: 'refused', reason: 'forbidden' },
      { consent: { kind: 'debit', name: 'dd-1', detail: '' } },
      { consent: { kind: 'folder', name: 'Trips', detail: 'Grace' } },
      { consent: { kind: 'folder', name: 'Trips', detail: 'Alan' } },
      { endpoints: ['fitness/sleep'] },
      { time: '2026-03-03T08:00:00.000Z' },
    ];
    const groups = variants.map((changes, index) => group(row(index + 1, changes.time ?? time, changes), 1, index + 1));
    const days = joinByDay([groups.toReversed()], NOW);
    expect(days.map(({ label, groups: members }) => [label, members.length])).toEqual([
      ['Today', 8],
      ['Yesterday', 1],
    ]);
  });
});

it('continues a search without matches on the next page, but not after an error', () => {
  const state = { hasNextPage: true, isFetching: false, isError: false };
  expect(shouldContinueSearch([], state)).toBe(true);
  expect(shouldContinueSearch([], { ...state, isError: true })).toBe(false);
  expect(shouldContinueSearch([], { ...state, isFetching: true })).toBe(false);
  expect(shouldContinueSearch([group(row(1, '2026-03-01T12:00:00.000Z'), 1, 1)], state)).toBe(false);
});
