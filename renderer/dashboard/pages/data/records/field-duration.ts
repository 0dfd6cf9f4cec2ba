import { secondsOf, signedSecondsOf } from '../../../../../server/wire/iso-8601.ts';
import type { Format } from '../../../../shared/format/format.ts';

const NBSP = '\u00A0';
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const MS_PER_UNIT: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, min: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

type DurationFormat = Pick<Format, 'decimal' | 'number'>;

/** Uses at most two units: "1 h 30 min". */
function durationText(ms: number, { decimal, number }: DurationFormat, texts: { days: (n: number) => string }): string {
  // The rounded value determines the unit, so that 59.996 s is "1 min", not "60 s".
  const milliseconds = Math.round(ms * 100) / 100;
  if (ms > 0 && milliseconds < SECOND_MS) return `${decimal(milliseconds)}${NBSP}ms`;
  const seconds = Math.round(ms / 10) / 100;
  if (seconds * SECOND_MS < MINUTE_MS) return `${decimal(seconds)}${NBSP}s`;
  const step = ms < HOUR_MS ? SECOND_MS : ms < DAY_MS ? MINUTE_MS : HOUR_MS;
  const roundedMs = Math.round(ms / step) * step;
  const parts = [
    [Math.floor(roundedMs / DAY_MS), texts.days],
    [Math.floor((roundedMs % DAY_MS) / HOUR_MS), (n: number) => `${number(n)}${NBSP}h`],
    [Math.floor((roundedMs % HOUR_MS) / MINUTE_MS), (n: number) => `${number(n)}${NBSP}min`],
    [Math.floor((roundedMs % MINUTE_MS) / SECOND_MS), (n: number) => `${number(n)}${NBSP}s`],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .slice(0, 2)
    .map(([amount, formatAmount]) => formatAmount(amount))
    .join(' ');
}

/** @returns undefined unless the value is a number with a known unit of time, or an ISO 8601 duration */
export function formatDuration(
  value: number | string,
  unit: string,
  format: DurationFormat,
  texts: { days: (n: number) => string },
): string | undefined {
  if (typeof value === 'number') {
    const factor = Object.hasOwn(MS_PER_UNIT, unit) ? MS_PER_UNIT[unit] : undefined;
    if (factor === undefined) return undefined;
    const text = durationText(Math.abs(value) * factor, format, texts);
    return value < 0 ? `-${text}` : text;
  }
  const seconds = signedSecondsOf(value);
  // Years and months have no fixed length, so such a duration is shown as written.
  if (seconds === undefined) return secondsOf(value.replace(/^[+-]/u, '')) === 'invalid' ? undefined : value;
  const text = durationText(Math.abs(seconds) * SECOND_MS, format, texts);
  return value.startsWith('-') ? `-${text}` : text;
}
