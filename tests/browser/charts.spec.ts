import type { Page } from '@playwright/test';
import { png, uploadContent } from './files.ts';
import { expect, expectAccessible, test, thoroughTest } from './pda.ts';

const chartPath = (endpoint: string) => `/data/endpoint/${endpoint}?view=chart`;
/** Rows of the chart's table, including the header. */
const rows = (page: Page) => page.getByRole('table').getByRole('row');

/** Twenty days with records of 1000 and 3000 steps each, and one record with a string. */
const steps = [
  ...Array.from({ length: 20 }, (_, index) => `2026-03-${String(index + 1).padStart(2, '0')}`).flatMap((day) => [
    { day, steps: 1000 },
    { day, steps: 3000 },
  ]),
  { day: '2026-03-20', steps: 'not worn' },
];

test('suggests a chart, shows its numbers as a table and reports how many records have no number', async ({
  page,
  pda,
}) => {
  await pda.store('watch/steps', steps);
  await pda.enter(page, '/data/endpoint/watch/steps');
  await page.getByText('Chart', { exact: true }).click();
  await expect(page).toHaveURL(/view=chart/);
  await expect(page.getByRole('heading', { name: /sum per day/ })).toBeVisible();
  await expect(
    page.getByRole('img', { name: /sum per day.*1 Mar 2026.*20 Mar 2026.*Highest: .*4\s000/ }),
  ).toBeVisible();
  await expect(
    page.getByText('1 of 41\u00A0records is not shown, because it has no number or no date, or is larger than 1 MB.'),
  ).toBeVisible();
  await expectAccessible(page, 'the chart');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(rows(page)).toHaveCount(21);
  await expect(rows(page).last()).toHaveText(/^1 Mar 20264\u202F000$/);
  await expectAccessible(page, 'the chart');
});

thoroughTest(
  'keeps aggregation and interval in the URL; Back restores the previous ones, and the choice is remembered',
  async ({ page, pda }) => {
    await pda.store('watch/steps', steps);
    await pda.enter(page, `${chartPath('watch/steps')}&as=table`);
    await expect(rows(page)).toHaveCount(21);
    await page.getByLabel('Aggregation').selectOption('Average');
    await expect(page).toHaveURL(/agg=mean/);
    await expect(rows(page).last()).toHaveText(/^1 Mar 20262\u202F000$/);
    const saveResponse = page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('per=month'),
    );
    await page.getByLabel('Interval').focus();
    await page.keyboard.press('m');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/per=month/);
    await expect(rows(page)).toHaveText([/^Month/, /^March 20262\u202F000$/]);
    await page.goBack();
    await expect(rows(page)).toHaveCount(21);
    await page.goForward();
    await expect(rows(page)).toHaveCount(2);
    await saveResponse;
    await page.goto(`${pda.url}/#/data`);
    await expect(page.getByRole('heading', { name: 'Data', exact: true })).toBeVisible();
    await page.goto(`${pda.url}/#${chartPath('watch/steps')}`);
    await expect(rows(page)).toHaveText([/^Month/, /^March 20262\u202F000$/]);
  },
);

const doors = [
  { at: '2026-03-01T08:00:00Z', open: true },
  { at: '2026-03-02T08:00:00Z', open: true },
  { at: '2026-03-03T08:00:00Z', open: false },
];

thoroughTest('counts records by value and over time if the endpoint has no numbers', async ({ page, pda }) => {
  await pda.store('home/doors', doors);
  await pda.enter(page, `${chartPath('home/doors')}&as=table`);
  await expect(page.getByRole('heading', { name: /^Records per/ })).toBeVisible();
  await page.getByLabel('Interval').selectOption('Year');
  await expect(rows(page)).toHaveText([/^Year/, '20263']);
  await page.getByLabel('Chart type').selectOption('Count by value');
  await expect(rows(page)).toHaveText([/Records$/, 'true2', 'false1']);
});

thoroughTest('reports a chart over time that fails to load, and draws it after a retry', async ({ page, pda }) => {
  await pda.store('home/doors', doors);
  const chartRequests = '**/owner/charts/series?*';
  // Live events would reload the chart automatically.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route(chartRequests, (route) => route.fulfill({ status: 500, json: {} }));
  await pda.enter(page, chartPath('home/doors'));
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await page.unroute(chartRequests);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('img', { name: /^Records per/ })).toBeVisible();
});

thoroughTest('reports that the endpoint of a chart could not be loaded', async ({ page, pda }) => {
  await pda.store('home/doors', doors);
  await page.route('**/owner/endpoints', (route) => route.fulfill({ status: 500, json: {} }));
  await pda.enter(page, chartPath('home/doors'));
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
});

