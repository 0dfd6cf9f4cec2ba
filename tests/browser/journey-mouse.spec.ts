import { NAME, PASSWORD, dataSetPath, expect, notice, thoroughTest } from './pda.ts';

thoroughTest(
  'completes a journey by mouse: set up, sign out and in, import, browse, search, sort, edit, delete, undo',
  async ({ page, newPda }) => {
    await page.goto(newPda.setupUrl);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByLabel('Name').fill(NAME);
    await expect(page.getByText(`${NAME}.your-provider`)).toBeVisible();
    await page.getByRole('button', { name: 'Use this name' }).click();
    await page.getByLabel('Password', { exact: true }).fill('password');
    await expect(page.getByText('ten most used passwords')).toBeVisible();
    await page.getByRole('button', { name: 'Set up my PDA' }).click();
    await expect(page.getByText('This password is too easy to guess')).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set up my PDA' }).click();
    await page.getByRole('button', { name: 'Open my PDA' }).click();
    await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();

    await page.getByRole('button', { name: 'ada: appearance, language and signing out' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await expect(page.getByRole('heading', { name: `Sign in to ${NAME}` })).toBeVisible();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();

    await page.getByRole('link', { name: 'Import a file' }).click();
    const chooserOpened = page.waitForEvent('filechooser');
    await page.getByLabel('Choose file').click();
    await (await chooserOpened).setFiles(dataSetPath('movies.json'));
    await expect(page.getByRole('heading', { name: 'movies.json' })).toBeVisible();
    await expect(page.getByRole('columnheader', { name: 'US DVD Sales' })).toBeVisible();
    await page.getByRole('combobox', { name: 'Store in' }).fill('vega/movies');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await expect(page.getByRole('heading', { name: '3\u202F201 records added' })).toBeVisible();
    await page.getByRole('link', { name: 'Open records' }).click();

    const grid = page.getByRole('grid', { name: 'Records of vega/movies' });
    await expect(grid).toHaveAttribute('aria-rowcount', '3202');
    await expect(page.getByText('of 3\u202F201')).toBeVisible();

    await page.getByLabel('Search these records').fill('zorro');
    await expect(page.getByText('2 records found')).toBeVisible();
    await expect(grid.getByText('The Legend of Zorro')).toBeVisible();
    await page.getByRole('button', { name: 'Clear search' }).click();
    await expect(grid).toHaveAttribute('aria-rowcount', '3202');

    const votesHeading = grid.getByRole('columnheader', { name: 'IMDB Votes' });
    await page.getByRole('button', { name: 'IMDB Votes' }).click();
    await expect(page).toHaveURL(/by=IMDB\+Votes/);
    // The sorted grid has new headings.
    await expect(votesHeading).toHaveAttribute('aria-sort', 'ascending');
    await page.getByRole('button', { name: 'IMDB Votes' }).click();
    await expect(grid.getByRole('row').nth(1)).toContainText('The Shawshank Redemption');
    await page.goBack();
    await expect(page).not.toHaveURL(/dir=down/);
    await expect(votesHeading).toHaveAttribute('aria-sort', 'ascending');
    await page.goForward();
    await expect(votesHeading).toHaveAttribute('aria-sort', 'descending');

    await grid.getByText('The Shawshank Redemption').click();
    const drawer = page.getByRole('dialog', { name: 'Record' });
    await expect(drawer.getByRole('link', { name: 'Import of movies.json' })).toBeVisible();
    await expect(page).toHaveURL(/record=/);
    await drawer.getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const editor = page.getByLabel('JSON of the record');
    const text = await editor.inputValue();
    await editor.fill(text.replace('"Drama",', '"Drama"'));
    await expect(page.getByText(/Line \d+, column \d+: a comma or } is missing here/)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Save changes' })).toBeDisabled();
    await editor.fill(text.replace('The Shawshank Redemption', 'The Redemption'));
    await page.getByRole('button', { name: 'Save changes' }).click();
    await expect(notice(page, 'Record saved')).toBeVisible();
    await expect(grid.getByText('The Redemption')).toBeVisible();

    await page.getByRole('dialog', { name: 'Record' }).getByRole('button', { name: 'Delete' }).click();
    await expect(notice(page, '1 record deleted')).toBeVisible();
    await expect(grid).toHaveAttribute('aria-rowcount', '3201');
    await notice(page, '1 record deleted').getByRole('button', { name: 'Undo' }).click();
    await expect(notice(page, '1 record restored')).toBeVisible();
    await expect(grid).toHaveAttribute('aria-rowcount', '3202');
    await expect(grid.getByText('The Redemption')).toBeVisible();

    await grid.getByRole('checkbox', { name: 'Select record 2', exact: true }).check();
    await grid.getByRole('checkbox', { name: 'Select record 4', exact: true }).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Delete 3\u00A0records' }).click();
    await expect(grid).toHaveAttribute('aria-rowcount', '3199');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await page.getByLabel('To confirm, type vega/movies').fill('vega/movie');
    await page.getByRole('button', { name: 'Delete 3\u202F198\u00A0records' }).click();
    await expect(page.getByText('This is not the name of the endpoint.')).toBeVisible();
    await page.getByLabel('To confirm, type vega/movies').fill('vega/movies');
    await page.getByRole('button', { name: 'Delete 3\u202F198\u00A0records' }).click();
    await expect(page.getByRole('heading', { name: 'No data yet' })).toBeVisible();

    await page.goto(`${newPda.url}/#/data/deleted`);
    const restoreEndpointButton = page.getByRole('button', {
      name: 'Restore all: Whole endpoint vega/movies, 3\u202F198\u00A0records',
    });
    await restoreEndpointButton.click();
    await expect(restoreEndpointButton).toHaveCount(0);
    await page.getByRole('button', { name: 'Restore all: 3\u00A0records of vega/movies' }).click();
    await expect(page.getByRole('heading', { name: 'No deleted records' })).toBeVisible();
    await page.getByRole('link', { name: 'Home' }).click();
    await expect(page.getByText('3\u202F201', { exact: true })).toBeVisible();
  },
);
