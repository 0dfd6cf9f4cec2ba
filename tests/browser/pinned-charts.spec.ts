import type { Page, Response } from '@playwright/test';
import { expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

const HOME_PATH = '/';
const CHART_PATH = '/data/endpoint/watch/steps?view=chart';

const steps = Array.from({ length: 20 }, (_, index) => ({
  day: `2026-03-${String(index + 1).padStart(2, '0')}`,
  steps: 1000 + index,
  mood: index % 2 === 0 ? 'good' : 'tired',
}));
const settings = {
  sum: { kind: 'time', field: 'steps', time: 'day', aggregation: 'sum', per: 'day', mark: 'bar', compare: false },
  year: { kind: 'heat', field: 'steps', time: 'day', aggregation: 'sum' },
  moods: { kind: 'values', field: 'mood' },
  distribution: { kind: 'distribution', field: 'steps' },
} as const;

const charts = (page: Page) => page.getByRole('region', { name: 'Charts' });
const titles = (page: Page) => charts(page).getByRole('heading', { level: 3 });
const menuButton = (page: Page, chart: string) => page.getByRole('button', { name: `Actions for ${chart}` });

/** Opens the menu of a chart by keyboard and waits until the menu has taken the focus. */
async function openMenu(page: Page, chart: string): Promise<void> {
  await menuButton(page, chart).focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('[role=menu]:focus, [role=menu] :focus')).toHaveCount(1);
}

thoroughTest('pins a chart to Home as displayed, opens it from there and removes it', async ({ page, pda }) => {
  await pda.store('watch/steps', steps);
  await pda.enter(page, `${CHART_PATH}&per=week`);
  await page.getByLabel('Aggregation').selectOption('Highest');
  await expect(page.getByRole('heading', { name: /highest per week/ })).toBeVisible();
  await page.getByRole('button', { name: 'Pin to Home' }).click();
  const pinnedButton = page.getByRole('button', { name: 'Pinned to Home' });
  await expect(pinnedButton).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(page, 'the chart');
  await page.getByLabel('Interval').selectOption('Day');
  await expect(page.getByRole('button', { name: 'Pin to Home' })).toBeVisible();

  await page.goto(`${pda.url}/#${HOME_PATH}`);
  await expect(charts(page).getByRole('img', { name: /highest per week.*Highest: 1\s019/ })).toBeVisible();
  await expectAccessible(page, 'Home with a chart');
  await titles(page).getByRole('link').click();
  await expect(page.getByRole('heading', { name: /highest per week/ })).toBeVisible();
  await expect(page.getByLabel('Interval')).toHaveValue('week');
  await pinnedButton.click();
  await expect(page.getByRole('button', { name: 'Pin to Home' })).toBeVisible();
  await page.goto(`${pda.url}/#${HOME_PATH}`);
  await expect(page.getByRole('region', { name: 'Your data' })).toBeVisible();
  await expect(charts(page)).toBeHidden();
});

thoroughTest('moves and removes charts by keyboard, and undoes a removal', async ({ page, pda }) => {
  await pda.store('watch/steps', steps);
  await pda.call(
    'PUT',
    '/api/v2.6/owner/pinned-charts',
    [settings.sum, settings.year, settings.moods].map((chart) => ({ endpoint: 'watch/steps', chart })),
  );
  const [sum, year, moods] = [/sum per day$/, /in 2026$/, /^Records by/];
  await pda.enter(page, HOME_PATH);
  await expect(titles(page)).toHaveText([sum, year, moods]);
  await openMenu(page, 'Steps, Over time');
  await expect(page.getByRole('menuitem', { name: 'Move earlier' })).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Move later' }).press('Enter');
  await expect(titles(page)).toHaveText([year, sum, moods]);
  await expect(menuButton(page, 'Steps, Over time')).toBeFocused();
  await expect(charts(page).getByRole('status').first()).toHaveText(/moved to position 2 of 3/);
  await openMenu(page, 'Steps, Count by value');
  await page.getByRole('menuitem', { name: 'Move earlier' }).press('Enter');
  await expect(titles(page)).toHaveText([year, moods, sum]);
  await expect(menuButton(page, 'Steps, Count by value')).toBeFocused();
  await openMenu(page, 'Steps, Year by day');
  await page.getByRole('menuitem', { name: 'Remove from Home' }).press('Enter');
  await expect(titles(page)).toHaveText([moods, sum]);
  await expect(menuButton(page, 'Steps, Count by value')).toBeFocused();
  // The page shows a change before it is saved, and a reload would cancel the request.
  await expect.poll(() => pda.call('GET', '/api/v2.6/owner/pinned-charts')).toHaveLength(2);
  await page.reload();
  await expect(titles(page)).toHaveText([moods, sum]);

  await menuButton(page, 'Steps, Over time').click();
  await page.getByRole('menuitem', { name: 'Remove from Home' }).click();
  await expect(titles(page)).toHaveText([moods]);
  await notice(page, 'Chart removed from Home').getByRole('button', { name: 'Undo' }).click();
  await expect(titles(page)).toHaveText([moods, sum]);
});

