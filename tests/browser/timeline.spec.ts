import { enableFunction, exampleZip, installFunction, runFunction } from './functions.ts';
import { type Pda, expect, expectAccessible, expectAccessibleInExtraVariants, test, thoroughTest } from './pda.ts';

const DAY_S = 86_400;
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

interface EntryFields {
  unixTime: number;
  title?: string;
  source?: string;
  content?: object;
  location?: object;
}

const createEntry = ({ unixTime, title, source = 'diary', content, location }: EntryFields) => ({
  source,
  date: { iso: new Date(unixTime * 1000).toISOString(), unix: unixTime },
  types: ['note'],
  ...(title === undefined ? {} : { title: { text: title } }),
  ...(content === undefined ? {} : { content }),
  ...(location === undefined ? {} : { location }),
});

/** Returns noon of an earlier day in the local time zone, in seconds since 1970. */
function daysAgo(days: number): number {
  const date = new Date();
  return Math.floor(new Date(date.getFullYear(), date.getMonth(), date.getDate() - days, 12).getTime() / 1000);
}

const storeEntries = (pda: Pda, endpoint: string, entries: readonly EntryFields[]) =>
  pda.store(endpoint, entries.map(createEntry));

thoroughTest('explains in the empty timeline where entries come from', async ({ page, pda }) => {
  await pda.enter(page, '/timeline');
  await expect(page.getByText('Nothing in your timeline yet')).toBeVisible();
  await expectAccessible(page, 'empty timeline');
  await page.getByRole('link', { name: 'Open Functions' }).click();
  await expect(page.getByRole('heading', { name: 'Functions', level: 1 })).toBeVisible();
});

test('shows entries and records by day, newest first, with links to their records', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [
    {
      unixTime: daysAgo(3),
      title: 'A walk',
      content: { text: 'Along the river' },
      location: { address: { city: 'Leeds' } },
    },
    { unixTime: daysAgo(1), title: 'A visit' },
    { unixTime: daysAgo(400), title: 'Long ago' },
  ]);
  const isoDaysAgo = (days: number) => new Date(daysAgo(days) * 1000).toISOString();
  await pda.store('bank/payments', [
    { shop: 'Bakery', amount: 3.5, date: isoDaysAgo(3) },
    { shop: 'Café', amount: 4, date: isoDaysAgo(3) },
  ]);
  await pda.enter(page, '/timeline');
  const headings = page.getByRole('main').getByRole('heading', { level: 2 });
  await expect(headings).toHaveCount(3);
  await expect(headings.first()).toHaveText('Yesterday');
  await expect(page.getByRole('article')).toHaveCount(3);
  await expect(page.getByRole('article').nth(1)).toContainText('Along the river');
  await expect(page.getByRole('article').nth(1)).toContainText('Leeds');
  const payments = page.getByRole('button', { name: 'Payments: 2' });
  await expect(payments).toHaveAttribute('aria-expanded', 'false');
  await payments.press('Enter');
  await expect(page.getByRole('link', { name: 'Café' })).toBeVisible();
  await page.getByRole('link', { name: 'Bakery' }).click();
  await expect(page).toHaveURL(/#\/data\/endpoint\/bank\/payments\?record=/);
  await expect(page.getByRole('dialog', { name: 'Record' })).toContainText('Bakery');
});

thoroughTest('shows entries created by a function, and new entries live', async ({ page, pda }) => {
  const days = Array.from({ length: 12 }, (_, index) => ({
    day: new Date((nowSeconds() - (index + 1) * DAY_S) * 1000).toISOString().slice(0, 10),
    steps: 4000 + index * 100,
  }));
  await pda.store('fitness/steps', days);
  await installFunction(pda, exampleZip('activity-summary'));
  await enableFunction(pda, 'activity-summary');
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('button', { name: 'Steps: 1' }).first()).toBeVisible();
  await runFunction(pda, 'activity-summary');
  await expect(page.getByRole('heading', { name: '4 100 steps' })).toBeVisible();
  await storeEntries(pda, 'diary/days', [{ unixTime: nowSeconds() - 60, title: 'Just now' }]);
  await expect(page.getByRole('article').first()).toContainText('Just now');
});

