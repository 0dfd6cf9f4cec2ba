const DAY_MS = 86_400_000;

/** Creates a function that formats Unix milliseconds as `2026-03-01`. @throws RangeError for an unknown time zone */
export const createLocalDateFormat = (timeZone: string): ((ms: number) => string) => {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'iso8601',
    numberingSystem: 'latn',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${(parts.get('year') ?? '').padStart(4, '0')}-${parts.get('month') ?? ''}-${parts.get('day') ?? ''}`;
  };
};

/**
 * Returns the first instant of a date in Unix milliseconds. It is not midnight if clocks are set forward at midnight.
 * @throws RangeError for an unknown time zone
 */
export const startOfLocalDate = (date: string, timeZone: string): number => {
  const dateOf = createLocalDateFormat(timeZone);
  // Offsets are less than a day, so the day begins within a day of midnight UTC.
  let lower = Date.parse(date) - DAY_MS;
  let upper = Date.parse(date) + DAY_MS;
  while (upper - lower > 1) {
    const middle = Math.floor((lower + upper) / 2);
    if (dateOf(middle) < date) lower = middle;
    else upper = middle;
  }
  return upper;
};

/** @param date such as `2026-03-01` */
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
