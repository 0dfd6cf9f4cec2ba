import type { Page } from '@playwright/test';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DIALOG,
  NAME,
  PASSWORD,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  notice,
  test as base,
} from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

const PAGE_PATH = '/settings/backup';
const PASSPHRASE = 'seven quiet herons over the marsh';

const test = base.extend<{ disk: string }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  disk: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'pda-disk-'));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

async function waitUntilIdle(pda: Pda): Promise<void> {
  await expect
    .poll(async () => ((await pda.call('GET', '/api/v2.6/owner/backup')) as { running: unknown }).running)
    .toBeNull();
}

/** Sets up backups and makes the first one, through the API. */
async function backUp(pda: Pda, disk: string): Promise<{ recoveryKey: string }> {
  const { recoveryKey } = (await pda.call('POST', '/api/v2.6/owner/backup/set-up', {
    folder: disk,
    passphrase: PASSPHRASE,
  })) as { recoveryKey: string };
  await pda.call('POST', '/api/v2.6/owner/backup/run');
  await waitUntilIdle(pda);
  return { recoveryKey };
}

const statusWithText = (page: Page, text: string | RegExp) =>
  page.getByRole('main').getByRole('status').filter({ hasText: text });

thoroughTest(
  'sets up backups, saves the recovery key, backs up and passes a test restore',
  async ({ page, pda, disk }) => {
    await pda.store('fit/steps', [{ steps: 1 }, { steps: 2 }]);
    await pda.enter(page);
    await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
    await page.getByRole('link', { name: 'Backups are off' }).click();
    await expect(page.getByText('if this computer breaks or is stolen')).toBeVisible();

    await page.getByRole('button', { name: 'Use this folder' }).click();
    await expect(page.getByText('Enter the path of a folder.')).toBeVisible();
    await page.getByLabel('Folder on this computer').fill(join(disk, 'nowhere'));
    await page.getByLabel('Backup passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Use this folder' }).click();
    await expect(page.getByText('Create the folder first, or choose another one.').first()).toBeVisible();
    await page.getByLabel('Folder on this computer').fill(disk);
    await page.getByLabel('Backup passphrase').fill('password');
    await page.getByRole('button', { name: 'Use this folder' }).click();
    await expect(page.getByText('This password is too easy to guess.')).toBeVisible();
    await page.getByLabel('Backup passphrase').fill(PASSPHRASE);
    await page.getByRole('button', { name: 'Use this folder' }).click();

    const dialog = page.getByRole('dialog', { name: 'Your recovery key' });
    await expect(dialog.getByRole('group', { name: 'Recovery key' })).toHaveText(/^[0-9A-Z]{40}$/u);
    await expectAccessible(page, 'recovery key', DIALOG);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'I saved it' }).click();
    await expect(dialog).toBeHidden();

    // The first backup is due immediately, so the PDA may have started it already.
    await expect(statusWithText(page, /No backup has been made yet|Backing up|Backed up/u)).toBeVisible();
    await page.getByRole('button', { name: 'Back up now' }).click();
    await expect(statusWithText(page, 'Backed up')).toBeVisible();
    await expect(page.getByText('The records and a sample')).toBeVisible();
    await page.getByRole('button', { name: 'Test restore now' }).click();
    await expect(page.getByText(/^Everything: \d+\sfiles?/u)).toBeVisible();
    await expectAccessible(page, 'backup');
    await expectAccessibleInExtraVariants(page, 'backup');
    await expect(page.getByRole('region', { name: 'Backups' }).getByText('Test restore passed')).toBeVisible();

    // The PDA may be running the weekly test restore, during which it refuses new settings.
    await waitUntilIdle(pda);
    await page.getByLabel('Back up', { exact: true }).selectOption('Every week');
    await page.getByLabel('weeks').fill('9');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(notice(page, 'Saved')).toBeVisible();
    await page.reload();
    await expect(page.getByLabel('weeks')).toHaveValue('9');
    await expect(page.getByLabel('Back up', { exact: true })).toHaveValue('week');

    await page.getByRole('link', { name: 'Home' }).first().click();
    await expect(page.getByRole('link', { name: 'Last backup with a successful test restore:' })).toBeVisible();
  },
);

thoroughTest(
  'reports a missing disk, replaces the recovery key when the passphrase changes, and stops backups',
  async ({ page, pda, disk }) => {
    const { recoveryKey } = await backUp(pda, disk);
    const problem = page.getByText(`${disk} does not exist. If it is on an external disk, connect it.`);
    await rename(disk, `${disk}-away`);
    try {
      await pda.enter(page, PAGE_PATH);
      await page.getByRole('button', { name: 'Back up now' }).click();
      await expect(problem).toBeVisible();
      await expectAccessible(page, 'a backup that failed');
    } finally {
      await rename(`${disk}-away`, disk);
    }
    await page.getByRole('button', { name: 'Back up now' }).click();
    // Until this backup starts, the status still shows the previous backup.
    await expect(problem).toBeHidden();
    await expect(statusWithText(page, 'Backed up')).toBeVisible();
    await waitUntilIdle(pda);
    // The weekly test restore could otherwise start at any moment. The passphrase cannot be changed while it runs.
    await expect(() => pda.call('POST', '/api/v2.6/owner/backup/drill')).toPass();
    await waitUntilIdle(pda);

    await page.getByRole('button', { name: 'Change passphrase' }).click();
    await page.getByLabel('Backup passphrase').fill('eight loud geese under the bridge');
    await page.getByRole('button', { name: 'Use this passphrase' }).click();
    const key = page.getByRole('group', { name: 'Recovery key' });
    await expect(key).toBeVisible();
    await expect(key).not.toHaveText(recoveryKey.replaceAll('-', ''));
    await page.getByRole('button', { name: 'I saved it' }).click();
    await page.getByRole('button', { name: 'Stop backing up' }).click();
    await expectAccessible(page, 'stop backing up', DIALOG);
    await page.getByRole('dialog').getByRole('button', { name: 'Stop backing up' }).click();
    await expect(page.getByRole('heading', { name: 'Backup folder' })).toBeVisible();
  },
);

thoroughTest('sets up a PDA from a backup', async ({ page, pda, newPda, disk }) => {
  await pda.store('fit/steps', [{ word: 'heron' }]);
  await backUp(pda, disk);
  await page.goto(newPda.setupUrl);
  await page.getByRole('button', { name: 'Restore a backup' }).click();
  await expect(page.getByRole('heading', { name: 'Restore a backup' })).toBeVisible();
  await page.getByLabel('Folder with the backups').fill(disk);
  await page.getByLabel('Passphrase or recovery key').fill('not the right one');
  await page.getByRole('button', { name: 'Find backups' }).click();
  await expect(page.getByText('This passphrase does not open the archive.')).toBeVisible();
  await expectAccessible(page, 'restore, wrong passphrase');
  await page.getByLabel('Passphrase or recovery key').fill(PASSPHRASE);
  await page.getByRole('button', { name: 'Find backups' }).click();
  await expect(page.getByText(`Backups of PDA ${NAME}`)).toBeVisible();
  await expectAccessible(page, 'restore, list of backups');
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.getByRole('heading', { name: `${NAME} has been restored` })).toBeVisible();
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Name').fill(NAME);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // The restored PDA continues with the same backup folder and has made no backup yet.
  await expect(page.getByRole('link', { name: 'No backup yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.goto(`${newPda.url}/#/data/endpoint/fit/steps`);
  await expect(page.getByText('heron')).toBeVisible();
});
