import { png, uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, expectPlainPageAccessible, notice, thoroughTest } from './pda.ts';

const GUEST_PASSWORD = 'a quiet meadow in the north';

thoroughTest(
  'invites a person, who can open two shared files on a phone until the owner deletes the person',
  async ({ page, pda, browser }) => {
    const fileId = await uploadContent(pda, png(), { name: 'lake.png' });
    await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
    await pda.enter(page, '/files');
    await page.getByRole('checkbox', { name: /lake\.png/ }).check();
    await page.getByRole('checkbox', { name: /letter\.txt/ }).check();
    await page.getByRole('button', { name: 'Invite person to 2 files' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite person to 2 files' });
    await dialog.getByRole('button', { name: 'Create link' }).click();
    await expect(dialog.getByText('Enter a name.')).toBeVisible();
    await dialog.getByLabel('Name').fill('Grace');
    await expectAccessible(page, 'invitation', DIALOG);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const linkDialog = page.getByRole('dialog', { name: 'Link for Grace' });
    const address = (await linkDialog.locator('code').textContent()) ?? '';
    await expectAccessible(page, 'link of an invitation', DIALOG);
    await linkDialog.getByRole('button', { name: 'Done' }).click();

    const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
    const guest = await context.newPage();
    await guest.goto(address);
    await expect(guest.getByRole('heading', { name: 'ada invites you' })).toBeVisible();
    await expect(guest.getByText('letter.txt')).toBeVisible();
    await expectPlainPageAccessible(guest, 'invitation');
    await guest.getByLabel('Password', { exact: true }).fill(GUEST_PASSWORD);
    await guest.getByLabel('Repeat the password').fill('another password');
    await guest.getByRole('button', { name: 'Create my account' }).click();
    await expect(guest.getByText('The two passwords differ.')).toBeVisible();
    await expectPlainPageAccessible(guest, 'refused acceptance');
    await guest.getByLabel('Password', { exact: true }).fill(GUEST_PASSWORD);
    await guest.getByLabel('Repeat the password').fill(GUEST_PASSWORD);
    await guest.getByRole('button', { name: 'Create my account' }).click();
    await expect(guest.getByRole('heading', { name: 'Shared with you' })).toBeVisible();
    await expectPlainPageAccessible(guest, 'files of a guest');
    const download = guest.waitForEvent('download');
    await guest.getByRole('link', { name: 'Download: letter.txt' }).click();
    expect((await download).suggestedFilename()).toBe('letter.txt');
    const archiveDownload = guest.waitForEvent('download');
    await guest.getByRole('link', { name: 'Download all as ZIP' }).click();
    expect((await archiveDownload).suggestedFilename()).toBe('shared-files.zip');
    await guest.getByRole('link', { name: 'View: lake.png' }).click();
    const picture = guest.getByRole('img', { name: 'lake.png' });
    await expect.poll(() => picture.boundingBox().then((box) => box?.width ?? 0)).toBeGreaterThan(1);
    await expectPlainPageAccessible(guest, 'file of a guest');
    await guest.getByRole('link', { name: 'Account' }).click();
    await expect(guest.getByText('Signed in as Grace')).toBeVisible();
    await expectPlainPageAccessible(guest, 'account of a guest');

    await page.goto(`${pda.url}/#/settings/people`);
    await expect(page.getByText(/Accepted by Grace/)).toBeVisible();
    await expectAccessible(page, 'people with an invitation');
    await page.getByRole('button', { name: 'Actions for Grace' }).click();
    await page.getByRole('menuitem', { name: 'Access history' }).click();
    await expect(page.getByRole('link', { name: /Grace, accepted your invitation/ })).toBeVisible();
    await expect(page.getByRole('link', { name: /Grace, saw the list of 2 files/ })).toBeVisible();
    await expect(page.getByRole('link', { name: /Grace, downloaded 2 files as an archive/ })).toBeVisible();
    await page.goto(`${pda.url}/#/settings/people`);
    await page.getByRole('button', { name: 'Actions for Grace' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete person' }).click();
    await expect(notice(page, 'Grace deleted')).toBeVisible();

    await guest.goto(`${pda.url}/guest/files/${fileId}`);
    await expect(guest.getByText(/the owner has removed your access/)).toBeVisible();
    await expectPlainPageAccessible(guest, 'sign-in of a guest');
    await guest.goto(address);
    await expect(guest.getByRole('heading', { name: 'This invitation was already used' })).toBeVisible();
    await context.close();
  },
);

thoroughTest('replaces and revokes an invitation link', async ({ page, pda }) => {
  await pda.enter(page, '/settings/people');
  await page.getByRole('button', { name: 'Invite person' }).click();
  const form = page.getByRole('dialog', { name: 'Invite person' });
  await form.getByLabel('Name').fill('Alan');
  await form.getByLabel('The link is valid for').selectOption('Choose a date…');
  await form.getByLabel('Last day').fill('2020-01-01');
  await expect(form.getByText('Choose a day in the next 90 days.')).toBeVisible();
  await form.getByLabel('The link is valid for').selectOption('1 day');
  await form.getByRole('button', { name: 'Create link' }).click();
  const linkDialog = page.getByRole('dialog', { name: 'Link for Alan' });
  const firstAddress = (await linkDialog.locator('code').textContent()) ?? '';
  await linkDialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'New link for Alan' }).click();
  await page.getByRole('dialog', { name: 'New link for Alan' }).getByRole('button', { name: 'Create link' }).click();
  const secondAddress = (await linkDialog.locator('code').textContent()) ?? '';
  expect(secondAddress).not.toBe(firstAddress);
  await linkDialog.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('button', { name: 'Revoke the invitation for Alan' }).click();
  await expect(notice(page, 'The invitation for Alan no longer works')).toBeVisible();
  await expect(page.getByText('Revoked')).toBeVisible();
  await page.goto(firstAddress);
  await expect(page.getByRole('heading', { name: 'This invitation does not work' })).toBeVisible();
  await page.goto(secondAddress);
  await expect(page.getByRole('heading', { name: 'This invitation was withdrawn' })).toBeVisible();
});
