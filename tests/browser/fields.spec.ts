import { DIALOG, expect, expectAccessible, thoroughTest } from './pda.ts';

const trips = [
  {
    start_time: '2024-03-03T10:20:00',
    distance_km: 1234.5,
    price: 12.5,
    currency: 'EUR',
    duration_minutes: 90,
    done: true,
    website: 'https://trips.example.org/a',
    mail: 'ada@example.org',
    tags: ['rain', 'hills'],
    route: { from: 'Ulm', to: 'Bonn' },
  },
];

thoroughTest('the table shows names with units, and values formatted by type', async ({ page, pda }) => {
  await pda.store('travel/dailyTrips', trips);
  await pda.enter(page, '/data/endpoint/travel/dailyTrips');
  const grid = page.getByRole('grid');
  await expect(grid.getByRole('columnheader')).toContainText([
    '',
    'Start time',
    'Distance (km)',
    'Price',
    'Currency',
    'Duration',
    'Done',
    'Website',
    'Mail',
    'Tags',
    'From',
    'To',
    'Created',
  ]);
  await expect(grid.getByRole('button', { name: 'Distance (km)' })).toHaveAttribute('title', /^distance_km\b/u);
  for (const text of ['3 Mar 2024 10:20', '1\u202F234.5', '€12.50', '1 h 30 min', 'Yes', '2 items', 'Ulm'])
    await expect(grid.getByText(text, { exact: true })).toBeVisible();
  const link = grid.getByRole('link', { name: 'trips.example.org/a' });
  await expect(link).toHaveAttribute('href', 'https://trips.example.org/a');
  await expect(link).toHaveAttribute('rel', /noopener/);
  await expectAccessible(page, 'typed cells');

  await grid.getByRole('button', { name: 'Distance (km)' }).click();
  await expect(page).toHaveURL(/by=distance_km/);
});

thoroughTest('values that do not match their field type are shown unformatted and marked', async ({ page, pda }) => {
  await pda.store('health/pulse', [
    ...Array.from({ length: 20 }, (_, index) => ({ bpm: 60 + index })),
    { bpm: 'about seventy' },
  ]);
  await pda.enter(page, '/data/endpoint/health/pulse');
  const cell = page.getByRole('grid').getByText('about seventy');
  await expect(page.getByTitle('Not a number')).toContainText('about seventy');
  await cell.click();
  await expect(page.getByRole('dialog')).toContainText('Not a number');
});

thoroughTest('a record opens as names and values, with its JSON in a second tab', async ({ page, pda }) => {
  await pda.store('travel/trips', trips);
  await pda.enter(page, '/data/endpoint/travel/trips');
  await page.getByRole('grid').getByText('1 h 30 min').click();
  const drawer = page.getByRole('dialog', { name: 'Record' });
  const value = (name: string) =>
    drawer
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .first();
  await expect(value('Distance')).toContainText('1\u202F234.5\u00A0km');
  await expect(value('Distance').locator('dt')).toHaveAttribute('title', 'distance_km');
  await expect(drawer.getByRole('link', { name: 'ada@example.org' })).toHaveAttribute('href', 'mailto:ada@example.org');
  await expect(value('Tags')).toContainText('hills');
  await value('Tags').getByText('2 items').click();
  await expect(drawer.getByText('hills')).toBeHidden();
  await expectAccessible(page, 'a record as a form', DIALOG);

  await drawer.getByRole('tab', { name: 'Data' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(drawer).toContainText('"distance_km": 1234.5');
  await expectAccessible(page, 'a record as JSON', DIALOG);
  // The chosen tab is remembered.
  await page.reload();
  await expect(drawer).toContainText('"distance_km": 1234.5');
});

thoroughTest('the owner corrects names and types, and restores the inferred ones', async ({ page, pda }) => {
  await pda.store('watch/daily-steps', [{ day: '2026-03-01', n_steps: 8112 }]);
  await pda.enter(page, '/data/endpoint/watch/daily-steps');
  await expect(page.getByRole('heading', { name: 'Daily steps' })).toBeVisible();
  const open = async () => {
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Names and types' }).click();
    await expect(page.getByRole('dialog', { name: 'Names and types' }).getByLabel('Name of n_steps')).toBeVisible();
  };
  await open();
  await expectAccessible(page, 'names and types', DIALOG);
  await page.getByLabel('Name of this data').fill('Walking');
  await page.getByLabel('Colour', { exact: true }).selectOption('Teal');
  await page.getByLabel('Name of n_steps').fill('Steps per day');
  await page.getByLabel('Unit of n_steps').fill('steps');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Walking' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Steps per day (steps)' })).toBeVisible();

  await page.goto(`${pda.url}/#/data`);
  await expect(page.getByRole('link', { name: 'Walking' })).toBeVisible();
  await page.getByRole('link', { name: 'Walking' }).click();
  // The previous page also has a button named “More actions”.
  await expect(page.getByRole('heading', { name: 'Walking' })).toBeVisible();
  await open();
  await page.getByRole('button', { name: 'Reset to inferred' }).click();
  await expect(page.getByRole('heading', { name: 'Daily steps' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'N steps' })).toBeVisible();
});

thoroughTest(
  'the form for names and types stores only what the owner changed, even if new records change inferred types',
  async ({ page, pda }) => {
    await pda.store('watch/pulse', [{ bpm: 60 }]);
    await pda.enter(page, '/data/endpoint/watch/pulse');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Names and types' }).click();
    const dialog = page.getByRole('dialog', { name: 'Names and types' });
    await expect(dialog.getByLabel('Type of bpm')).toHaveValue('number');
    await dialog.getByLabel('Name of this data').fill('Heart rate');
    const texts = Array.from({ length: 40 }, (_, index) => ({ bpm: `about ${'x'.repeat(index + 1)}` }));
    await pda.store('watch/pulse', texts);
    await expect(dialog.getByText('41')).toBeVisible();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('heading', { name: 'Heart rate' })).toBeVisible();
    const { fields } = (await pda.call('GET', '/api/v2.6/owner/fields?endpoint=watch%2Fpulse')) as {
      fields: unknown[];
    };
    expect(fields).toEqual([expect.objectContaining({ path: 'bpm', type: 'text', corrected: false })]);
  },
);
