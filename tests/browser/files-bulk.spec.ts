import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, png, uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, expectAccessibleInExtraVariants, notice, thoroughTest } from './pda.ts';

thoroughTest('adds and removes tags of the selected files, and restores them exactly', async ({ page, pda }) => {
  await uploadContent(pda, png(), { name: 'a.png', tags: ['Rome', 'summer'] });
  await uploadContent(pda, png(9), { name: 'b.png', tags: ['summer'] });
  await uploadContent(pda, png(18), { name: 'c.png', tags: ['winter'] });
  const readTags = async () => (await listFiles(pda, '?sort=name&order=ascending')).map(({ file }) => file.tags);
  const originalTags = await readTags();
  await pda.enter(page, '/files?sort=name');
  for (const name of ['a.png', 'b.png']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
  await page.getByRole('button', { name: 'Tags…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tags of 2\u00A0files' });
  const romeCheckbox = dialog.getByRole('checkbox', { name: 'Rome' });
  await expect(romeCheckbox).toBeChecked({ indeterminate: true });
  await expect(dialog.getByRole('checkbox', { name: 'summer' })).toBeChecked();
  await expect(dialog.getByRole('button', { name: 'Save tags' })).toBeDisabled();
  await expectAccessibleInExtraVariants(page, 'tags of selected files', DIALOG);
  await romeCheckbox.click();
  await dialog.getByRole('checkbox', { name: 'summer' }).click();
  await dialog.getByLabel('Add tags').fill('family, ');
  await dialog.getByRole('button', { name: 'Save tags' }).click();
  const doneNotice = notice(page, 'Tags of 2\u00A0files changed');
  await expect(doneNotice).toBeVisible();
  expect(await readTags()).toEqual([['Rome', 'family'], ['Rome', 'family'], ['winter']]);
  await doneNotice.getByRole('button', { name: 'Undo' }).click();
  await expect(notice(page, 'Previous tags restored')).toBeVisible();
  expect(await readTags()).toEqual(originalTags);
});

thoroughTest(
  'moves the selected files, moves them back, reports those that cannot be moved, and creates a folder',
  async ({ page, pda }) => {
    await uploadContent(pda, 'lake', { name: 'lake.txt', source: 'Trips' });
    await uploadContent(pda, 'other lake', { name: 'lake.txt', source: 'letters' });
    await uploadContent(pda, 'hills', { name: 'hills.txt', source: 'letters' });
    const { userId } = (await pda.call('POST', '/users/user', { name: 'Grace', password: 'a password of Grace' })) as {
      userId: string;
    };
    await pda.call('POST', '/api/v2.6/owner/shared-folders', { folder: 'Trips', userId });
    await pda.enter(page, '/files?sort=name&folder=letters');
    for (const name of ['lake.txt', 'hills.txt']) await page.getByRole('checkbox', { name: `Select ${name}` }).check();
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move 2\u00A0files' });
    await expect(dialog.getByRole('button', { name: 'Move to letters' })).toBeDisabled();
    await dialog.getByRole('button', { name: 'Top folder' }).click();
    await dialog.getByRole('button', { name: 'Trips' }).click();
    await expect(dialog.getByText('Grace can then open them: this folder is shared.')).toBeVisible();
    await expectAccessible(page, 'move to a shared folder', DIALOG);
    await dialog.getByRole('button', { name: 'Move to Trips' }).click();
    await expect(notice(page, '1 of 2\u00A0files not moved')).toContainText(
      'the folder already has a file with this name',
    );
    const doneNotice = notice(page, '1\u00A0file moved to Trips');
    await expect(doneNotice).toBeVisible();
    expect(existsSync(join(pda.home, 'files', 'Trips', 'hills.txt'))).toBe(true);
    await doneNotice.getByRole('button', { name: 'Undo' }).click();
    await expect(notice(page, '1\u00A0file moved back')).toBeVisible();
    expect(existsSync(join(pda.home, 'files', 'letters', 'hills.txt'))).toBe(true);

    await page.getByRole('checkbox', { name: 'Select hills.txt' }).check();
    await page.getByRole('button', { name: 'Move…' }).click();
    const secondDialog = page.getByRole('dialog', { name: 'Move 1\u00A0file' });
    await secondDialog.getByLabel('New subfolder').fill('2024');
    await expectAccessible(page, 'move to a new folder', DIALOG);
    await secondDialog.getByRole('button', { name: 'Move to 2024' }).click();
    await expect(notice(page, '1\u00A0file moved to letters/2024')).toBeVisible();
    await expect(page.getByRole('navigation', { name: 'Folders' }).getByRole('button', { name: '2024' })).toBeVisible();
    expect(existsSync(join(pda.home, 'files', 'letters', '2024', 'hills.txt'))).toBe(true);
  },
);
