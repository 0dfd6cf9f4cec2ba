import { enable, exampleZip, install, trigger } from './functions.ts';
import { type Pda, expect, expectAccessible, expectAccessibleInAllVariants, test } from './pda.ts';

/** The timeline: entries by day, from the records of all sources. */

const DAY_S = 86_400;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

interface TimelineRecord {
  at: number;
  title?: string;
  source?: string;
  content?: object;
  location?: object;
}

const timelineItem = ({ at, title, source = 'diary', content, location }: TimelineRecord) => ({
  source,
  date: { iso: new Date(at * 1000).toISOString(), unix: at },
  types: ['note'],
  ...(title === undefined ? {} : { title: { text: title } }),
  ...(content === undefined ? {} : { content }),
  ...(location === undefined ? {} : { location }),
});

/** Noon of an earlier day, in the local time zone. */
function daysAgo(days: number): number {
  const date = new Date();
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() - days, 12).getTime() / 1000);
}

const storeEntries = (pda: Pda, endpoint: string, inputs: readonly TimelineRecord[]) =>
  pda.store(endpoint, inputs.map(timelineItem));

test('explains in the empty timeline where entries come from', async ({ page, pda }) => {
  await pda.enter(page, '/timeline');
  await expect(page.getByText('Nothing in your timeline yet')).toBeVisible();
  await expectAccessible(page, 'empty timeline');
  await page.getByRole('link', { name: 'Open Functions' }).click();
  await expect(page.getByRole('heading', { name: 'Functions', level: 1 })).toBeVisible();
});

test('shows entries by day, newest first, with links to their records', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [
    { at: daysAgo(3), title: 'A walk', content: { text: 'Along the river' }, location: { address: { city: 'Leeds' } } },
    { at: daysAgo(1), title: 'A visit' },
    { at: daysAgo(400), title: 'Long ago' },
  ]);
  await pda.store('diary/plain', { text: 'no entry of a timeline' });
  await pda.enter(page, '/timeline');
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(headings).toHaveCount(3);
  await expect(headings.first()).toHaveText('Yesterday');
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('article').nth(1)).toContainText('Along the river');
  await expect(page.getByRole('article').nth(1)).toContainText('Leeds');
  await page.getByRole('link', { name: 'Open record: A walk' }).click();
  await expect(page).toHaveURL(/#\/data\/endpoint\/diary\/days\?record=/);
  await expect(page.getByRole('dialog', { name: 'Record' })).toContainText('Along the river');
});

test('shows entries created by a function, and new entries live', async ({ page, pda }) => {
  const days = Array.from({ length: 12 }, (_, back) => ({
    day: new Date((nowSeconds() - (back + 1) * DAY_S) * 1000).toISOString().slice(0, 10),
    steps: 4000 + back * 100,
  }));
  await pda.store('fitness/steps', days);
  await install(pda, exampleZip('activity-summary'));
  await enable(pda, 'activity-summary');
  await pda.enter(page, '/timeline');
  await expect(page.getByText('Nothing in your timeline yet')).toBeVisible();
  await trigger(pda, 'activity-summary');
  await expect(page.getByRole('heading', { name: '4 500 steps' })).toBeVisible();
  await storeEntries(pda, 'diary/days', [{ at: nowSeconds() - 60, title: 'Just now' }]);
  await expect(page.getByRole('article').first()).toContainText('Just now');
});

test('shows HTML of other sources as text, and loads pictures only on demand', async ({ page, pda }) => {
  const requestedUrls: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  await storeEntries(pda, 'feed/posts', [
    {
      at: daysAgo(1),
      content: {
        html: '<p>Fish &amp; <b>chips</b></p><script>document.title="owned"</script><img src="https://tracker.example/a.png" onerror="alert(1)">',
        media: [{ thumbnail: 'https://pictures.example/small.png', url: 'https://pictures.example/large.png' }],
      },
    },
    { at: daysAgo(2), title: '<img src=x onerror=alert(1)>' },
  ]);
  await pda.enter(page, '/timeline');
  await expect(page.getByText('Fish & chips', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: '<img src=x onerror=alert(1)>' })).toBeVisible();
  await expect(page.getByRole('main').locator('img, b, script')).toHaveCount(0);
  await expect(page).toHaveTitle(/^Timeline/);
  expect(requestedUrls.filter((url) => !url.startsWith(pda.url) || url.includes('/owner/picture'))).toEqual([]);

  // The PDA fetches the picture. The host does not exist, so loading fails.
  await page.getByRole('button', { name: 'Show the picture' }).click();
  await expect(page.getByText('The picture could not be loaded.')).toBeVisible();
  expect(requestedUrls.filter((url) => !url.startsWith(pda.url))).toEqual([]);
  expect(requestedUrls.filter((url) => url.includes('/owner/picture'))).toHaveLength(1);
});

