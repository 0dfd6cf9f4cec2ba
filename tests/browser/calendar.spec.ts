import { expect, expectAccessible, thoroughTest } from './pda.ts';

const hostileTitle = '<img src="https://tracker.example/x.png" onerror="alert(1)">';
const events = [
  { title: 'Conference', start: '2026-03-02T09:00', end: '2026-03-04T17:00' },
  ...Array.from({ length: 7 }, (_, n) => ({ title: `Talk ${n + 1}`, start: `2026-03-03T1${n}:00`, end: null })),
  { title: hostileTitle, start: '2026-03-20', end: '2026-03-21' },
  { title: 'Holiday', start: '2026-01-05', end: '2026-01-12' },
  { title: 'Some day', start: 'soon', end: null },
];

thoroughTest('a calendar shows events by month, opens them, and is pinned to Home', async ({ page, pda }) => {
  await pda.store('plans/events', events);
  await pda.enter(page, '/data/endpoint/plans/events?view=chart');
  await expect(page.getByRole('heading', { name: 'March 2026' })).toBeVisible();
  await expect(
    page.getByText('1 of 11\u00A0records is not shown, because it has no date, or is larger than 1 MB.'),
  ).toBeVisible();
  await expect(page.getByRole('cell', { name: /^2 09:00 Conference/u })).toBeVisible();
  await expect(page.getByRole('cell', { name: `20 ${hostileTitle}` })).toBeVisible();
  await expect(page.locator('img[src*="tracker"]')).toHaveCount(0);
  await expectAccessible(page, 'the calendar');

  await page.getByRole('button', { name: /^Show all 8\srecords on Tue 3 March$/ }).click();
  const day = page.getByRole('region', { name: 'Tue 3 March' });
  await expect(day.getByRole('listitem')).toHaveText([
    /Conference/,
    /10:00 Talk 1/,
    /Talk 2/,
    /Talk 3/,
    /Talk 4/,
    /Talk 5/,
    /Talk 6/,
    /Talk 7/,
  ]);
  await day.getByRole('button', { name: /Talk 5/ }).press('Enter');
  await expect(page.getByRole('dialog')).toContainText('Talk 5');
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'First month' }).click();
  await expect(page).toHaveURL(/month=2026-01/);
  await expect(page.getByRole('heading', { name: 'January 2026' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Holiday' })).toHaveCount(7);
  await expect(page.getByRole('button', { name: 'Previous month' })).toBeDisabled();
  await page.getByRole('button', { name: 'Show as list' }).click();
  await expect(page.getByRole('button', { name: /^Show 1\srecord on/ })).toHaveCount(7);

  await page.getByRole('button', { name: 'Pin to Home' }).click();
  await expect(page.getByRole('button', { name: 'Pinned to Home' })).toBeVisible();
  await page.goto(`${pda.url}/#/`);
  await expect(page.getByRole('img', { name: /^March 2026: 4\sdays with records$/ })).toBeVisible();
});

thoroughTest('a calendar that stays open past midnight marks the new day', async ({ page, pda }) => {
  await pda.store('plans/events', events);
  await page.clock.setFixedTime('2026-03-02T12:00:00');
  await pda.enter(page, '/data/endpoint/plans/events?view=chart');
  const currentDay = page.locator('td[data-today]');
  await expect(currentDay).toHaveText(/^2/u);
  await page.clock.setFixedTime('2026-03-03T12:00:00');
  await page.getByRole('button', { name: 'First month' }).click();
  await expect(page.getByRole('heading', { name: 'January 2026' })).toBeVisible();
  await page.getByRole('button', { name: 'Last month' }).click();
  await expect(currentDay).toHaveText(/^3/u);
});

thoroughTest('a calendar whose days fail to load is not reported as empty', async ({ page, pda }) => {
  await pda.store('plans/events', events);
  await page.route('**/owner/calendar/days?*', (route) => route.fulfill({ status: 500, json: {} }));
  await pda.enter(page, '/data/endpoint/plans/events?view=chart&as=table');
  await expect(page.getByRole('heading', { name: 'March 2026' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  await expect(page.getByText('There are no records in this month.')).toHaveCount(0);
});
