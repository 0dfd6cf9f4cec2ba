const MINUTE_MS = 60_000;
const MOMENTS_MAX_MINUTES = 5;
const UNIT_MINUTES = [
  ['year', 365 * 24 * 60],
  ['month', 30 * 24 * 60],
  ['week', 7 * 24 * 60],
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const;
const RELATIVE_TIME_FORMAT = new Intl.RelativeTimeFormat('en');

/**
 * Formats a time as the original implementation does: "Never", "moments ago", "7 minutes ago", "3 weeks ago".
 * @param time Unix milliseconds; a time in the future, as after a clock correction, counts as now
 */
export const formatRelativeTime = (time: number | undefined, now: number): string => {
  if (time === undefined) return 'Never';
  const minutes = Math.floor((now - time) / MINUTE_MS);
  if (minutes < MOMENTS_MAX_MINUTES) return 'moments ago';
  const [unit, minutesPerUnit] = UNIT_MINUTES.find(([, unitMinutes]) => minutes >= unitMinutes) ?? ['minute', 1];
  return RELATIVE_TIME_FORMAT.format(-Math.floor(minutes / minutesPerUnit), unit);
};
