import type { Page } from '@playwright/test';
import { NAME, PASSWORD, dataSetPath, expect, notice, test } from './pda.ts';

function readFocusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element === null || element === document.body) return '';
    const label =
      element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement
        ? element.labels?.[0]?.textContent
        : undefined;
    return element.getAttribute('aria-label') ?? label ?? element.textContent ?? '';
  });
}

/** Enough key presses to reach every element of a page. Each column heading has two stops: for order and for width. */
const MAX_PRESSES = 100;

/** Presses Tab, or another key, until the element with the name has the focus. */
async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const passedNames: string[] = [];
  for (let presses = 0; presses < MAX_PRESSES; presses += 1) {
    await page.keyboard.press(key);
    const currentName = (await readFocusedName(page)).trim();
    if (typeof name === 'string' ? currentName === name : name.test(currentName)) return;
    passedNames.push(currentName);
  }
  throw new Error(`${key} does not reach ${String(name)}. It passed: ${passedNames.join(' · ')}`);
}

test('completes a journey by keyboard: set up, import, browse, search, sort, edit, delete, undo', async ({
  page,
  newPda,
}) => {
  const { keyboard } = page;
  await page.goto(newPda.setupUrl);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await tabTo(page, 'Begin');
  await keyboard.press('Enter');
  await expect(page.getByLabel('Name')).toBeFocused();
  await keyboard.type(NAME);
  await keyboard.press('Enter');
  await expect(page.getByLabel('Password', { exact: true })).toBeFocused();
  await keyboard.type(PASSWORD);
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'ada is set up' })).toBeFocused();
  await tabTo(page, 'Open my PDA');
  await keyboard.press('Enter');

  // Opens the import from the command palette.
  await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
  // Once the page shows data, it handles keys.
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
  await keyboard.press('Control+k');
  await expect(page.getByPlaceholder('Search your data, pages and actions')).toBeFocused();
  await keyboard.type('import a');
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Import data' })).toBeVisible();
  await expect(page.getByPlaceholder('Search your data, pages and actions')).toBeHidden();
  // The listener must be registered before the key is pressed.
  const chooserOpened = page.waitForEvent('filechooser');
  await tabTo(page, 'Choose file');
  await keyboard.press('Enter');
  await (await chooserOpened).setFiles(dataSetPath('movies.json'));
  await expect(page.getByRole('heading', { name: 'movies.json' })).toBeFocused();
  await expect(page.getByRole('heading', { name: 'What will be stored' })).toBeVisible();
  await tabTo(page, 'Store in');
  await keyboard.press('Control+a');
  await keyboard.type('vega/movies');
  await tabTo(page, 'Import');
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: '3\u202F201 records added' })).toBeVisible();
  await tabTo(page, 'Open records');
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Movies', exact: true })).toBeFocused();

  // Searches, and clears the search.
  const grid = page.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '3202');
  await tabTo(page, 'Search these records');
  await keyboard.type('zorro');
  await expect(page.getByText('2 records found')).toBeVisible();
  await keyboard.press('Control+a');
  await keyboard.press('Delete');
  await expect(grid).toHaveAttribute('aria-rowcount', '3202');

  // Sorts by a column twice, then moves through the list with the arrow keys.
  await tabTo(page, 'IMDB Votes');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(/by=IMDB\+Votes/);
  // The sorted grid has new headings.
  await expect(grid.getByRole('columnheader', { name: 'IMDB Votes' })).toHaveAttribute('aria-sort', 'ascending');
  await tabTo(page, 'IMDB Votes');
  await keyboard.press('Enter');
  await expect(grid.getByRole('row').nth(1)).toContainText('The Shawshank Redemption');
  await tabTo(page, 'Records of vega/movies', 'Shift+Tab');
  await keyboard.press('End');
  await expect(page.getByText('–3\u202F201 of 3\u202F201')).toBeVisible();
  await keyboard.press('Home');
  await keyboard.press('ArrowDown');
  await keyboard.press('ArrowUp');
  await keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Record' });
  await expect(drawer.getByText('Import of movies.json')).toBeVisible();

  await tabTo(page, 'Edit');
  await keyboard.press('Enter');
  const editor = page.getByLabel('JSON of the record');
  await expect(page.getByRole('tab', { name: 'Form' })).toBeVisible();
  await tabTo(page, 'Form');
  await keyboard.press('ArrowRight');
  await expect(editor).toBeVisible();
  await tabTo(page, 'JSON of the record');
  await keyboard.press('Control+a');
  await keyboard.type('{"Title": "Typed", "IMDB Votes": 999999999 "x": 1}');
  await expect(page.getByText('Line 1, column 43: a comma or } is missing here')).toBeVisible();
  await tabTo(page, 'Go to error');
  await keyboard.press('Enter');
  await expect(editor).toBeFocused();
  await keyboard.press('ArrowLeft');
  await keyboard.type(',');
  await keyboard.press('Control+Enter');
  await expect(notice(page, 'Record saved')).toBeVisible();
  await expect(editor).toBeHidden();
  await keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(grid).toBeFocused();
  await expect(grid.getByRole('row').nth(1)).toContainText('Typed');

  // Selects two records, deletes them, and undoes the deletion.
  await keyboard.press('Space');
  await keyboard.press('ArrowDown');
  await keyboard.press('Space');
  await expect(page.getByText('2 selected')).toBeVisible();
  await keyboard.press('Delete');
  await expect(notice(page, '2 records deleted')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '3200');
  await expect(grid).toBeFocused();
  await keyboard.press('Control+z');
  await expect(notice(page, '2 records restored')).toBeVisible();
  await expect(grid).toHaveAttribute('aria-rowcount', '3202');
});
