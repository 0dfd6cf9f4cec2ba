import type { Page } from '@playwright/test';
import {
  NAME,
  PASSWORD,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  test,
  thoroughTest,
} from './pda.ts';

const PAGE_PATH = '/settings/erase';
const regionOf = (page: Page, name: string) => page.getByRole('region', { name });

async function storeSamples(pda: Pda): Promise<void> {
  await pda.store('diary/days', [{ text: 'one day' }, { text: 'another day' }]);
  await pda.store('diary/nights', { text: 'a night' });
  await pda.store('kept/notes', { text: 'stays' });
}

async function openPreview(page: Page, name: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Source' }).fill(name);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Preview' }).click();
}

test('previews a source, requires its name and the password, and erases it', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, PAGE_PATH);
  await expect(page.getByText('No erasures yet.')).toBeVisible();
  await openPreview(page, 'diary');
  await expect(regionOf(page, 'Will be erased')).toContainText('3\u00A0records');
  await expect(regionOf(page, 'Will be erased')).toContainText('diary/days, diary/nights');
  await expect(regionOf(page, 'Not erased')).toContainText('only you have read this data');
  await expect(regionOf(page, 'What is kept and why')).toContainText('The access history');
  await expectAccessibleInExtraVariants(page, 'preview');

  const eraseButton = page.getByRole('button', { name: 'Permanently erase this source' });
  await eraseButton.click();
  await expect(page.getByText('The text does not match.')).toBeVisible();
  await page.getByLabel('Type diary').fill('diary');
  await page.getByLabel('Your password').fill('something else');
  await eraseButton.click();
  await expect(page.getByText('Wrong password.')).toBeVisible();
  await expectAccessible(page, 'refused');
  await page.getByLabel('Your password').fill(PASSWORD);
  await eraseButton.click();

  const report = page.getByRole('list', { name: 'Erasures', exact: true }).getByRole('listitem');
  await expect(report).toContainText('Source diary');
  await expect(report).toContainText('Erased');
  await expect(report).toContainText('3\u00A0records');
  await expect(report).toContainText('Your PDA does not know of backups in other places');
  await expectAccessibleInExtraVariants(page, 'report');
  expect(await pda.call('GET', '/api/v2.6/data/diary/days')).toEqual([]);
  expect(await pda.call('GET', '/api/v2.6/data/kept/notes')).toHaveLength(1);
  await page.reload();
  await expect(report).toContainText('Source diary');
});

thoroughTest('links from the data page to the preview and reports a name without data', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, '/data/endpoint/diary/days');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Permanently erase all of diary' }).click();
  await expect(page).toHaveURL(/#\/settings\/erase\?kind=namespace&target=diary$/u);
  await expect(regionOf(page, 'Will be erased')).toContainText('diary/days, diary/nights');
  await page.goto(`${pda.url}/#${PAGE_PATH}?kind=namespace&target=empty`);
  await expect(page.getByText('Nothing is stored under this name.')).toBeVisible();
  await page.goto(`${pda.url}/#${PAGE_PATH}?kind=file&target=no-such-file`);
  await expect(page.getByText('This file does not exist.')).toBeVisible();
});

thoroughTest('erases everything and opens the setup page', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, `${PAGE_PATH}?kind=everything`);
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(regionOf(page, 'Will be erased')).toContainText('Your account, its keys and settings');
  await expect(regionOf(page, 'What is kept and why')).toContainText('config.json');
  await expectAccessible(page, 'everything');
  await page.getByLabel(`Type ${NAME}`).fill(NAME);
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Permanently erase everything' }).click();
  await expect(page).toHaveURL(/#\/setup/u);
  await expect(page.getByLabel('Name of your PDA').or(page.getByRole('heading')).first()).toBeVisible();
  const state = await (await fetch(`${pda.url}/api/v2.6/owner/setup`)).json();
  expect(state).toEqual({ state: 'waiting' });
});
