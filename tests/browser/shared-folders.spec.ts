import { uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, expectPlainPageAccessible, notice, thoroughTest } from './pda.ts';

const PHONE = { width: 390, height: 844 };
const NEW_PASSWORD = 'a quiet meadow in the north';

thoroughTest(
  'shares a folder with a guest, who sets a new password with a link and can open the folder until sharing stops',
  async ({ page, pda, browser }) => {
    for (const name of ['lake.txt', 'hills.txt']) await uploadContent(pda, name, { name, source: 'Trips' });
    await pda.call('POST', '/users/user', { name: 'Grace', password: 'a password that Grace forgot' });
    await pda.enter(page, '/files?folder=Trips');
    await page.setViewportSize(PHONE);
    await page.getByRole('button', { name: 'Share with a person' }).click();
    const shareDialog = page.getByRole('dialog', { name: 'Share the folder Trips with a person' });
    await shareDialog.getByLabel('Person').selectOption('Grace');
    await shareDialog.getByRole('button', { name: 'Share with Grace' }).click();
    await expect(shareDialog.getByText('Can open everything in it, including new files')).toBeVisible();
    await expectAccessible(page, 'people of a folder', DIALOG);

    await page.goto(`${pda.url}/#/settings/people`);
    await page.getByRole('button', { name: 'Actions for Grace' }).click();
    await page.getByRole('menuitem', { name: 'New password…' }).click();
    await page
      .getByRole('dialog', { name: 'New password for Grace' })
      .getByRole('button', { name: 'Create link' })
      .click();
    const linkDialog = page.getByRole('dialog', { name: 'Link for Grace' });
    const address = (await linkDialog.locator('code').textContent()) ?? '';
    await linkDialog.getByRole('button', { name: 'Done' }).click();
    await expect(
      page.getByRole('list', { name: 'Folders and collections that Grace can open' }).getByText('Trips'),
    ).toBeVisible();
    await expectAccessible(page, 'people with a shared folder and a password link');

    const context = await browser.newContext({ viewport: PHONE });
    const guest = await context.newPage();
    await guest.goto(address);
    await expect(guest.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
    await expectPlainPageAccessible(guest, 'link for a new password');
    await guest.getByLabel('New password').fill(NEW_PASSWORD);
    await guest.getByLabel('Repeat the password').fill(NEW_PASSWORD);
    await guest.getByRole('button', { name: 'Set password' }).click();
    await expect(guest.getByRole('link', { name: 'Trips' })).toBeVisible();
    await expectPlainPageAccessible(guest, 'list with a shared folder');
    await guest.getByRole('link', { name: 'Trips' }).click();
    await expect(guest.getByRole('heading', { name: 'Trips' })).toBeVisible();
    await expect(guest.getByText('hills.txt')).toBeVisible();
    await expectPlainPageAccessible(guest, 'shared folder');
    const download = guest.waitForEvent('download');
    await guest.getByRole('link', { name: 'Download all as ZIP' }).click();
    expect((await download).suggestedFilename()).toBe('shared-files.zip');

    await page.goto(`${pda.url}/#/sharing`);
    const row = page.getByRole('listitem').filter({ hasText: 'Grace' });
    await expect(row.getByText('Can open 2 files, and new ones in 1 folder')).toBeVisible();
    await page.goto(`${pda.url}/#/settings/people`);
    await expect(page.getByText(/^Used /)).toBeVisible();
    await page.getByRole('button', { name: 'Stop sharing the folder Trips with Grace' }).click();
    await expect(notice(page, 'Grace can no longer open the folder Trips')).toBeVisible();
    await guest.reload();
    await expect(guest.getByRole('heading', { name: 'This folder is not available' })).toBeVisible();
    await guest.goto(address);
    await expect(guest.getByRole('heading', { name: 'This link was already used' })).toBeVisible();
    await context.close();
  },
);
