import type { Page } from '@playwright/test';
import { DIALOG, expect, expectAccessible, test, thoroughTest } from './pda.ts';

const PLACEHOLDER = 'Search your data, pages and actions';

async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.keyboard.press('/');
  await expect(page.getByPlaceholder(PLACEHOLDER)).toBeFocused();
  await page.keyboard.type(text);
}

test('finds records by their content, with name and excerpt, and opens them', async ({ page, pda }) => {
  await pda.store('diary/days', [
    { day: '2026-03-01', text: 'Breakfast with Ada, then a walk to the lighthouse' },
    { day: '2026-03-02', text: 'Rain' },
  ]);
  await pda.enter(page, '/');
  await search(page, 'ada lightho');
  await expect(page.getByText(/Breakfast with Ada/)).toBeVisible();
  await expect(page.getByText(/Days.*, /)).toBeVisible();
  await expectAccessible(page, 'results of a search', DIALOG);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Record' })).toContainText('walk to the lighthouse');
});

thoroughTest(
  'finds records even if many endpoints match, and collections and share links by name',
  async ({ page, pda }) => {
    for (let n = 1; n <= 8; n += 1) await pda.store(`heron-${n}/days`, { n });
    await pda.store('diary/days', { text: 'a heron at the pond' });
    const { collectionId } = (await pda.call('POST', '/api/v2.6/owner/collections', { name: 'Herons' })) as {
      collectionId: string;
    };
    await pda.call('POST', '/api/v2.6/owner/share-links', { collectionId, name: 'Birds for Grace' });
    await pda.enter(page, '/');
    await search(page, 'heron');
    const palette = page.getByRole('dialog', { name: PLACEHOLDER });
    await expect(palette.getByText('a heron at the pond')).toBeVisible();
    await expect(palette.getByText(/^heron-\d\/days/)).toHaveCount(6);
    await palette.getByRole('button', { name: 'Herons', exact: true }).click();
    await expect(page).toHaveURL(new RegExp(`#/files\\?collection=${collectionId}$`));
    await expect(palette).toBeHidden();
    await search(page, 'birds grace');
    await palette.getByRole('button', { name: 'Birds for Grace' }).click();
    await expect(page).toHaveURL(/#\/sharing\/links$/);
  },
);

thoroughTest('finds pages despite typos and by synonyms', async ({ page, pda }) => {
  await pda.enter(page, '/');
  for (const [text, heading] of [
    ['setings', 'Security'],
    ['trash', 'Recently deleted'],
    ['bakcup', 'Backup'],
    ['guests', 'People'],
  ] as const) {
    await search(page, text);
    await page.keyboard.press('Enter');
    await expect(page.getByPlaceholder(PLACEHOLDER)).toBeHidden();
    await expect(page.getByRole('heading', { name: heading, level: 1 })).toBeVisible();
  }
});

thoroughTest('a slash typed in a field does not open the search', async ({ page, pda }) => {
  await pda.enter(page, '/data?add=1');
  await page.getByRole('combobox', { name: 'Endpoint' }).fill('');
  await page.keyboard.type('notes/ideas');
  await expect(page.getByRole('combobox', { name: 'Endpoint' })).toHaveValue('notes/ideas');
  await expect(page.getByPlaceholder(PLACEHOLDER)).toHaveCount(0);
});

thoroughTest('excludes a source from the search, and turns the search off', async ({ page, pda }) => {
  await pda.store('diary/days', { text: 'a secret hedgehog' });
  await pda.store('garden/notes', { text: 'a public hedgehog' });
  await pda.enter(page, '/settings/about');
  await expect(page.getByText('The index of records is complete.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Sources left out of the search' }).click();
  await page.getByRole('option', { name: 'diary' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('listbox')).toHaveCount(0);
  await expect
    .poll(() => pda.call('GET', '/api/v2.6/owner/search-index'))
    .toMatchObject({ excludedSources: ['diary'], remaining: 0 });
  await expect(page.getByText('The index of records is complete.')).toBeVisible();
  await expectAccessible(page, 'settings of the search');
  await page.getByRole('heading', { name: 'About', level: 1 }).click();
  await search(page, 'hedgehog');
  await expect(page.getByText('a public hedgehog')).toBeVisible();
  await expect(page.getByText('a secret hedgehog')).toHaveCount(0);
  await page.keyboard.press('Escape');
  await page.getByRole('switch', { name: 'Search the content of records' }).click();
  await expect(page.getByText('The index of records is complete.')).toHaveCount(0);
  await search(page, 'hedgehog ');
  await expect(page.getByText('a public hedgehog')).toHaveCount(0);
});
