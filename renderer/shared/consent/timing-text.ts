import { day, relativeTime } from '../format/format.ts';
import { m } from '../messages/texts.ts';

const texts = m.consent;
const MS_PER_SECOND = 1000;
const DAY_MS = 86_400_000;

export interface Timing {
  /** ISO 8601. */
  start: string;
  /** In seconds. */
  period: number;
  cancelAtPeriodEnd: boolean;
}

const UNIT_SECONDS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns text such as "30 days" or "1 day 6 hours", without rounding. */
export function spanText(seconds: number): string {
  let remaining = seconds;
  const parts: string[] = [];
  for (const [unit, size] of UNIT_SECONDS) {
    const n = Math.floor(remaining / size);
    if (n > 0) parts.push(texts.span[unit](n));
    remaining -= n * size;
  }
  return parts.join(' ');
}

/** Returns text such as "every 30 days" or "every day". */
export function intervalText(seconds: number): string {
  const unit = UNIT_SECONDS.find(([, size]) => size === seconds)?.[0];
  return unit === undefined ? texts.interval.other(spanText(seconds)) : texts.interval[unit];
}

/** Returns a relative time ("today 14:05") within two days of `now`; otherwise the day ("3 March 2027"). */
export function nearTimeText(time: Date, now: Date): string {
  return Math.abs(time.getTime() - now.getTime()) < 2 * DAY_MS
    ? relativeTime(time.toISOString(), now)
    : day(time.toISOString());
}

/** Latest time that a `Date` can represent. */
const MAX_DATE_MS = 8_640_000_000_000_000;

/** Returns the end of the current period; of the first one if the permission has not started or does not renew. */
export function periodEnd({ start, period, cancelAtPeriodEnd }: Timing, now: Date): Date {
  const startMs = Date.parse(start);
  const periodMs = period * MS_PER_SECOND;
  const elapsedMs = now.getTime() - startMs;
  const completedPeriods = cancelAtPeriodEnd || elapsedMs < 0 ? 0 : Math.floor(elapsedMs / periodMs);
  return new Date(Math.min(MAX_DATE_MS, startMs + (completedPeriods + 1) * periodMs));
}

/** Returns Unix milliseconds; infinity if the permission renews. */
export function finalEnd({ start, period, cancelAtPeriodEnd }: Timing): number {
  return cancelAtPeriodEnd ? Date.parse(start) + period * MS_PER_SECOND : Number.POSITIVE_INFINITY;
}

export function hasEnded(timing: Timing, now: Date): boolean {
  return finalEnd(timing) <= now.getTime();
}

export function startText(timing: Timing, now: Date): string {
  const start = new Date(timing.start);
  return start <= now ? texts.time.immediately : texts.time.from(nearTimeText(start, now));
}

/** Returns text such as "Until 3 March 2027. Then it ends automatically." */
export function endText(timing: Timing, now: Date): string {
  const end = nearTimeText(periodEnd(timing, now), now);
  if (hasEnded(timing, now)) return texts.time.ended(end);
  return timing.cancelAtPeriodEnd ? texts.time.ends(end) : texts.time.renews(end, intervalText(timing.period));
}

/** Returns text for the end of a sentence: "until 3 March 2027"; "until you stop sharing" if the permission renews. */
export function untilText(timing: Timing, now: Date): string {
  return timing.cancelAtPeriodEnd
    ? texts.time.until(nearTimeText(periodEnd(timing, now), now))
    : texts.time.untilStopped;
}