thoroughTest(
  'reports charts whose field is missing or has no values, and hides charts of a deleted endpoint',
  async ({ page, pda }) => {
    await pda.store('watch/steps', steps);
    await pda.store('watch/gone', steps);
    await pda.call('PUT', '/api/v2.6/owner/pinned-charts', [
      { endpoint: 'watch/steps', chart: { kind: 'distribution', field: 'pulse' } },
      { endpoint: 'watch/steps', chart: { ...settings.sum, lastDays: 7 } },
      { endpoint: 'watch/gone', chart: settings.distribution },
    ]);
    await pda.call('POST', '/api/v2.6/owner/deletions', { endpoint: 'watch/gone' });
    await pda.enter(page, HOME_PATH);
    await expect(charts(page).getByRole('listitem')).toHaveCount(2);
    await expect(charts(page).getByText(/^This chart cannot be drawn/)).toBeVisible();
    await expect(charts(page).getByText('No record has a value for this chart in its range.')).toBeVisible();
  },
);

thoroughTest('at most twelve charts can be pinned', async ({ page, pda }) => {
  await pda.store('watch/steps', steps);
  await pda.call(
    'PUT',
    '/api/v2.6/owner/pinned-charts',
    Array.from({ length: 12 }, () => ({ endpoint: 'watch/steps', chart: settings.moods })),
  );
  await pda.enter(page, CHART_PATH);
  await page.getByRole('button', { name: 'Pin to Home' }).click();
  await expect(notice(page, 'Home shows at most 12 charts')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Pin to Home' })).toBeVisible();
});

thoroughTest('Home reports a chart that fails to load, and draws it after a retry', async ({ page, pda }) => {
  await pda.store('watch/steps', steps);
  await pda.call('PUT', '/api/v2.6/owner/pinned-charts', [{ endpoint: 'watch/steps', chart: settings.distribution }]);
  const chartRequests = '**/owner/charts/distribution?*';
  // Live events would reload the chart automatically.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route(chartRequests, (route) => route.fulfill({ status: 500, json: {} }));
  await pda.enter(page, HOME_PATH);
  await expect(charts(page).getByRole('alert')).toBeVisible();
  await page.unroute(chartRequests);
  await charts(page).getByRole('button', { name: 'Try again' }).click();
  await expect(charts(page).getByRole('img', { name: /^Distribution of/ })).toBeVisible();
});

test('Home without charts does not load the chart library', async ({ page, pda }) => {
  const scripts: Response[] = [];
  page.on('response', (response) => {
    if (response.url().endsWith('.js')) scripts.push(response);
  });
  await pda.enter(page, HOME_PATH);
  await expect(page.getByRole('region', { name: 'Still to do' })).toBeVisible();
  const texts = await Promise.all(scripts.map((script) => script.text()));
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.filter((text) => text.includes('recharts'))).toEqual([]);
});

test.describe('a chart in German', () => {
  test.use({ locale: 'de-DE' });

  thoroughTest('is pinned to Home', async ({ page, pda }) => {
    await pda.store('watch/steps', steps);
    await pda.enter(page, CHART_PATH);
    await page.getByRole('button', { name: 'An Start anheften' }).click();
    await expect(page.getByRole('button', { name: 'An Start angeheftet' })).toBeVisible();
    await page.goto(`${pda.url}/#${HOME_PATH}`);
    const section = page.getByRole('region', { name: 'Diagramme' });
    await expect(section.getByRole('heading', { name: /Summe je Tag$/ })).toBeVisible();
    await expectAccessible(page, 'Home with a chart');
  });
});
