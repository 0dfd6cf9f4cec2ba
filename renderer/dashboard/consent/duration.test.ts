import { describe, expect, it } from 'vitest';
import { periodEnd } from '../../shared/consent/timing-text.ts';
import { AS_REQUESTED, CUSTOM_DAY, lastDay, limitChoices, limitToEndOf, withLimit } from './duration.ts';

const plain = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
const DAY = 86_400;
const now = new Date(2026, 10, 21, 12);
const at = (year: number, month: number, day: number, hour = 12) => new Date(year, month - 1, day, hour).toISOString();

describe('the owner shortens it', () => {
  const asked = { start: at(2026, 11, 21), period: 30 * DAY, cancelAtPeriodEnd: false };

  it('offers only what is not longer than was asked, and each choice says what comes of it', () => {
    const choices = limitChoices(asked, now);
    expect(choices.map(({ value }) => value)).toEqual([
      AS_REQUESTED,
      String(30 * DAY),
      String(7 * DAY),
      String(DAY),
      CUSTOM_DAY,
    ]);
    expect(plain(choices[1]?.label ?? '')).toBe('Until 21 December 2026 (30 days), then it ends');
    expect(choices[1]?.limit).toEqual({ cancelAtPeriodEnd: true });
    expect(choices[2]?.limit).toEqual({ period: 7 * DAY, cancelAtPeriodEnd: true });
    expect(limitChoices({ ...asked, cancelAtPeriodEnd: true }, now)[1]?.limit).toEqual({ period: 7 * DAY });
  });

  it('offers nothing that would be over already', () => {
    const old = { start: at(2026, 11, 1), period: 30 * DAY, cancelAtPeriodEnd: true };
    expect(limitChoices(old, now).map(({ value }) => value)).toEqual([AS_REQUESTED, CUSTOM_DAY]);
  });

  it('takes a day of the owner’s own, to its end, within what was asked', () => {
    expect(lastDay(asked, now)).toBe('2026-12-20');
    const limit = limitToEndOf('2026-11-25', asked);
    expect(limit?.cancelAtPeriodEnd).toBe(true);
    const end = periodEnd(withLimit(asked, limit ?? {}), now);
    expect([end.getFullYear(), end.getMonth() + 1, end.getDate(), end.getHours()]).toEqual([2026, 11, 26, 0]);
    expect(limitToEndOf('2026-12-25', asked)).toBeUndefined();
    expect(limitToEndOf('2026-11-01', asked)).toBeUndefined();
    expect(limitToEndOf('', asked)).toBeUndefined();
  });
});