thoroughTest('does not report a chart as empty while some of its records are not loaded', async ({ page, pda }) => {
  await pda.store('home/doors', doors);
  await page.route('**/owner/charts/series?*', (route) =>
    route.request().url().includes('before=')
      ? route.fulfill({ status: 500, json: {} })
      : route.fulfill({ json: { buckets: [], records: 1, excluded: 0, next: 1 } }),
  );
  await pda.enter(page, `${chartPath('home/doors')}&per=day`);
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await expect(page.getByText('Nothing to show')).toHaveCount(0);
});

thoroughTest('draws a distribution, a scatter plot and a year by day', async ({ page, pda }) => {
  await pda.store('body/measures', [
    { day: '2026-03-01', weight: 70.5, pulse: 60 },
    { day: '2026-03-02', weight: 71, pulse: 62 },
    { day: '2026-03-03', weight: 71.5, pulse: 58 },
  ]);
  await pda.enter(page, chartPath('body/measures'));
  for (const [kind, name] of [
    ['Distribution', /^Distribution of/],
    ['Scatter plot', / by /],
    ['Year by day', /in 2026/],
  ] as const) {
    await page.getByLabel('Chart type').selectOption(kind);
    await expect(page.getByRole('img', { name })).toBeVisible();
    await expectAccessible(page, 'the chart');
  }
  await page.getByLabel('Chart type').selectOption('Scatter plot');
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).nth(1)).toHaveText('70.560');
});

thoroughTest('shows the pictures of records, without a request to another host', async ({ page, pda }) => {
  const externalRequests: string[] = [];
  page.context().on('request', (request) => {
    if (!request.url().startsWith(pda.url) && !/^(?:data|blob):/u.test(request.url()))
      externalRequests.push(request.url());
  });
  const fileId = await uploadContent(pda, png(), { name: 'wall.png' });
  await pda.store('album/photos', [
    { taken: '2024-03-02', title: 'Torn', photo: 'data:image/png;base64,AAAA' },
    { taken: '2024-03-03', title: 'Lost', photo: '/api/v2.6/files/content/lost.png' },
    { taken: '2024-03-04', title: 'Cover', photo: 'https://pictures.example/cover.jpg' },
    { taken: '2024-03-05', title: 'Wall', photo: `/api/v2.6/files/content/${fileId}` },
    { taken: '2024-03-06', title: 'River', photo: `data:image/png;base64,${png().toString('base64')}` },
    { taken: '2024-03-07', title: 'Plain', photo: null },
  ]);
  await pda.enter(page, chartPath('album/photos'));
  await expect(page.getByRole('heading', { name: '5 records with a value in this field' })).toBeVisible();
  await expect(page.getByText('1 of 6\u00A0records has no value in this field.')).toBeVisible();
  const grid = page.getByRole('grid', { name: 'Pictures of the records' });
  await expect(grid.getByRole('gridcell')).toHaveText([
    /^River6 Mar 2024$/,
    /^Wall/,
    /^On another server: pictures\.exampleOpen record\s*Cover/,
    /^File missing\s*Lost/,
    /^Damaged picture\s*Torn/,
  ]);
  for (const name of ['River', 'Wall']) {
    const picture = grid.getByRole('gridcell', { name }).locator('img');
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(48);
  }
  await expectAccessible(page, 'the gallery of records');

  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Record' })).toContainText('Wall');
  await page.keyboard.press('Escape');
  await grid.getByText('Open record').click();
  await expect(page.getByRole('dialog', { name: 'Record' })).toContainText('pictures.example/cover.jpg');

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Pin to Home' }).click();
  await expect(page.getByRole('button', { name: 'Pinned to Home' })).toBeVisible();
  await page.goto(`${pda.url}/#/`);
  await expect(page.getByRole('heading', { name: '5 records with a value in Photo' })).toBeVisible();
  const pictureList = page.getByRole('list', { name: 'Pictures of the records' });
  await expect(pictureList.getByRole('link', { name: /^River/ })).toBeVisible();
  await expect(pictureList.getByRole('listitem')).toHaveCount(5);
  await expectAccessible(page, 'Home with a gallery');
  expect(externalRequests).toEqual([]);
});

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  thoroughTest('shows chart labels in German', async ({ page, pda }) => {
    await pda.store('watch/steps', steps);
    await pda.enter(page, chartPath('watch/steps'));
    await expect(page.getByRole('heading', { name: /Summe je Tag/ })).toBeVisible();
    await expect(
      page.getByText('1 von 41\u00A0Datensätzen wird nicht gezeigt: ohne Zahl, ohne Datum oder größer als 1 MB.'),
    ).toBeVisible();
  });
});
