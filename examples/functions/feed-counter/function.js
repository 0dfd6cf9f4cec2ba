// Adds an entry to the timeline at most once a day: how many records of well-known sources are new or changed.

/** Endpoints of well-known sources by display name. */
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
      // Counting needs no fields. `_` exists in no record, so the mapping yields empty objects.
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
      name: 'New records',
      headline: 'Once a day: how many records are new or changed, by source',
      description: {
        text: 'Counts the records of well-known sources that were stored or changed since the last count, and adds an entry to your timeline. It reads no field of any record.',
      },
    },
    trigger: { triggerType: 'periodic', period: 'P1D' },
    dataBundle: dataBundle(),
  };
}

/** Formats a number with spaces between groups of three digits. @param {number} count */
const formatCount = (count) => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ' ');

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
    title: {
      text: total === 1 ? '1 new or changed record' : `${formatCount(total)} new or changed records`,
      subtitle: 'New records',
    },
    content: {
      text: counts.map(({ name, count }) => `${name}: ${formatCount(count)}`).join('\n'),
      nestedStructure: { sources: counts.map(({ name, count }) => ({ content: name, badge: String(count) })) },
    },
  };
  return [{ namespace: 'she', endpoint: 'feed-counter', data: [item] }];
}
