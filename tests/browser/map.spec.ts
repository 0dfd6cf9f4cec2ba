import type { Locator, Page } from '@playwright/test';
import { expect, expectAccessible, test } from './pda.ts';

const chartPath = (endpoint: string) => `/data/endpoint/${endpoint}?view=chart`;
const rows = (page: Page) => page.getByRole('table').getByRole('row');
const map = (page: Page) => page.locator('[aria-busy]', { has: page.locator('canvas') });
/** Waits until a map shows the records of its view. */
const expectDrawn = (shownMap: Locator) => expect(shownMap).toHaveAttribute('aria-busy', 'false');

test('shows records with a position on a map and as a list, without a request to another host', async ({
  page,
  pda,
}) => {
  const requests: string[] = [];
  page.context().on('request', (request) => requests.push(request.url()));
  await pda.storeDataSet('places/capitals', 'us-state-capitals.json');
  await pda.enter(page, chartPath('places/capitals'));
  await expect(page.getByRole('heading', { name: '50 records on the map' })).toBeVisible();
  await expectDrawn(map(page));
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await expectDrawn(map(page));
  await expectAccessible(page, 'the map');

  await page.getByRole('button', { name: 'Show as list' }).click();
  await page.getByRole('button', { name: 'Show everything' }).click();
  await expect(rows(page).filter({ hasText: /^Honolulu/ })).toHaveText(
    /^Honolulu21\.309°\sN, 157\.826°\sW, near Honolulu/,
  );
  const rowCount = await rows(page).count();
  await page
    .getByRole('button', { name: /^Show \d+ records$/ })
    .first()
    .press('Enter');
  await expect(rows(page)).not.toHaveCount(rowCount);
  await page.getByRole('button', { name: 'Show everything' }).click();
  await rows(page)
    .filter({ hasText: /^Honolulu/ })
    .getByRole('button')
    .press('Enter');
  await expect(page.getByRole('dialog')).toContainText('Hawaii');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'Pin to Home' }).click();
  await page.goto(`${pda.url}/#/`);
  const pinnedCharts = page.getByRole('region', { name: 'Charts' });
  await expect(pinnedCharts.getByRole('img', { name: '50 records on the map' })).toBeVisible();
  await expectDrawn(map(page));

  expect(requests.length).toBeGreaterThan(20);
  expect(requests.filter((url) => !/^(?:data|blob):/u.test(url) && new URL(url).origin !== pda.url)).toEqual([]);
});

test('lists the records of one place, connects them in order of time and limits them to an interval', async ({
  page,
  pda,
}) => {
  const hostile = '<img src="https://tracker.example/x.png" onerror="alert(1)">';
  await pda.store('phone/places', [
    { name: hostile, lat: 52.52, lon: 13.4, at: '2026-03-01T08:00:00Z' },
    { name: 'x'.repeat(900_000), lat: 52.52, lon: 13.4, at: '2026-03-02T08:00:00Z' },
    { name: 'Home', lat: '52.52', lon: '13.4', at: '2026-03-03T08:00:00Z' },
  ]);
  await pda.enter(page, `${chartPath('phone/places')}&chart=map`);
  await expectDrawn(map(page));
  await page.getByRole('region', { name: /on the map/ }).click();
  const place = page.getByRole('region', { name: /^3 records at .*, near Berlin$/ });
  await expect(place.getByRole('button', { name: hostile })).toBeVisible();
  await expect(page.locator('img[src*="tracker"]')).toHaveCount(0);
  await place.getByRole('button', { name: 'Home' }).click();
  await expect(page.getByRole('dialog')).toContainText('52.52');
  await page.keyboard.press('Escape');

  await page.getByRole('checkbox', { name: 'Connect in order of time' }).click();
  await expect(page).toHaveURL(/connect=1/);
  await page.getByRole('slider', { name: 'From' }).press('ArrowRight');
  await expect(page).toHaveURL(/from=\d+/);
  await page.getByRole('button', { name: 'Show as list' }).click();
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).last().getByRole('button')).toHaveAccessibleName(/^Show 2\srecords$/);
});