test('shows HTML from other sources as text, and loads pictures only on demand', async ({ page, pda }) => {
  const requestedUrls: string[] = [];
  page.on('request', (request) => requestedUrls.push(request.url()));
  await storeEntries(pda, 'feed/posts', [
    {
      unixTime: daysAgo(1),
      content: {
        html: '<p>Fish &amp; <b>chips</b></p><script>document.title="owned"</script><img src="https://tracker.example/a.png" onerror="alert(1)">',
        media: [{ thumbnail: 'https://pictures.example/small.png', url: 'https://pictures.example/large.png' }],
      },
    },
    { unixTime: daysAgo(2), title: '<img src=x onerror=alert(1)>' },
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

thoroughTest(
  'pages the entries of a day, jumps to a month, and renders only months near the view',
  async ({ page, pda }) => {
    const records = Array.from({ length: 130 }, (_, n) => ({
      unixTime: daysAgo(2) - (n < 70 ? 0 : 60),
      title: `Entry ${n}`,
    }));
    await storeEntries(pda, 'diary/days', records);
    const months = Array.from({ length: 120 }, (_, n) => ({
      unixTime: Date.UTC(1990, n, 15, 12) / 1000,
      title: `Month ${n}`,
    }));
    await storeEntries(pda, 'diary/days', months);
    await pda.enter(page, '/timeline');
    const entries = page.getByRole('article', { name: /^Entry/ });
    await expect(entries).toHaveCount(50);
    const moreButton = page.getByRole('button', { name: 'Earlier on this day' });
    await moreButton.click();
    await expect(entries).toHaveCount(100);
    // Only the next page of this day fails. Other days may still be loading.
    await page.route(/\/owner\/timeline\/items\?.*\bskip=100\b/u, (route) => route.fulfill({ status: 500, json: {} }));
    await moreButton.click();
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(entries).toHaveCount(100);
    await page.unrouteAll();
    await moreButton.click();
    await expect(entries).toHaveCount(130);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(moreButton).toHaveCount(0);
    const titles = await entries.getByRole('heading').allTextContents();
    expect(new Set(titles).size).toBe(130);

    const strip = page.getByRole('navigation', { name: 'Months' });
    await strip.getByLabel('Year').selectOption('1995');
    await expect(page.getByRole('article', { name: 'Month 71' })).toBeInViewport();
    await strip.getByRole('button', { name: 'Mar 1' }).click();
    await expect(page.getByRole('article', { name: 'Month 62' })).toBeInViewport();
    await expect(page).toHaveURL(/day=1995-03-31/);
    await expect(entries).toHaveCount(0);
    expect(await page.getByRole('heading', { level: 2 }).count()).toBeLessThan(60);
  },
);

thoroughTest('filters by source, searches records, and keeps both in the address', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [
    { unixTime: daysAgo(1), title: 'New in the diary' },
    { unixTime: daysAgo(30), title: 'Old in the diary' },
  ]);
  await storeEntries(pda, 'fitbit/feed', [{ unixTime: daysAgo(2), title: 'From the watch', source: 'fitbit' }]);
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('article')).toHaveCount(3);
  await page.getByLabel('Source').selectOption('fitbit/feed');
  await expect(page).toHaveURL(/source=fitbit/);
  await expect(page.getByRole('article')).toHaveText([/From the watch/]);
  await page.getByLabel('Source').selectOption('All sources');
  await page.getByRole('searchbox', { name: 'Search records' }).fill('old diary');
  await expect(page.getByRole('article')).toHaveText([/Old in the diary/]);
  await expectAccessible(page, 'the timeline with a search');
  // The address restores the search.
  await page.reload();
  await expect(page.getByRole('article')).toHaveText([/Old in the diary/]);
  await page.getByLabel('Source').selectOption('fitbit/feed');
  await expect(page.getByText('No matching entries')).toBeVisible();
  await page.getByRole('button', { name: 'Clear search' }).click();
  await expect(page.getByRole('article')).toHaveText([/From the watch/]);
});

thoroughTest('starts at the newest day after the filters and the day in the URL are cleared', async ({ page, pda }) => {
  await storeEntries(
    pda,
    'diary/days',
    Array.from({ length: 60 }, (_, index) => ({ unixTime: daysAgo(index + 1), title: `Entry ${index + 1}` })),
  );
  const [lastDay] = new Date(daysAgo(60) * 1000).toISOString().split('T');
  await pda.enter(page, `/timeline?source=gone/feed&day=${lastDay}`);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page.getByLabel('Go to day')).toHaveValue('');
  await expect(page.getByRole('article', { name: 'Entry 1', exact: true })).toBeInViewport();
});

thoroughTest('shows that the timeline could not be loaded, and retries', async ({ page, pda }) => {
  await storeEntries(pda, 'diary/days', [{ unixTime: daysAgo(1), title: 'Here' }]);
  let isFailing = true;
  // Live events would reload the timeline automatically.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route('**/api/v2.6/owner/timeline*', async (route) => {
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
  thoroughTest('has no axe violations with upcoming, long and untitled entries', async ({ page, pda }) => {
    await storeEntries(pda, 'diary/days', [
      { unixTime: nowSeconds() + 3 * DAY_S, title: 'To come' },
      { unixTime: daysAgo(1), title: 'Short' },
      {
        unixTime: daysAgo(2),
        title: 'Long',
        content: {
          text: 'A line of a long text.\n'.repeat(12),
          nestedStructure: { parts: [{ content: 'Steps', badge: '4211' }] },
          media: [{ url: 'https://pictures.example/large.png' }],
        },
      },
      { unixTime: daysAgo(3), content: { text: 'Without a title' } },
    ]);
    await pda.enter(page, '/timeline');
    await expect(page.getByRole('article')).toHaveCount(4);
    await expect(page.getByRole('heading', { name: /, upcoming$/ })).toBeVisible();
    await page.getByRole('button', { name: 'Show more', exact: true }).click();
    await expectAccessible(page, 'timeline');
    await expectAccessibleInExtraVariants(page, 'timeline');
  });
});
