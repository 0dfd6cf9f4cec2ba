import type { Page } from '@playwright/test';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAME, PASSWORD, expect, expectAccessible, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

const SCREENSHOT_FOLDER = process.env['MOVE_PICTURES'];

/** Takes screenshots, wide and narrow, light and dark, if a folder is set. */
async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (SCREENSHOT_FOLDER === undefined) return;
  const originalViewport = page.viewportSize();
  for (const width of [1440, 390]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SCREENSHOT_FOLDER}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  if (originalViewport !== null) await page.setViewportSize(originalViewport);
}

const PAGE_PATH = '/settings/move';

const test = base.extend<{ downloadFolder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  downloadFolder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'pda-download-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

thoroughTest('exports an account, erases it and imports it into a new one', async ({ page, pda, downloadFolder }) => {
  await pda.store('fit/steps', [{ steps: 1 }, { steps: 2 }]);
  await pda.enter(page, PAGE_PATH);
  await expect(page.getByText('You can import an account only into a PDA that has no data yet.')).toBeVisible();
  await takeScreenshots(page, 'used');

  await page.getByRole('button', { name: 'Download everything' }).click();
  await expect(page.getByText('Enter your password.')).toBeVisible();
  await page.getByLabel('Your password').fill('another one altogether');
  await page.getByRole('button', { name: 'Download everything' }).click();
  await expect(page.getByText('Wrong password. Nothing was exported.')).toBeVisible();
  await page.getByLabel('Your password').fill(PASSWORD);
  const downloadStarted = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download everything' }).click();
  const download = await downloadStarted;
  expect(download.suggestedFilename()).toMatch(/^pda-ada-\d{4}-\d\d-\d\d\.zip$/u);
  const archive = join(downloadFolder, 'ada.zip');
  await download.saveAs(archive);
  expect((await stat(archive)).size).toBeGreaterThan(1000);
  await expect(page.getByText('Last archive')).toBeVisible({ timeout: 60_000 });

  // The account is erased; a new one is set up in the same home.
  const erasure = (await pda.call('POST', '/api/v2.6/owner/erasures', {
    kind: 'everything',
    target: '',
    typed: NAME,
    password: PASSWORD,
    derived: true,
    copies: true,
  })) as { setUpCode: string };
  await expect
    .poll(() =>
      fetch(`${pda.url}/api/v2.6/owner/setup`)
        .then((response) => response.text())
        .catch(() => ''),
    )
    .toContain('waiting');
  const setUpResponse = await fetch(`${pda.url}/api/v2.6/owner/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: erasure.setUpCode, name: 'grace', password: PASSWORD }),
  });
  expect(setUpResponse.ok).toBe(true);

  const signIn = async (): Promise<void> => {
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('navigation').first()).toBeVisible();
  };
  await page.evaluate(() => sessionStorage.removeItem('pda-token'));
  await page.goto(`${pda.url}/?again#${PAGE_PATH}`);
  await signIn();
  await page.goto(`${pda.url}/?again#${PAGE_PATH}`);
  await expect(page.getByLabel('Choose an archive')).toBeAttached();
  await expectAccessible(page, 'move, an empty account');
  await takeScreenshots(page, 'empty');

  await page.getByLabel('Choose an archive').setInputFiles({
    name: 'holiday.zip',
    mimeType: 'application/zip',
    buffer: Buffer.from('no zip file at all, only some words'),
  });
  await expect(page.getByText('This archive cannot be imported', { exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('it is damaged or incomplete')).toBeVisible();
  await page.getByLabel('Choose another archive').setInputFiles(archive);
  await expect(page.getByText('Account ada')).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText('2 records at 1 endpoint')).toBeVisible();
  await expectAccessible(page, 'move, an archive that was read');
  await takeScreenshots(page, 'read');
  await page.getByRole('button', { name: 'Import account' }).click();

  // The PDA has restarted. The name and password of the new account are valid.
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await signIn();
  await page.goto(`${pda.url}/?again#${PAGE_PATH}`);
  await expect(page.getByText('Account ada has been imported and is waiting for activation')).toBeVisible();
  await expectAccessible(page, 'move, an account that arrived');
  await takeScreenshots(page, 'arrived');
  await page.getByRole('button', { name: 'Activate account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate account' }).click();
  await expect(page.getByText('Account ada moved here')).toBeVisible();
  await page.goto(`${pda.url}/?again#/data/endpoint/fit/steps`);
  await expect(page.getByText('2 records').first()).toBeVisible();
});
