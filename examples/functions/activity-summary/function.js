/**
 * A line for each day that is over: how far one walked, against the days before. It reads whole days, not only what is new
 * (`"reads": "all"` in the manifest), and says in its bundle which.
 */

const DAY_MS = 86_400_000;
/** Days before the first one that is summed up: what a usual day is. */
const USUAL_DAYS = 7;
/** Days that are summed up by the first run. */
const FIRST_DAYS = 14;

/** The day of a time as it is written, without its hours. @param {number} ms Unix milliseconds */
const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);

/**
 * The first and the last day to sum up: all that have ended since the last run. Days are those of UTC: the PDA does not know
 * where its owner is.
 * @param {string | undefined} fromDate @param {string} untilDate
 */
const daysToDo = (fromDate, untilDate) => {
  const until = Date.parse(untilDate);
  const from = fromDate === undefined ? until - FIRST_DAYS * DAY_MS : Date.parse(fromDate);
  return { first: dayOf(from), last: dayOf(until - DAY_MS) };
};

/** @param {{ fromDate?: string, untilDate: string }} window @returns {import('../function.d.ts').NamedBundle} */
export function dataBundle({ fromDate, untilDate }) {
  const { first, last } = daysToDo(fromDate, untilDate);
  // `between` leaves out both its ends.
  const lower = dayOf(Date.parse(first) - (USUAL_DAYS + 1) * DAY_MS);
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
      headline: 'Each morning: how far you walked yesterday, against your usual day',
      description: {
        text: 'Adds up the steps of each day that is over and puts one line into your timeline: the steps, and how that compares with the seven days before.',
      },
    },
    trigger: { triggerType: 'periodic', period: 'PT6H' },
    dataBundle: {
      name: 'activity-summary',
      bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'day', steps: 'steps' } }] } },
    },
  };
}

/** @param {number} count */
const grouped = (count) => String(Math.round(count)).replaceAll(/\B(?=(?:\d{3})+$)/gu, ' ');

/** @param {number} steps @param {number | undefined} usual */
const against = (steps, usual) => {
  if (usual === undefined || usual === 0) return 'There is nothing yet to compare it with.';
  const percent = Math.round((steps / usual - 1) * 100);
  if (percent === 0) return `As much as on a usual day (${grouped(usual)}).`;
  return `${Math.abs(percent)} % ${percent > 0 ? 'more' : 'less'} than on a usual day (${grouped(usual)}).`;
};

/**
 * @param {import('../function.d.ts').ProcessRequest<{ day?: unknown, steps?: unknown }>} given
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
  const { first, last } = daysToDo(lastExecution, new Date().toISOString());
  const data = [...byDay]
    .filter(([day]) => day >= first && day <= last)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, steps]) => {
      const begin = Date.parse(day);
      const before = [...byDay].filter(([other]) => other < day && other >= dayOf(begin - USUAL_DAYS * DAY_MS));
      const usual = before.length === 0 ? undefined : before.reduce((sum, [, count]) => sum + count, 0) / before.length;
      // At the day's end: that is when it was known.
      const end = begin + DAY_MS - 1000;
      /** @type {import('../function.d.ts').FeedItem & { day: string, steps: number }} */
      const item = {
        source: 'activity-summary',
        date: { iso: new Date(end).toISOString(), unix: end / 1000 },
        types: ['activity'],
        title: { text: `${grouped(steps)} steps`, subtitle: 'Your days on foot' },
        content: { text: against(steps, usual) },
        day,
        steps,
      };
      return item;
    });
  return data.length === 0 ? [] : [{ namespace: 'she', endpoint: 'activity-summary', data }];
}
