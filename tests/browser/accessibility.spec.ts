import type { Page } from '@playwright/test';
import {
  DIALOG,
  PASSWORD,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  notice,
  thoroughTest,
} from './pda.ts';

/** A few records, because axe checks every cell and all rows are alike. */
const movies = ['The Land Girls', 'Zoom', 'Zodiac', 'The Mask of Zorro'].map((Title, index) => ({
  Title,
  'US Gross': index === 1 ? null : 93_828_745 + index,
  Distributor: 'Sony Pictures',
}));

async function checkPage(
  page: Page,
  pda: Pda,
  path: string,
  heading: string | RegExp,
  description = path,
): Promise<void> {
  await page.goto(`${pda.url}/#${path}`);
  await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
  await expectAccessible(page, description);
}

thoroughTest('axe reports no violations during the setup and the sign-in', async ({ page, newPda }) => {
  await page.goto(`${newPda.url}/`);
  await expect(page.getByRole('heading', { name: 'This PDA is not set up yet' })).toBeVisible();
  await expectAccessible(page, 'not set up');
  await page.goto(newPda.setupUrl);
  await expect(page.getByRole('heading', { name: 'A place of your own' })).toBeVisible();
  await expectAccessible(page, 'welcome');
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByRole('button', { name: 'Use this name' }).click();
  await expectAccessible(page, 'name, with its error');
  await page.getByLabel('Name').fill('ada');
  await page.getByRole('button', { name: 'Use this name' }).click();
  await page.getByLabel('Password', { exact: true }).fill('password');
  await expect(page.getByText('Guessed')).toBeVisible();
  await expectAccessible(page, 'weak password');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up my PDA' }).click();
  await expect(page.getByRole('heading', { name: 'ada is set up' })).toBeVisible();
  await expectAccessible(page, 'done');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(`${newPda.url}/`);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('Incorrect name or password.')).toBeVisible();
  await expectAccessible(page, 'sign-in refused');
});

thoroughTest('axe reports no violations on empty pages', async ({ page, pda }) => {
  await pda.enter(page);
  await checkPage(page, pda, '/', 'Add your first data');
  await checkPage(page, pda, '/data', 'No data yet');
  await checkPage(page, pda, '/data/imports', 'Import data');
  await checkPage(page, pda, '/data/deleted', 'No deleted records');
  await checkPage(page, pda, '/data/endpoint/no/where', 'No records');
  await checkPage(page, pda, '/data/record/01900000-0000-7000-8000-000000000000', 'Record not found');
  await checkPage(page, pda, '/nowhere', 'Page not found');
});

thoroughTest('axe reports no violations on pages with data', async ({ page, pda }) => {
  await pda.store('vega/movies', movies);
  await pda.store('notes/ideas', [{ text: 'one', tags: ['a'], at: { lat: 1, lon: 2 } }, 'two', null, 3]);
  await pda.enter(page);
  await checkPage(page, pda, '/', 'All is well');
  await expectAccessibleInExtraVariants(page, 'home');
  await checkPage(page, pda, '/?activity=table', 'All is well', 'home as a table');
  await checkPage(page, pda, '/data', 'Data');
  await checkPage(page, pda, '/data?add=1', 'Add record');
  await page.keyboard.press('Escape');
});

