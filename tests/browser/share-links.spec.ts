import { uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, expectPlainPageAccessible, notice, test, thoroughTest } from './pda.ts';

test('creates a link, which a visitor opens on a phone, and revokes it', async ({ page, pda, browser }) => {
  const fileId = await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
  await pda.enter(page, `/files?file=${fileId}&share=1`);
  const dialog = page.getByRole('dialog', { name: 'Share letter.txt' });
  await dialog.getByRole('button', { name: 'New link' }).click();
  await dialog.getByLabel('Name').fill('Letter for Grace');
  await dialog.getByLabel('Limit (optional)').fill('0');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(dialog.getByText(/^Enter a whole number from 1 to/)).toBeVisible();
  await dialog.getByLabel('Limit (optional)').fill('3');
  await expectAccessible(page, 'new link', DIALOG);
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(notice(page, 'Link created')).toBeVisible();
  await expect(dialog.getByText('0 of 3 files opened')).toBeVisible();
  await expect(dialog.getByRole('region', { name: 'Who can see it now' })).toContainText('Anyone who has its link');
  const address = (await dialog.locator('code').first().textContent()) ?? '';

  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const visitor = await context.newPage();
  await visitor.goto(address);
  await expect(visitor.getByRole('heading', { name: 'Letter for Grace' })).toBeVisible();
  await expectPlainPageAccessible(visitor, 'page of a link');
  const download = visitor.waitForEvent('download');
  await visitor.getByRole('link', { name: 'Download: letter.txt' }).click();
  expect((await download).suggestedFilename()).toBe('letter.txt');
  await visitor.getByRole('link', { name: 'Open: letter.txt' }).click();
  await expect(visitor.getByText('Dear Grace')).toBeVisible();

  await page.goto(`${pda.url}/#/sharing/links`);
  await expect(page.getByText('1 of 3 files opened')).toBeVisible();
  await page.getByRole('link', { name: 'Access history of Letter for Grace' }).click();
  await expect(
    page.getByRole('link', { name: /A visitor with the link Letter for Grace downloaded letter.txt/ }),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: /You created the share link Letter for Grace/ })).toBeVisible();
  await page.goto(`${pda.url}/#/sharing/links`);
  await page.getByRole('button', { name: 'Revoke Letter for Grace' }).click();
  await expect(notice(page, 'Letter for Grace no longer works')).toBeVisible();
  await expect(page.getByText('No share links')).toBeVisible();
  await visitor.goto(address);
  await expect(visitor.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await expectPlainPageAccessible(visitor, 'revoked link');
  await context.close();
});

thoroughTest('asks visitors for the link password, and changes the settings of the link', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'hidden words', { name: 'diary.txt' });
  const link = (await pda.call('POST', '/api/v2.6/owner/share-links', {
    name: 'Diary',
    fileIds: [fileId],
    password: 'a blue boat',
  })) as { path: string };
  await page.goto(`${pda.url}${link.path}`);
  await expect(page.getByLabel('Password')).toBeFocused();
  await expectPlainPageAccessible(page, 'password of a link');
  await page.getByLabel('Password').fill('a red boat');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('alert')).toHaveText('This password is wrong.');
  await expectPlainPageAccessible(page, 'wrong password');
  await page.getByLabel('Password').fill('a blue boat');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Diary' })).toBeVisible();
  await expect(page.getByText('diary.txt')).toBeVisible();

  await pda.enter(page, '/sharing/links');
  await page.getByRole('button', { name: 'Change Diary' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change link' });
  await dialog.getByLabel('Remove the password').check();
  await dialog.getByLabel('View only').check();
  await dialog.getByLabel('Ends').selectOption('Choose a date…');
  await dialog.getByLabel('Last day').fill('2020-01-01');
  await expect(dialog.getByText('Choose today or a later day.')).toBeVisible();
  await expectAccessible(page, 'changing a link', DIALOG);
  await dialog.getByLabel('Last day').fill('2098-12-31');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(notice(page, 'Link saved')).toBeVisible();
  await expect(page.getByText(/Ends 31 Dec 2098.23:59/)).toBeVisible();
  await page.goto(`${pda.url}${link.path}`);
  await expect(page.getByText('The owner has turned off downloads.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Open: diary.txt' })).toBeVisible();
  await expect(page.getByRole('link', { name: /Download/ })).toHaveCount(0);
});

thoroughTest('shares a folder, and revokes all links together', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'one', { name: 'one.txt' });
  await pda.enter(page, `/files?file=${fileId}&share=1`);
  const dialog = page.getByRole('dialog', { name: 'Share one.txt' });
  await dialog.getByRole('button', { name: 'New link' }).click();
  await dialog.getByLabel('All files in the folder test, including new ones').check();
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(notice(page, 'Link created')).toBeVisible();
  const address = (await dialog.locator('code').first().textContent()) ?? '';
  await uploadContent(pda, 'two', { name: 'two.txt' });
  await page.goto(address);
  await expect(page.getByText('two.txt')).toBeVisible();
  await pda.call('POST', '/api/v2.6/owner/share-links', { name: 'Another', fileIds: [fileId] });

  await pda.enter(page, '/sharing/links');
  await page.getByRole('button', { name: 'Revoke all links' }).click();
  await page.getByRole('button', { name: 'Revoke all', exact: true }).click();
  await expect(notice(page, 'All links were revoked')).toBeVisible();
  await expect(page.getByText('No share links')).toBeVisible();
  await expectAccessible(page, 'no share links');
});

thoroughTest('shares several selected files with one link', async ({ page, pda }) => {
  for (const name of ['one.txt', 'two.txt', 'three.txt']) await uploadContent(pda, name, { name });
  await pda.enter(page, '/files');
  await page.getByRole('checkbox', { name: /one\.txt/ }).check();
  await page.getByRole('checkbox', { name: /two\.txt/ }).check();
  await page.getByRole('button', { name: 'Share 2 files with a link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Link to 2 files' });
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Numbers');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  await expect(page.getByRole('heading', { name: 'Share links' })).toBeVisible();
  await expect(page.getByText('one.txt, two.txt')).toBeVisible();
  await page.goto((await page.locator('code').first().textContent()) ?? '');
  await expect(page.getByRole('listitem')).toHaveCount(2);
  await expect(page.getByText('three.txt')).toHaveCount(0);
  await pda.enter(page, '/files');
  await expect(page.getByRole('row', { name: /three\.txt/ })).toContainText('Only you');
  await expect(page.getByRole('row', { name: /one\.txt/ })).toContainText('By link');
});
