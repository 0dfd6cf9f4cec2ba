/** Says once a day in the timeline how much came into the account, and from where. */

/** Where well-known sources store what they bring. Only their number is needed, so hardly a field is read. */
const SOURCES = {
  'Calendar events': 'calendar/google/events',
  'Facebook posts': 'facebook/feed',
  'Fitbit days': 'fitbit/activity/day/summary',
  Notes: 'rumpel/notablesv1',
  'Songs listened to': 'spotify/feed',
  Steps: 'fitness/steps',
  Transactions: 'monzo/transactions',
  Tweets: 'twitter/tweets',
};

/** @returns {import('../function.d.ts').NamedBundle} */
export function dataBundle() {
  return {
    name: 'feed-counter',
    bundle: Object.fromEntries(
      // A field that no record has: what is mapped to it is left out, and nothing of the record leaves its place.
      Object.entries(SOURCES).map(([name, endpoint]) => [
        name,
        { endpoints: [{ endpoint, mapping: { nothing: '_' } }] },
      ]),
    ),
  };
}

/** @returns {import('../function.d.ts').Configuration} */
export function configuration() {
  return {
    id: 'feed-counter',
    info: {
      version: '1.0.0',
      versionReleaseDate: '2026-11-21T00:00:00.000Z',
      name: 'What came in',
      headline: 'Once a day: how much came into your account, and from where',
      description: {
        text: 'Counts what your sources stored since the last count and puts one line into your timeline. It reads no field of any record, only that there is one.',
      },
    },
    trigger: { triggerType: 'periodic', period: 'P1D' },
    dataBundle: dataBundle(),
  };
}

/** @param {number} count */
const grouped = (count) => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ' ');

/**
 * @param {import('../function.d.ts').ProcessRequest} request
 * @returns {import('../function.d.ts').Output[]}
 */
export function process({ request }) {
  const counts = Object.entries(request.data)
    .map(([name, records]) => ({ name, count: records.length }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  if (total === 0) return [];
  const now = new Date();
  /** @type {import('../function.d.ts').FeedItem} */
  const item = {
    source: 'feed-counter',
    date: { iso: now.toISOString(), unix: Math.floor(now.getTime() / 1000) },
    types: ['insight'],
    title: { text: total === 1 ? 'One record came in' : `${grouped(total)} records came in`, subtitle: 'What came in' },
    content: {
      text: counts.map(({ name, count }) => `${name}: ${grouped(count)}`).join('\n'),
      nestedStructure: { sources: counts.map(({ name, count }) => ({ content: name, badge: String(count) })) },
    },
  };
  return [{ namespace: 'she', endpoint: 'feed-counter', data: [item] }];
}