test('scrolls to the start and shows each entry once, even if many have the same time', async ({ page, pda }) => {
  const many = Array.from({ length: 130 }, (_, n) => ({ at: daysAgo(2) - (n < 70 ? 0 : n), title: `Entry ${n}` }));
  await storeEntries(pda, 'diary/days', many);
  await storeEntries(pda, 'diary/days', [{ at: daysAgo(900), title: 'The first of all' }]);
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('article').first()).toBeVisible();
  await expect(async () => {
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(page.getByText('Start of the timeline.')).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  const titles = await page.getByRole('article').getByRole('heading').allTextContents();
  expect(titles).toHaveLength(131);
  expect(new Set(titles).size).toBe(131);
  expect(titles.at(-1)).toBe('The first of all');
});

test('filters by source and day, and keeps the filters in the address', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [
    { at: daysAgo(1), title: 'New in the diary' },
    { at: daysAgo(30), title: 'Old in the diary' },
  ]);
  await storeEntries(pda, 'fitbit/feed', [{ at: daysAgo(2), title: 'Of the watch', source: 'fitbit' }]);
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('article')).toHaveCount(3);
  await page.getByLabel('Source').selectOption('Feed (fitbit/feed)');
  await expect(page).toHaveURL(/source=fitbit/);
  await expect(page.getByRole('article')).toHaveText([/Of the watch/]);
  await page.getByLabel('Source').selectOption('All sources');
  const day = new Date((daysAgo(10) + 3600) * 1000).toISOString().slice(0, 10);
  await page.getByLabel('Until', { exact: true }).fill(day);
  await expect(page.getByRole('article')).toHaveText([/Old in the diary/]);
  // The address restores the filters.
  await page.reload();
  await expect(page.getByRole('article')).toHaveText([/Old in the diary/]);
  await page.getByLabel('Source').selectOption('Feed (fitbit/feed)');
  await expect(page.getByText('No matching entries')).toBeVisible();
  await expectAccessible(page, 'no matching entries');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByRole('article')).toHaveCount(3);
});

test('shows that the timeline could not be loaded, and retries', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [{ at: daysAgo(1), title: 'Here' }]);
  let isFailing = true;
  // Live events would reload the timeline automatically.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route('**/api/v2.6/owner/feed*', async (route) => {
    if (!isFailing) return route.continue();
    const body = { error: 'internal_error', cause: 'It broke.', message: 'Internal Server Error', requestId: 'r1' };
    return route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify(body) });
  });
  await pda.enter(page, '/timeline');
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  isFailing = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Here')).toBeVisible();
});

test.describe('the timeline', () => {
  test('has no axe violations with every kind of entry', async ({ page, pda }) => {
    await storeEntries(pda, 'diary/days', [
      { at: nowSeconds() + 3 * DAY_S, title: 'To come' },
      { at: daysAgo(1), title: 'Short' },
      {
        at: daysAgo(2),
        title: 'Long',
        content: {
          text: 'A line of a long text.\n'.repeat(12),
          nestedStructure: { parts: [{ content: 'Steps', badge: '4211' }] },
          media: [{ url: 'https://pictures.example/large.png' }],
        },
      },
      { at: daysAgo(3), content: { text: 'Without a title' } },
    ]);
    await pda.enter(page, '/timeline');
    await expect(page.getByRole('article')).toHaveCount(4);
    await expect(page.getByRole('heading', { name: /, upcoming$/ })).toBeVisible();
    await page.getByRole('button', { name: 'Show more' }).click();
    await expectAccessible(page, 'timeline');
    await expectAccessibleInAllVariants(page, 'timeline');
  });
});
