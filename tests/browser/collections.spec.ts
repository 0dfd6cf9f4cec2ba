import { uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, expectPlainPageAccessible, notice, thoroughTest } from './pda.ts';

const PHONE = { width: 390, height: 844 };
const PASSWORD = 'a quiet meadow in the north';

thoroughTest(
  'collects files and invites a guest, who also opens files added later, until the owner deletes the collection',
  async ({ page, pda, browser }) => {
    for (const name of ['lake.txt', 'hills.txt']) await uploadContent(pda, name, { name, source: 'Photos' });
    await pda.enter(page, '/files');
    await page.getByRole('checkbox', { name: 'Select lake.txt' }).click();
    await page.getByRole('button', { name: 'Add to collection' }).click();
    await page.getByRole('menuitem', { name: 'New collection' }).click();
    const nameDialog = page.getByRole('dialog', { name: 'New collection' });
    await nameDialog.getByRole('button', { name: 'Create collection' }).click();
    await expect(nameDialog.getByText('Enter a name.')).toBeVisible();
    await nameDialog.getByLabel('Name').fill('Summer');
    await expectAccessible(page, 'new collection', DIALOG);
    await nameDialog.getByRole('button', { name: 'Create collection' }).click();
    await expect(notice(page, '1 file added to Summer')).toBeVisible();

    const bar = page.getByRole('navigation', { name: 'Collections' });
    await bar.getByRole('button', { name: 'Summer' }).click();
    await expect(page.getByRole('row', { name: 'lake.txt' })).toBeVisible();
    await expect(page.getByRole('row', { name: 'hills.txt' })).toHaveCount(0);
    await expectAccessible(page, 'open collection');
    await bar.getByRole('button', { name: 'Invite person' }).click();
    const inviteDialog = page.getByRole('dialog', { name: 'Invite person to the collection Summer' });
    await expect(inviteDialog.getByText('including files that you add later')).toBeVisible();
    await inviteDialog.getByLabel('Name').fill('Grace');
    await inviteDialog.getByRole('button', { name: 'Create link' }).click();
    const linkDialog = page.getByRole('dialog', { name: 'Link for Grace' });
    const address = (await linkDialog.locator('code').textContent()) ?? '';
    await linkDialog.getByRole('button', { name: 'Done' }).click();

    const context = await browser.newContext({ viewport: PHONE });
    const guest = await context.newPage();
    await guest.goto(address);
    await expect(guest.getByText('A collection is waiting for you')).toBeVisible();
    await guest.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await guest.getByLabel('Repeat the password').fill(PASSWORD);
    await guest.getByRole('button', { name: 'Create my account' }).click();
    await expectPlainPageAccessible(guest, 'list with a shared collection');
    await guest.getByRole('link', { name: 'Summer' }).click();
    await expect(guest.getByText('lake.txt')).toBeVisible();
    await expect(guest.getByText('hills.txt')).toHaveCount(0);

    await bar.getByRole('button', { name: 'All files' }).click();
    await page.getByRole('checkbox', { name: 'Select hills.txt' }).click();
    await page.getByRole('button', { name: 'Add to collection' }).click();
    await page.getByRole('menuitem', { name: 'Summer' }).click();
    // The first file is still selected.
    await expect(notice(page, '2 files added to Summer')).toBeVisible();
    await guest.reload();
    await expect(guest.getByText('hills.txt')).toBeVisible();
    await expectPlainPageAccessible(guest, 'shared collection');

    await page.goto(`${pda.url}/#/sharing`);
    const row = page.getByRole('listitem').filter({ hasText: 'Grace' });
    await expect(row.getByText('Can open 2 files, and new ones in 1 collection')).toBeVisible();
    await page.goto(`${pda.url}/#/settings/people`);
    await page.getByRole('list', { name: 'Folders and collections that Grace can open' }).getByText('Summer').click();
    await bar.getByRole('button', { name: 'Actions for Summer' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete collection' }).click();
    await expect(notice(page, 'Collection Summer deleted')).toBeVisible();
    await expect(page.getByRole('row', { name: 'lake.txt' })).toBeVisible();
    await guest.reload();
    await expect(guest.getByRole('heading', { name: 'This collection is not available' })).toBeVisible();
    await context.close();
  },
);
