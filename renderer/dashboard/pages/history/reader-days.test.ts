import { describe, expect, it } from 'vitest';
import type { AccessLogDay } from '../../../shared/api/contract.ts';
import { countActiveDays, readerDaysOf } from './reader-days.ts';

const NOW = new Date('2026-03-04T12:00:00.000Z');
const row = (day: string, name: string, calls: number, kind: AccessLogDay['who']['kind'] = 'application') => ({
  day,
  who: { kind, name },
  calls,
  refused: 0,
  records: 0,
});

describe('readerDaysOf', () => {
  it('ranks readers by requests, sums the rest, and omits the owner and the PDA itself', () => {
    const rows = [
      row('2026-03-02', 'a', 1),
      row('2026-03-04', 'a', 7),
      ...['b', 'c', 'd', 'e', 'f', 'g'].map((name, index) => row('2026-03-03', name, 6 - index)),
      row('2026-03-03', '', 100, 'owner'),
      row('2026-03-03', '', 100, 'pda'),
      row('2026-02-01', 'old', 100),
    ];
    const readers = readerDaysOf(rows, 3, NOW);
    expect(readers.days).toEqual(['2026-03-02', '2026-03-03', '2026-03-04']);
    expect(readers.series.map(({ who, calls }) => [who?.name, calls])).toEqual([
      ['a', [1, 0, 7]],
      ['b', [0, 6, 0]],
      ['c', [0, 5, 0]],
      ['d', [0, 4, 0]],
      ['e', [0, 3, 0]],
      [undefined, [0, 3, 0]],
    ]);
    expect(countActiveDays(readers)).toBe(3);
  });

  it('returns no series without requests', () => {
    expect(readerDaysOf([], 3, NOW).series).toEqual([]);
    expect(countActiveDays(readerDaysOf([], 3, NOW))).toBe(0);
  });
});
