import { secondsOf } from '../../../../../server/wire/iso-8601.ts';
import type { Format } from '../../../../shared/format/format.ts';

/** Formats the durations of records. */

const NBSP = '\u00A0';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: SECOND, min: MINUTE, h: HOUR, d: DAY };

type DurationFormat = Pick<Format, 'decimal' | 'number'>;

/** "1 h 30 min": the two largest units. */
function textOf(ms: number, { decimal, number }: DurationFormat, words: { days: (n: number) => string }): string {
  if (ms > 0 && ms < SECOND) return `${decimal(Math.round(ms * 100) / 100)}${NBSP}ms`;
  if (ms < MINUTE) return `${decimal(Math.round(ms / 10) / 100)}${NBSP}s`;
  const step = ms < HOUR ? SECOND : ms < DAY ? MINUTE : HOUR;
  const rounded = Math.round(ms / step) * step;
  const parts = [
    [Math.floor(rounded / DAY), words.days],
    [Math.floor((rounded % DAY) / HOUR), (n: number) => `${number(n)}${NBSP}h`],
    [Math.floor((rounded % HOUR) / MINUTE), (n: number) => `${number(n)}${NBSP}min`],
    [Math.floor((rounded % MINUTE) / SECOND), (n: number) => `${number(n)}${NBSP}s`],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .slice(0, 2)
    .map(([amount, name]) => name(amount))
    .join(' ');
}

/** Formats a number in a unit of time, or an ISO 8601 duration. @returns undefined for any other value or unit */
export function formatDuration(
  value: number | string,
  unit: string,
  format: DurationFormat,
  words: { days: (n: number) => string },
): string | undefined {
  if (typeof value === 'number') {
    const factor = Object.hasOwn(MS_PER_UNIT, unit) ? MS_PER_UNIT[unit] : undefined;
    if (factor === undefined) return undefined;
    const text = textOf(Math.abs(value) * factor, format, words);
    return value < 0 ? `-${text}` : text;
  }
  const isNegative = value.startsWith('-');
  const seconds = secondsOf(value.replace(/^[+-]/u, ''));
  // Years and months have no fixed length, so they stay as they are written.
  if (typeof seconds !== 'number') return seconds === 'none' ? undefined : value;
  const text = textOf(seconds * SECOND, format, words);
  return isNegative ? `-${text}` : text;
}
