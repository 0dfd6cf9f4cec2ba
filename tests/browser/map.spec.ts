import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page, Request } from '@playwright/test';
import { imageArchive, streetArchive } from '../support/pmtiles.ts';
import { png, uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, test, thoroughTest } from './pda.ts';

const chartPath = (endpoint: string) => `/data/endpoint/${endpoint}?view=chart`;
const rows = (page: Page) => page.getByRole('table').getByRole('row');
const map = (page: Page) => page.locator('[aria-busy]', { has: page.locator('canvas') });
/** Returns the map's colour slightly left of its centre, as red, green, blue and opacity. */
const colourOfMap = async (page: Page): Promise<number[]> => {
  const picture = await page.locator('canvas').screenshot();
  return page.evaluate(async (png) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0))]));
    const context = new OffscreenCanvas(1, 1).getContext('2d');
    context?.drawImage(image, -Math.round(image.width * 0.45), -Math.round(image.height / 2));
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  }, picture.toString('base64'));
};
/** Waits until a map shows the records in its view. */
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

thoroughTest(
  'lists the records at one place, keeps “Connect in order of time” in the URL, and limits the records to an interval',
  async ({ page, pda }) => {
    const hostileName = '<img src="https://tracker.example/x.png" onerror="alert(1)">';
    await pda.store('phone/places', [
      { name: hostileName, lat: 52.52, lon: 13.4, at: '2026-03-01T08:00:00Z' },
      { name: 'x'.repeat(900_000), lat: 52.52, lon: 13.4, at: '2026-03-02T08:00:00Z' },
      { name: 'Home', lat: '52.52', lon: '13.4', at: '2026-03-03T08:00:00Z' },
    ]);
    await pda.enter(page, `${chartPath('phone/places')}&chart=map`);
    await expectDrawn(map(page));
    await page.getByRole('region', { name: /on the map/ }).click();
    const place = page.getByRole('region', { name: /^3 records at .*, near Berlin$/ });
    await expect(place.getByRole('button', { name: hostileName })).toBeVisible();
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
  },
);

thoroughTest('draws streets from the owner’s map file, without a request to another host', async ({ page, pda }) => {
  const requests: Request[] = [];
  page.context().on('request', (request) => requests.push(request));
  const attribution =
    '<a href="https://www.openstreetmap.org/copyright">© OpenStreetMap</a><img src="https://tracker.example/x.png"> <a href="javascript:alert(1)">terms</a>';
  const streets = streetArchive(attribution);
  await uploadContent(pda, imageArchive(png()), { name: 'satellite.pmtiles' });
  await uploadContent(pda, 'no map', { name: 'notes.txt' });
  await uploadContent(pda, streets, { name: 'berlin.pmtiles' });
  await pda.store(
    'phone/places',
    [13.45, 13.6].map((lon) => ({ name: 'Walk', lat: 52.55, lon })),
  );
  await pda.enter(page, `${chartPath('phone/places')}&chart=map`);
  const chooseButton = page.getByRole('button', { name: 'Choose a map file' });
  const dialog = page.getByRole('dialog', { name: 'Choose a map file' });
  await chooseButton.press('Enter');
  await expect(dialog.getByRole('radio')).toHaveCount(2);
  await expectAccessible(page, 'the choice of a map file', DIALOG);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expectDrawn(map(page));
  const landColour = await colourOfMap(page);
  const expectLand = () => expect.poll(() => colourOfMap(page)).toEqual(landColour);
  const expectDetail = () => expect.poll(() => colourOfMap(page)).not.toEqual(landColour);

  await chooseButton.press('Enter');
  await dialog.getByRole('radio', { name: 'berlin.pmtiles' }).check();
  await dialog.getByRole('button', { name: 'Use this file' }).press('Enter');
  await expect(page.getByRole('link', { name: '© OpenStreetMap' })).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(page.getByText('terms')).toBeVisible();
  await expect(page.getByRole('link', { name: 'terms' })).toHaveCount(0);
  await expectDetail();
  await expectDrawn(map(page));

  // The file is replaced by a truncated copy while the map is open.
  await writeFile(join(pda.home, 'files', 'test', 'berlin.pmtiles'), streets.subarray(0, -10));
  await expect(page.getByRole('alert')).toContainText('is incomplete');
  await expectLand();
  await expectAccessible(page, 'a map file that cannot be drawn');

  await page.getByRole('button', { name: 'Choose another file' }).click();
  await dialog.getByRole('radio', { name: 'satellite.pmtiles' }).check();
  await dialog.getByRole('button', { name: 'Use this file' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  await expectDetail();
  await page.getByRole('button', { name: 'Remove street detail' }).click();
  await expectLand();
  await expect(chooseButton).toBeFocused();

  const contentRequests = requests.filter((request) => new URL(request.url()).pathname.startsWith('/storage/'));
  expect(contentRequests.length).toBeGreaterThan(3);
  expect(contentRequests.filter((request) => !/^bytes=\d+-\d+$/u.test(request.headers()['range'] ?? ''))).toEqual([]);
  const urls = requests.map((request) => request.url());
  expect(urls.filter((url) => !/^(?:data|blob):/u.test(url) && new URL(url).origin !== pda.url)).toEqual([]);
});
