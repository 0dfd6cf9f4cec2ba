const MINUTE_MS = 60_000;
const UNITS = [
  ['year', 365 * 24 * 60],
  ['month', 30 * 24 * 60],
  ['week', 7 * 24 * 60],
  ['day', 24 * 60],
  ['hour', 60],
  ['minute', 1],
] as const;
const FORMAT = new Intl.RelativeTimeFormat('en');

/**
 * Formats a past time in the format of the reference server: "Never", "moments ago", "7 minutes ago", "3 weeks ago".
 * @param time Unix milliseconds; a time in the future, which a corrected clock can leave behind, counts as now
 */
export const relativeTime = (time: number | undefined, now: number): string => {
  if (time === undefined) return 'Never';
  const minutes = Math.floor((now - time) / MINUTE_MS);
  if (minutes < 5) return 'moments ago';
  const [unit, length] = UNITS.find(([, unitMinutes]) => minutes >= unitMinutes) ?? ['minute', 1];
  return FORMAT.format(-Math.floor(minutes / length), unit);
};
