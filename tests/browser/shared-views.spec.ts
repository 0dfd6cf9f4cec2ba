import { DIALOG, expect, expectAccessible, expectPlainPageAccessible, notice, test, thoroughTest } from './pda.ts';

const PASSWORD = 'a quiet meadow in the north';

test('shares a table and a chart with a guest, who sees exactly these, and stops sharing the table', async ({
  page,
  pda,
  browser,
}) => {
  await pda.store('walks/days', [
    { day: '2026-03-01', steps: 12_000, place: 'Hills' },
    { day: '2026-03-02', steps: 300, place: 'Home' },
    { day: '2026-03-03', steps: 15_000, place: 'Lake' },
  ]);
  await pda.call('POST', '/users/user', { name: 'Grace', password: PASSWORD });
  const columns = JSON.stringify([{ path: 'day' }, { path: 'steps' }]);
  const filters = JSON.stringify([{ is: 'range', field: 'steps', min: 1000 }]);
  await pda.enter(page, `/data/endpoint/walks/days?${new URLSearchParams({ columns, filters }).toString()}`);
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Share with a person…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Share this table with a person' });
  await expect(dialog.getByText('2 columns: Day, Steps')).toBeVisible();
  await expect(dialog.getByText(/^2 records match now\./)).toBeVisible();
  await dialog.getByLabel('Person').selectOption('Grace');
  await dialog.getByLabel('Name').fill('Long walks');
  await dialog.getByRole('button', { name: 'Share with Grace' }).click();
  await expect(dialog.getByRole('list', { name: 'Shared with' }).getByText('Long walks')).toBeVisible();
  // The form is ready for the next person.
  await expect(dialog.getByLabel('Person')).toHaveValue('');
  await dialog.getByLabel('Person').selectOption('Grace');
  await expect(dialog.getByRole('button', { name: 'Share with Grace' })).toBeEnabled();
  await expectAccessible(page, 'people of a table', DIALOG);

  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.goto(`${pda.url}/#/data/endpoint/walks/days?view=chart&chart=time`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const chartDialog = page.getByRole('dialog', { name: 'Share this chart with a person' });
  await chartDialog.getByLabel('Person').selectOption('Grace');
  await chartDialog.getByLabel('Name').fill('Walks over time');
  await chartDialog.getByRole('button', { name: 'Share with Grace' }).click();
  await expect(chartDialog.getByText('Walks over time')).toBeVisible();

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const guest = await context.newPage();
  await guest.goto(`${pda.url}/guest/sign-in`);
  await guest.getByLabel('Name').fill('Grace');
  await guest.getByLabel('Password').fill(PASSWORD);
  await guest.getByRole('button', { name: 'Sign in' }).click();
  await expectPlainPageAccessible(guest, 'list with a table and a chart');
  await guest.getByRole('link', { name: 'Walks over time' }).click();
  await expect(guest.getByRole('img', { name: /Walks over time, as a chart/ })).toBeVisible();
  await expectPlainPageAccessible(guest, 'shared chart');
  await guest.getByRole('link', { name: 'Everything shared with you' }).click();
  await guest.getByRole('link', { name: 'Long walks' }).click();
  await expect(guest.getByRole('columnheader')).toHaveText(['Day', 'Steps']);
  await expect(guest.getByRole('row')).toHaveCount(3);
  await expect(guest.getByText('Hills')).toBeHidden();
  await expectPlainPageAccessible(guest, 'shared table');
  const download = guest.waitForEvent('download');
  await guest.getByRole('link', { name: 'Download as CSV' }).click();
  expect((await download).suggestedFilename()).toBe('Long walks.csv');

  await page.goto(`${pda.url}/#/settings/people`);
  const sharedViews = page.getByRole('list', { name: 'Tables and charts that Grace can see' });
  await expect(sharedViews.getByRole('listitem')).toHaveCount(2);
  await expectAccessible(page, 'people with a table and a chart');
  await page.goto(`${pda.url}/#/sharing`);
  await expect(page.getByText('Can see the chart Walks over time')).toBeVisible();
  const row = page.getByRole('listitem').filter({ hasText: 'Can see the table Long walks' });
  await row.getByRole('button', { name: 'Stop sharing Long walks with Grace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
  await expect(notice(page, 'Grace can no longer see Long walks')).toBeVisible();
  await guest.reload();
  await expect(guest.getByRole('heading', { name: 'This is not available' })).toBeVisible();
  await context.close();
});

thoroughTest('shares selected records, and the guest sees no others', async ({ page, pda, browser }) => {
  const [firstRecord] = (await pda.store('walks/days', [
    { day: '2026-03-01', steps: 12_000 },
    { day: '2026-03-02', steps: 300 },
    { day: '2026-03-03', steps: 15_000 },
  ])) as { recordId: string }[];
  await pda.call('POST', '/users/user', { name: 'Grace', password: PASSWORD });
  const columns = JSON.stringify([{ path: 'day' }, { path: 'steps' }]);
  await pda.enter(page, `/data/endpoint/walks/days?${new URLSearchParams({ columns }).toString()}`);
  for (const row of [1, 3]) await page.getByRole('checkbox', { name: `Select record ${row}`, exact: true }).check();
  await page.getByRole('button', { name: 'Share…' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Share 2\u00A0records with a person' });
  await expect(dialog.getByText('2 selected records of Days', { exact: true })).toBeVisible();
  await expect(dialog.getByText('2 columns: Day, Steps')).toBeVisible();
  await dialog.getByLabel('Person').selectOption('Grace');
  await expect(dialog.getByLabel('Name')).toHaveValue('Days (selection)');
  await dialog.getByRole('button', { name: 'Share with Grace' }).click();
  const people = dialog.getByRole('list', { name: 'Shared with' });
  await expect(people.getByText('Days (selection), 2 selected records of Days')).toBeVisible();
  await dialog.getByLabel('Person').selectOption('Grace');
  await expect(dialog.getByText('Replaces what Grace sees under this name now.')).toBeVisible();
  await expectAccessible(page, 'people of selected records', DIALOG);

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const guest = await context.newPage();
  await guest.goto(`${pda.url}/guest/sign-in`);
  await guest.getByLabel('Name').fill('Grace');
  await guest.getByLabel('Password').fill(PASSWORD);
  await guest.getByRole('button', { name: 'Sign in' }).click();
  await guest.getByRole('link', { name: 'Days (selection)' }).click();
  await expect(guest.getByRole('row')).toHaveCount(3);
  await expect(guest.getByText('2 Mar 2026')).toBeHidden();
  await pda.call('POST', '/api/v2.6/owner/deletions', { records: [firstRecord?.recordId] });
  await pda.store('walks/days', [{ day: '2026-03-04', steps: 20_000 }]);
  await guest.reload();
  await expect(guest.getByRole('row')).toHaveCount(2);
  await expect(guest.getByRole('cell', { name: '3 Mar 2026' })).toBeVisible();
  await context.close();

  await page.goto(`${pda.url}/#/sharing`);
  await expect(
    page.getByText('Can see the table Days (selection): 2 selected records of Days, 2 columns'),
  ).toBeVisible();
  await page.goto(`${pda.url}/#/settings/people`);
  const sharedViews = page.getByRole('list', { name: 'Tables and charts that Grace can see' });
  await expect(sharedViews.getByText('2 selected records of Days')).toBeVisible();
  await sharedViews.getByRole('link', { name: 'Days (selection)' }).click();
  await expect(page.getByRole('heading', { name: 'What Grace sees' })).toBeVisible();
  await expect(page.frameLocator('iframe').getByRole('row')).toHaveCount(2);
});

thoroughTest(
  'shows a guest maps, calendars, heat maps and scatter plots with tables, without a request to another host',
  async ({ page, pda, browser }) => {
    await pda.storeDataSet('places/capitals', 'us-state-capitals.json');
    await pda.store('walks/events', [
      { name: 'Along the river', start: '2026-03-02T09:30:00', km: 12, hours: 3 },
      { name: 'Over the hills', start: '2026-03-14', km: 21, hours: 6 },
    ]);
    const user = (await pda.call('POST', '/users/user', { name: 'Grace', password: PASSWORD })) as { userId: string };
    for (const [name, chart] of [
      ['Calendar', { kind: 'calendar', time: 'start', field: 'name' }],
      ['Year', { kind: 'heat', time: 'start', field: 'km', aggregation: 'sum' }],
      ['Pairs', { kind: 'scatter', field: 'km', second: 'hours' }],
    ] as const) {
      const view = { endpoint: 'walks/events', name, userId: user.userId, definition: { kind: 'chart', chart } };
      await pda.call('POST', '/api/v2.6/owner/shared-views', view);
    }
    await pda.enter(page, '/data/endpoint/places/capitals?view=chart&chart=map');
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Share this chart with a person' });
    await expect(dialog.getByText(/^The person sees where the records are/)).toBeVisible();
    await dialog.getByLabel('Person').selectOption('Grace');
    await dialog.getByLabel('Name').fill('Map');
    await dialog.getByRole('button', { name: 'Share with Grace' }).click();
    await expect(dialog.getByRole('list', { name: 'Shared with' }).getByText('Map')).toBeVisible();

    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const requests: string[] = [];
    context.on('request', (request) => requests.push(request.url()));
    const guest = await context.newPage();
    await guest.goto(`${pda.url}/guest/sign-in`);
    await guest.getByLabel('Name').fill('Grace');
    await guest.getByLabel('Password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Sign in' }).click();
    for (const [name, image, row] of [
      ['Calendar', 'Calendar: March 2026, as a chart. The table below has the same values.', '14 Mar Over the hills'],
      ['Year', 'Year: 2026, as a chart. The table below has the same values.', '14 Mar 2026 21'],
      ['Pairs', 'Pairs, as a chart. The table below has the same values.', '12 3'],
      ['Map', 'Map, as a map. The table below has the same places.', /^21\.309°\sN, 157\.826°\sW, near Honolulu 1$/],
    ] as const) {
      await guest.getByRole('link', { name, exact: true }).click();
      await expect(guest.getByRole('img', { name: image, exact: true })).toBeVisible();
      await expect(guest.getByRole('row', { name: row })).toBeVisible();
      await expectPlainPageAccessible(guest, `shared chart: ${name}`);
      await guest.getByRole('link', { name: 'Everything shared with you' }).click();
    }
    expect(requests.filter((url) => new URL(url).origin !== pda.url)).toEqual([]);
    await context.close();
  },
);