thoroughTest('axe reports no violations on an endpoint, a record and their dialogs', async ({ page, pda }) => {
  await pda.store('vega/movies', movies);
  await pda.store('notes/ideas', [{ text: 'one', tags: ['a'], at: { lat: 1, lon: 2 } }, 'two', null, 3]);
  await pda.enter(page);
  await checkPage(page, pda, '/data/endpoint/vega/movies', 'movies');
  await page.getByRole('row', { name: 'The Mask of Zorro' }).getByRole('checkbox').check();
  await expectAccessible(page, 'a selected record');
  await page.getByRole('grid').getByText('The Mask of Zorro').click();
  await expect(page.getByRole('dialog', { name: 'Record' })).toBeVisible();
  await expect(page.getByText('Never', { exact: true })).toBeVisible();
  await expectAccessible(page, 'a record', DIALOG);
  await page.getByRole('button', { name: 'Edit' }).click();
  await expect(page.getByRole('textbox', { name: 'Title' })).toBeVisible();
  await expectAccessible(page, 'the form of a record', DIALOG);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await page.getByLabel('JSON of the record').fill('{"a": }');
  await expect(page.getByText('Line 1, column 7')).toBeVisible();
  await expectAccessible(page, 'a broken edit', DIALOG);
  await expectAccessibleInExtraVariants(page, 'a broken edit', DIALOG);
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(notice(page, '1 record deleted')).toBeVisible();
  await expectAccessible(page, 'the offer to undo');
  await expectAccessibleInExtraVariants(page, 'the offer to undo');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
  await expect(page.getByRole('dialog', { name: 'Delete vega/movies' })).toBeVisible();
  await expectAccessible(page, 'deleting an endpoint', DIALOG);
  await page.keyboard.press('Escape');
  await checkPage(page, pda, '/data/endpoint/vega/movies?search=zorro', 'movies', 'a search');
  const filters = encodeURIComponent('[{"is":"range","field":"IMDB Votes","min":1000}]');
  await checkPage(page, pda, `/data/endpoint/vega/movies?facets=1&filters=${filters}`, 'movies', 'filters and values');
  // Omits `facets`: a narrow page would show the values of the fields in a dialog that covers the Filter button.
  await checkPage(page, pda, `/data/endpoint/vega/movies?filters=${filters}`, 'movies', 'filters');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page.getByRole('dialog', { name: 'Add filter' })).toBeVisible();
  await expectAccessible(page, 'a filter', DIALOG);
  await page.keyboard.press('Escape');
  await checkPage(page, pda, '/data/endpoint/notes/ideas', 'ideas');
  await page.keyboard.press('Control+k');
  await expect(page.getByPlaceholder('Search your data, pages and actions')).toBeVisible();
  await expectAccessible(page, 'the palette', DIALOG);
});

thoroughTest(
  'axe reports no violations in the security settings, About and the API documentation',
  async ({ page, pda }) => {
    await pda.enter(page);
    await checkPage(page, pda, '/settings/security', 'Active sessions');
    await page.getByRole('button', { name: 'Change password' }).click();
    await expectAccessible(page, 'password form with its errors');
    await checkPage(page, pda, '/settings/about', 'About');
    await page.goto(`${pda.url}/#/settings/api`);
    await page.getByLabel('Find an operation').fill('data namespace');
    // The list reacts to the input with a delay.
    await expect(page.getByRole('status').filter({ hasText: / of .+operations?$/u })).toBeVisible();
    await page
      .getByRole('button', { name: /^POST .*\/data\// })
      .first()
      .click();
    await expect(page.getByText('Responses').first()).toBeVisible();
    await expectAccessible(page, 'an operation');
    await expectAccessibleInExtraVariants(page, 'an operation');
  },
);

thoroughTest('axe reports no violations during an import', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  const file = (text: string) => ({ name: 'steps.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByLabel('Choose file').setInputFiles(file('day,steps\n2026-01-01,8000\n2026-01-02,9100\n'));
  await expect(page.getByRole('heading', { name: 'What will be stored' })).toBeVisible();
  await expectAccessible(page, 'import preview');
  await page.getByRole('combobox', { name: 'Store in' }).fill('steps');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expectAccessible(page, 'an invalid endpoint');
  await page.getByRole('combobox', { name: 'Store in' }).fill('fitness/steps');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '2 records added' })).toBeVisible();
  await expectAccessible(page, 'done');
  await page.getByRole('button', { name: 'Undo import' }).click();
  await expect(page.getByRole('dialog', { name: 'Undo import' })).toBeVisible();
  await expectAccessible(page, 'undoing', DIALOG);
  await page.keyboard.press('Escape');
  await checkPage(page, pda, '/data/imports', 'Earlier imports', 'the list of imports');
});
