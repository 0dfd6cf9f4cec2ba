import { weekdayOf } from './months.ts';

const HEAT_LEVELS = 4;

/**
 * Returns the colour level of a day, 1 to 4. Returns 0 without a value, and for the value 0 unless `low` is negative.
 * @param low lowest value of the year
 * @param high highest value of the year
 */
export const heatLevelOf = (value: number | null, low: number, high: number): number => {
  if (value === null || (value === 0 && low >= 0)) return 0;
  const base = Math.min(low, high);
  if (high === base) return HEAT_LEVELS;
  return Math.min(HEAT_LEVELS, 1 + Math.floor(((value - base) / (high - base)) * HEAT_LEVELS));
};

/** @param year four digits */
export const daysOfYear = (year: string): string[] => {
  const date = new Date(`${year}-01-01T00:00:00Z`);
  const days: string[] = [];
  for (; date.toISOString().startsWith(year); date.setUTCDate(date.getUTCDate() + 1))
    days.push(date.toISOString().slice(0, 10));
  return days;
};

export const weekColumnOf = (day: string): number => {
  const start = `${day.slice(0, 4)}-01-01`;
  return Math.floor(((Date.parse(day) - Date.parse(start)) / 86_400_000 + weekdayOf(start)) / 7);
};
