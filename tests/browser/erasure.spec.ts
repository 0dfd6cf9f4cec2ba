import type { Page } from '@playwright/test';
import { NAME, PASSWORD, type Pda, expect, expectAccessible, expectAccessibleToo, test } from './pda.ts';

/** Erasing for good: what would go is seen first, and what is left is said afterwards. */

const PLACE = '/settings/erase';
const part = (page: Page, name: string) => page.getByRole('region', { name });

async function plant(pda: Pda): Promise<void> {
  await pda.store('diary/days', [{ text: 'one day' }, { text: 'another day' }]);
  await pda.store('diary/nights', { text: 'a night' });
  await pda.store('kept/notes', { text: 'stays' });
}

async function look(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Namespace' }).fill(name);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Show what would go' }).click();
}

test('a namespace is looked at, confirmed by its name and the password, and gone', async ({ page, pda }) => {
  test.setTimeout(90_000);
  await plant(pda);
  await pda.enter(page, PLACE);
  await expect(page.getByText('Nothing was erased for good yet.')).toBeVisible();
  await look(page, 'diary');
  await expect(part(page, 'What will be gone')).toContainText('3\u00A0records');
  await expect(part(page, 'What will be gone')).toContainText('diary/days, diary/nights');
  await expect(part(page, 'What is not reached')).toContainText('nobody else has read any of it');
  await expect(part(page, 'What stays, and why')).toContainText('The access history');
  await expectAccessibleToo(page, 'preview');

  const button = page.getByRole('button', { name: 'Erase this namespace for good' });
  await button.click();
  await expect(page.getByText('This is something else.')).toBeVisible();
  await page.getByLabel('Type diary').fill('diary');
  await page.getByLabel('Your password').fill('something else');
  await button.click();
  await expect(page.getByText('This is not your password.')).toBeVisible();
  await expectAccessible(page, 'refused');
  await page.getByLabel('Your password').fill(PASSWORD);
  await button.click();

  const report = page.getByRole('list', { name: 'Erased so far' }).getByRole('listitem');
  await expect(report).toContainText('Namespace diary');
  await expect(report).toContainText('Erased');
  await expect(report).toContainText('3\u00A0records');
  await expect(report).toContainText('Backups elsewhere are not known here');
  await expectAccessibleToo(page, 'report');
  expect(await pda.call('GET', '/api/v2.6/data/diary/days')).toEqual([]);
  expect(await pda.call('GET', '/api/v2.6/data/kept/notes')).toHaveLength(1);
  await page.reload();
  await expect(report).toContainText('Namespace diary');
});

test('where data stands a link leads to what would go, and a name without data says so', async ({ page, pda }) => {
  await plant(pda);
  await pda.enter(page, '/data/endpoint/diary/days');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Erase all of diary for good' }).click();
  await expect(page).toHaveURL(/#\/settings\/erase\?kind=namespace&target=diary$/u);
  await expect(part(page, 'What will be gone')).toContainText('diary/days, diary/nights');
  await page.goto(`${pda.url}/#${PLACE}?kind=namespace&target=empty`);
  await expect(page.getByText('Nothing is here under this name any more.')).toBeVisible();
  await page.goto(`${pda.url}/#${PLACE}?kind=file&target=no-such-file`);
  await expect(page.getByText('There is no such file.')).toBeVisible();
});

test('everything is erased, and the page for the set-up follows', async ({ page, pda }) => {
  test.setTimeout(90_000);
  await plant(pda);
  await pda.enter(page, `${PLACE}?kind=everything`);
  await page.getByRole('button', { name: 'Show what would go' }).click();
  await expect(part(page, 'What will be gone')).toContainText('Your account, its keys and settings');
  await expect(part(page, 'What stays, and why')).toContainText('config.json');
  await expectAccessible(page, 'everything');
  await page.getByLabel(`Type ${NAME}`).fill(NAME);
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Erase everything for good' }).click();
  await expect(page).toHaveURL(/#\/setup/u, { timeout: 30_000 });
  await expect(page.getByLabel('Name of your PDA').or(page.getByRole('heading')).first()).toBeVisible();
  const state = await (await fetch(`${pda.url}/api/v2.6/owner/setup`)).json();
  expect(state).toEqual({ state: 'waiting' });
});
