// Adds an entry to the timeline for each completed day: its steps, compared with the average of the week before. Reads
// whole days and not only new records (`"reads": "all"` in the manifest). Its bundle selects the days.

const DAY_MS = 86_400_000;
/** Length of the period whose average a day is compared with. */
const BASELINE_DAYS = 7;
/** Length of the period that the first run summarises. */
const FIRST_RUN_DAYS = 14;

/** Returns the calendar day in UTC, as YYYY-MM-DD. @param {number} ms Unix milliseconds */
const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/**
 * Returns the first and the last day that ended since the last run. Days are in UTC, because the function does not know
 * the owner's time zone.
 * @param {string | undefined} fromDate @param {string} untilDate
 */
const daysToSummarise = (fromDate, untilDate) => {
  const until = Date.parse(untilDate);
  const from = fromDate === undefined ? until - FIRST_RUN_DAYS * DAY_MS : Date.parse(fromDate);
  return { first: dayOf(from), last: dayOf(until - DAY_MS) };
};

/** @param {import('../function.d.ts').Window} window @returns {import('../function.d.ts').NamedBundle} */
export function dataBundle({ fromDate, untilDate }) {
  const { first, last } = daysToSummarise(fromDate, untilDate);
  // `between` excludes both bounds.
  const lower = dayOf(Date.parse(first) - (BASELINE_DAYS + 1) * DAY_MS);
  const upper = dayOf(Date.parse(last) + DAY_MS);
  return {
    name: 'activity-summary',
    bundle: {
      steps: {
        endpoints: [
          {
            endpoint: 'fitness/steps',
            mapping: { day: 'day', steps: 'steps' },
            filters: [{ field: 'day', operator: { operator: 'between', lower, upper } }],
          },
        ],
      },
    },
  };
}

/** @returns {import('../function.d.ts').Configuration} */
export function configuration() {
  return {
    id: 'activity-summary',
    info: {
      version: '1.0.0',
      versionReleaseDate: '2026-11-21T00:00:00.000Z',
      name: 'Your days on foot',
      headline: 'For each day: how many steps you walked, compared with the week before',
      description: {
        text: 'Adds up the steps of each completed day and adds an entry to your timeline that compares them with the seven days before.',
      },
    },
    trigger: { triggerType: 'periodic', period: 'PT6H' },
    dataBundle: {
      name: 'activity-summary',
      bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'day', steps: 'steps' } }] } },
    },
  };
}

/** Formats a number with spaces between groups of three digits. @param {number} count */
const formatCount = (count) => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ' ');

/** @param {number} steps @param {number | undefined} average */
const describeChange = (steps, average) => {
  if (average === undefined || average === 0) return 'No earlier steps to compare with.';
  const percent = Math.round((steps / average - 1) * 100);
  if (percent === 0) return `Same as on a usual day (${formatCount(average)}).`;
  return `${Math.abs(percent)} % ${percent > 0 ? 'more' : 'less'} than on a usual day (${formatCount(average)}).`;
};

/**
 * @param {import('../function.d.ts').ProcessRequest<{ day?: unknown, steps?: unknown }>} processRequest
 * @returns {import('../function.d.ts').Output[]}
 */
export function process({ functionConfiguration, request }) {
  /** @type {Map<string, number>} */
  const byDay = new Map();
  for (const { data } of request.data['steps'] ?? []) {
    if (typeof data.day !== 'string' || typeof data.steps !== 'number') continue;
    const day = data.day.slice(0, 10);
    byDay.set(day, (byDay.get(day) ?? 0) + data.steps);
  }
  const { lastExecution } = functionConfiguration.status;
  const { first, last } = daysToSummarise(lastExecution, new Date().toISOString());
  const data = [...byDay]
    .filter(([day]) => day >= first && day <= last)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, steps]) => {
      const start = Date.parse(day);
      const baseline = [...byDay].filter(([other]) => other < day && other >= dayOf(start - BASELINE_DAYS * DAY_MS));
      const baselineSteps = baseline.reduce((sum, [, count]) => sum + count, 0);
      const average = baseline.length === 0 ? undefined : baselineSteps / baseline.length;
      // The timeline shows the entry at the end of its day.
      const end = start + DAY_MS - 1000;
      /** @type {import('../function.d.ts').FeedItem & { day: string, steps: number }} */
      const item = {
        source: 'activity-summary',
        date: { iso: new Date(end).toISOString(), unix: end / 1000 },
        types: ['activity'],
        title: { text: `${formatCount(steps)} steps`, subtitle: 'Your days on foot' },
        content: { text: describeChange(steps, average) },
        day,
        steps,
      };
      return item;
    });
  return data.length === 0 ? [] : [{ namespace: 'she', endpoint: 'activity-summary', data }];
}
