import type { Page } from '@playwright/test';
import { DIALOG, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

const FILM_COUNT = 1461;

const films = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ Title: `Film ${index + 1}`, Year: 1950 + (index % 70) }));
const visibleRecordsCheckbox = (page: Page) => page.getByRole('checkbox', { name: 'Select visible records' });
const selection = (page: Page) => page.getByRole('status').filter({ hasText: /selected$/u });

thoroughTest(
  'selects the visible records first, then all, and asks before it deletes 1,461 records',
  async ({ page, pda }) => {
    await pda.store('vega/films', films(FILM_COUNT));
    await pda.enter(page, '/data/endpoint/vega/films');
    await visibleRecordsCheckbox(page).click();
    const visibleCount = Number.parseInt((await selection(page).innerText()).replace(/\D.*$/u, ''), 10);
    expect(visibleCount).toBeGreaterThan(5);
    expect(visibleCount).toBeLessThan(100);

    await page.getByRole('button', { name: `Select all 1\u202F461` }).click();
    await expect(selection(page)).toHaveText('1\u202F461 selected');
    await page.getByRole('button', { name: 'Delete 1\u202F461\u00A0records' }).click();
    const question = page.getByRole('dialog', { name: 'Delete 1\u202F461\u00A0records?' });
    await expect(question).toBeVisible();
    await expectAccessible(page, 'the question before a large deletion', DIALOG);
    await question.getByRole('button', { name: 'Keep them' }).click();
    await expect(question).toBeHidden();
    expect(((await pda.call('GET', '/api/v2.6/owner/endpoints')) as { records: number }[])[0]?.records).toBe(
      FILM_COUNT,
    );

    // The Delete key asks for confirmation too.
    await page.getByRole('grid').focus();
    await page.keyboard.press('Delete');
    await question.getByRole('button', { name: 'Delete 1\u202F461\u00A0records' }).click();
    await expect(notice(page, '1\u202F461\u00A0records deleted')).toBeVisible();
    expect(await pda.call('GET', '/api/v2.6/owner/endpoints')).toEqual([]);
  },
);

thoroughTest('reports that the records to select could not be loaded', async ({ page, pda }) => {
  await pda.store('vega/films', films(101));
  await pda.enter(page, '/data/endpoint/vega/films');
  await visibleRecordsCheckbox(page).click();
  await page.route('**/owner/records?*', (route) => route.fulfill({ status: 500, json: {} }));
  await page.getByRole('button', { name: 'Select all 101' }).click();
  await expect(notice(page, 'The action failed')).toBeVisible();
  await expect(selection(page)).not.toHaveText('101 selected');
});

test('lists deletions with endpoint and content, and restores individual records', async ({ page, pda }) => {
  const createdRecords = (await pda.store('vega/films', films(5))) as { recordId: string }[];
  await pda.store('notes/large', { text: 'x'.repeat(6000) });
  const ids = createdRecords.slice(0, 4).map(({ recordId }) => recordId);
  await pda.call('POST', '/api/v2.6/owner/deletions', { records: ids });
  await pda.call('POST', '/api/v2.6/owner/deletions', { endpoint: 'notes/large' });
  await pda.enter(page, '/data/deleted');
  const deletion = page.getByRole('listitem').filter({ hasText: '4\u00A0records of vega/films' });
  await expect(deletion).toContainText('Title: Film 1 · Year: 1950');
  await expect(deletion).toContainText('and 1 more');
  await expect(page.getByRole('listitem').filter({ hasText: 'Whole endpoint notes/large' })).toContainText(
    'Large record, 6 kB',
  );
  await expectAccessible(page, 'recently deleted');

  await deletion.getByRole('button', { name: /^Choose records/u }).click();
  const drawer = page.getByRole('dialog', { name: 'Restore records' });
  await drawer.getByRole('checkbox', { name: 'Title: Film 2 · Year: 1951' }).check();
  await drawer.getByRole('checkbox', { name: 'Title: Film 4 · Year: 1953' }).check();
  await expectAccessible(page, 'choosing records to restore', DIALOG);
  await drawer.getByRole('button', { name: 'Restore 2\u00A0records' }).click();
  await expect(notice(page, '2\u00A0records restored')).toBeVisible();
  await expect(page.getByRole('listitem').filter({ hasText: '2\u00A0records of vega/films' })).toBeVisible();
  const remainingRecords = (await pda.call('GET', '/api/v2.6/data/vega/films?orderBy=Title')) as {
    data: { Title: string };
  }[];
  expect(remainingRecords.map(({ data }) => data.Title)).toEqual(['Film 2', 'Film 4', 'Film 5']);
});

thoroughTest('permanently deletes records from Recently deleted after a confirmation', async ({ page, pda }) => {
  await pda.store('vega/films', films(2));
  await pda.call('POST', '/api/v2.6/owner/deletions', { endpoint: 'vega/films' });
  await pda.enter(page, '/data/deleted');
  await page.getByRole('button', { name: /^More actions for/u }).click();
  await page.getByRole('menuitem', { name: 'Delete permanently' }).click();
  const question = page.getByRole('dialog', { name: 'Permanently delete 2\u00A0records?' });
  await question.getByRole('button', { name: 'Delete permanently' }).click();
  await expect(page.getByRole('heading', { name: 'No deleted records' })).toBeVisible();
  expect(await pda.call('GET', '/api/v2.6/owner/deletions')).toEqual([]);
});
