import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listFiles, pdf, png, uploadContent, wav } from './files.ts';
import {
  DIALOG,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  notice,
  test,
  thoroughTest,
} from './pda.ts';

thoroughTest('edits the details of a file, and keeps the input after a failed request', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, png(), { name: 'img_1.png', tags: ['garden'] });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Edit' }).click();
  await drawer.getByLabel('Title').fill('The garden in May');
  await drawer.getByLabel('Tags').fill('spring, ');
  await drawer.getByLabel('Description').fill('Seen from the window.');
  await expectAccessible(page, 'editing', DIALOG);
  await page.route('**/api/v2.6/files/file/*', (route) =>
    route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
  );
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await expect(drawer.getByText('Your changes are not saved. They are still in the form.')).toBeVisible();
  await expect(drawer.getByLabel('Title')).toHaveValue('The garden in May');
  await page.unroute('**/api/v2.6/files/file/*');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await expect(notice(page, 'Changes saved')).toBeVisible();
  await expect(drawer.getByRole('heading', { name: 'The garden in May' })).toBeVisible();
  await expect(page.getByRole('row', { name: 'The garden in May' })).toBeAttached();
  const [file] = await listFiles(pda);
  expect(file?.file).toMatchObject({
    name: 'img_1.png',
    title: 'The garden in May',
    description: 'Seen from the window.',
    tags: ['garden', 'spring'],
  });
  await drawer.getByRole('button', { name: 'Edit' }).click();
  await drawer.getByLabel('Title').fill('');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await expect(drawer.getByRole('heading', { name: 'img_1.png' })).toBeVisible();
});

thoroughTest('keeps search, tag, kind, order and view in the URL', async ({ page, pda }) => {
  await uploadContent(pda, png(), { name: 'forum.png', source: 'photos', tags: ['Rome'], title: 'The old forum' });
  await uploadContent(pda, png(9), { name: 'fjord.png', source: 'photos', tags: ['Oslo'] });
  await uploadContent(pda, 'Dear Ada', { name: 'letter.txt', source: 'letters', tags: ['Rome'] });
  await pda.enter(page, '/files');
  const rows = page.getByRole('grid').getByRole('row');
  await expect(rows).toHaveCount(4);
  await page.getByRole('searchbox', { name: 'Search files' }).fill('old for');
  await expect(page.getByText('1\u00A0file found')).toBeVisible();
  await expect(page).toHaveURL(/search=old\+for/);
  await page.getByRole('button', { name: 'Clear search' }).click();
  await page.getByLabel('Tag', { exact: true }).selectOption('Rome');
  await expect(rows).toHaveCount(3);
  await page.getByLabel('Kind', { exact: true }).selectOption('text');
  await expect(page).toHaveURL(/tag=Rome&kind=text/);
  await expect(rows).toHaveCount(2);
  await page.goBack();
  await expect(rows).toHaveCount(3);
  await page.goto(`${pda.url}/#/files?sort=name`);
  await expect(rows.nth(1)).toContainText('fjord.png');
  await page.getByRole('button', { name: 'Name' }).click();
  await expect(page).toHaveURL(/order=descending/);
  await expect(rows.nth(1)).toContainText('letter.txt');
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Grid').click();
  await expect(page).toHaveURL(/view=pictures/);
  await expect(page.getByRole('gridcell')).toHaveCount(3);
  await expect(page.getByRole('gridcell').locator('img')).toHaveCount(2);
  await page.goto(`${pda.url}/#/files?kind=video`);
  await expect(page.getByRole('heading', { name: 'No matching files' })).toBeVisible();
  await page.getByRole('link', { name: 'Show all files' }).click();
  await expect(rows).toHaveCount(4);
});

thoroughTest(
  'undoes a deletion from the notification, with the keyboard and in Recently deleted',
  async ({ page, pda }) => {
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await uploadContent(pda, `text of ${name}`, { name });
    await pda.enter(page, '/files?sort=name');
    const rows = page.getByRole('grid').getByRole('row');
    await expect(rows).toHaveCount(4);
    await page.getByRole('checkbox', { name: 'Select a.txt' }).check();
    await page.getByRole('checkbox', { name: 'Select b.txt' }).check();
    await page.getByRole('button', { name: 'Delete 2 files' }).click();
    await expect(notice(page, '2\u00A0files deleted')).toBeVisible();
    await expect(rows).toHaveCount(2);
    await notice(page, '2\u00A0files deleted').getByRole('button', { name: 'Undo' }).click();
    await expect(rows).toHaveCount(4);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Delete');
    await expect(notice(page, 'a.txt deleted')).toBeVisible();
    await page.keyboard.press('Control+z');
    await expect(notice(page, 'a.txt restored')).toBeVisible();
    await expect(rows).toHaveCount(4);
    await page.getByRole('row', { name: 'c.txt' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect(notice(page, 'c.txt deleted')).toBeVisible();
    // Checks the offer to undo here, because it disappears after a few seconds and no later step needs it.
    await expectAccessible(page, 'the offer to undo');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Recently deleted' }).click();
    await expect(page.getByText('permanently deleted tomorrow')).toBeVisible();
    await expectAccessible(page, 'recently deleted');
    await page.getByRole('button', { name: 'Restore c.txt' }).click();
    await expect(page.getByRole('heading', { name: 'No deleted files' })).toBeVisible();
    expect((await listFiles(pda)).length).toBe(3);
  },
);

thoroughTest('previews pictures, sound, PDF and text, and reports files without a preview', async ({ page, pda }) => {
  const openFile = async (content: Buffer | string, name: string) => {
    const fileId = await uploadContent(pda, content, { name });
    await page.goto(`${pda.url}/#/files?file=${fileId}`);
    return page.getByRole('dialog', { name: 'File' });
  };
  await pda.enter(page, '/files');
  const picture = (await openFile(png(), 'a.png')).getByRole('img', { name: 'Preview of a.png' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(48);
  const sound = (await openFile(wav(), 'a.wav')).locator('audio');
  await expect.poll(() => sound.evaluate((audio: HTMLAudioElement) => audio.duration)).toBeCloseTo(0.5, 1);
  const pdfFrame = (await openFile(pdf(), 'a.pdf')).locator('iframe');
  await expect(pdfFrame).toHaveAttribute('title', 'Preview of a.pdf');
  const longText = `${'Grüße, '.repeat(40_000)}the end`;
  const textDrawer = await openFile(longText, 'a.txt');
  await expect(textDrawer.getByRole('region', { name: 'Preview of a.txt' })).toContainText('Grüße, Grüße');
  await expect(textDrawer).not.toContainText('the end');
  await expect(textDrawer).toContainText('The first 200\u00A0kB of');
  await expectAccessible(page, 'a text file', DIALOG);
  const otherDrawer = await openFile(Buffer.from([0, 1, 2, 3, 255, 254]), 'a.bin');
  await expect(otherDrawer).toContainText('Other: no preview');
  const brokenDrawer = await openFile(Buffer.concat([png().subarray(0, 40), Buffer.alloc(400)]), 'broken.png');
  await expect(brokenDrawer).toContainText('Preview not possible');
  await expect(await openFile('', 'empty.txt')).toContainText(/no preview|This file is empty/);
});

test('selects files, opens them and their Share dialog by keyboard, and restores the focus', async ({ page, pda }) => {
  for (const [index, name] of ['a.txt', 'b.txt', 'c.txt', 'd.txt'].entries())
    await uploadContent(pda, 'x'.repeat(index + 1), { name });
  await pda.enter(page, '/files?sort=name');
  const grid = page.getByRole('grid');
  await expect(grid.getByRole('row')).toHaveCount(5);
  await page.getByRole('heading', { name: 'Files', exact: true }).focus();
  for (let presses = 0; presses < 30; presses += 1) {
    if (await grid.evaluate((element) => element === document.activeElement)) break;
    await page.keyboard.press('Tab');
  }
  await expect(grid).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(page.getByText('1 selected')).toBeVisible();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'File' });
  await expect(drawer.getByRole('heading', { name: 'b.txt' })).toBeVisible();
  // The focus stays in the dialog.
  for (let presses = 0; presses < 25; presses += 1) await page.keyboard.press('Tab');
  expect(await drawer.evaluate((element) => element.contains(document.activeElement))).toBe(true);
  await drawer.getByRole('button', { name: 'Next file' }).press('Enter');
  await expect(drawer.getByRole('heading', { name: 'c.txt' })).toBeVisible();
  await drawer.getByRole('button', { name: 'Share' }).press('Enter');
  await expect(page.getByRole('dialog', { name: 'Share c.txt' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer.getByRole('button', { name: 'Share' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await expect(grid).toBeFocused();
  await page.goto(`${pda.url}/#/files?sort=name&view=pictures`);
  // One cell per file. The previous view, a list, has several cells per row.
  await expect(grid.getByRole('gridcell')).toHaveCount(4);
  await grid.focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(drawer.getByRole('heading', { name: 'c.txt' })).toBeVisible();
});

thoroughTest('shows storage usage as a map and a table, with links to the files', async ({ page, pda }) => {
  await uploadContent(pda, Buffer.alloc(900_000, 0xff), { name: 'a.bin', source: 'backups' });
  await uploadContent(pda, 'x'.repeat(200_000), { name: 'b.txt', source: 'letters' });
  await uploadContent(pda, 'x', { name: 'c.txt', source: 'notes' });
  await pda.enter(page, '/files');
  await page.getByRole('link', { name: '3 files, 1.1 MB' }).click();
  const map = page.getByRole('list', { name: 'Map of storage usage' });
  await expect(map.getByRole('link')).toHaveCount(2);
  await expect(page.getByText('1\u00A0smaller group is in the table.')).toBeVisible();
  await expectAccessible(page, 'the map');
  await page.getByText('Table', { exact: true }).click();
  await expect(page.getByRole('table').getByRole('row')).toHaveCount(4);
  await expectAccessible(page, 'the table');
  await page.getByText('By kind', { exact: true }).first().click();
  await expect(page).toHaveURL(/by=kind/);
  await page.getByRole('link', { name: 'Texts' }).click();
  await expect(page).toHaveURL(/kind=text/);
  await expect(page.getByRole('grid').getByRole('row')).toHaveCount(3);
});

thoroughTest('axe reports no violations in lists of files, a file and its Share dialog', async ({ page, pda }) => {
  const checkView = async (address: string, heading: string) => {
    await page.goto(`${pda.url}/#${address}`);
    await expect(page.getByRole('heading', { name: heading }).first()).toBeVisible();
    await expectAccessible(page, address);
  };
  await pda.enter(page, '/files');
  await checkView('/files', 'No files yet');
  await checkView('/files/uploads', 'No uploads');
  await checkView('/files/deleted', 'No deleted files');
  await checkView('/files/space', 'No files');
  await checkView('/files?file=nowhere', 'File');
  const fileId = await uploadContent(pda, png(), {
    name: 'a.png',
    tags: ['Rome'],
    title: 'The forum',
    description: 'From above',
  });
  await uploadContent(pda, 'Dear Ada', { name: 'b.txt' });
  await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
  await page.goto(`${pda.url}/#/files?sort=name`);
  // Until the new order has loaded, the old list is shown, and its rows could be replaced during the click.
  await expect(page.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
  await expect(page.getByRole('row', { name: 'The forum' })).toBeVisible();
  await page.getByRole('checkbox', { name: 'Select b.txt' }).check();
  await expectAccessible(page, 'a list with one selected file');
  await expectAccessibleInExtraVariants(page, 'a list with one selected file');
  await page.goto(`${pda.url}/#/files?view=pictures`);
  await expect(page.getByRole('gridcell')).toHaveCount(2);
  await expectAccessible(page, 'pictures');
  await page.goto(`${pda.url}/#/files?file=${fileId}`);
  await expect(page.getByRole('dialog').getByRole('link', { name: /^You made .+ public/u })).toBeVisible();
  await expectAccessible(page, 'a file', DIALOG);
  await expectAccessibleInExtraVariants(page, 'a file', DIALOG);
  await page.goto(`${pda.url}/#/files?file=${fileId}&share=1`);
  await expect(page.getByRole('dialog', { name: 'Share The forum' })).toBeVisible();
  await expectAccessible(page, 'sharing without people', DIALOG);
});

thoroughTest('opens folders, keeps the open one in the URL, and shares it with a link', async ({ page, pda }) => {
  await mkdir(join(pda.home, 'files/trips/rome'), { recursive: true });
  await writeFile(join(pda.home, 'files/trips/rome/forum.txt'), 'old stones');
  await writeFile(join(pda.home, 'files/trips/plan.txt'), 'first Rome');
  await uploadContent(pda, 'Dear Ada', { name: 'letter.txt', source: 'letters' });
  await expect.poll(async () => (await listFiles(pda)).length).toBe(3);
  await pda.enter(page, '/files');
  const rows = page.getByRole('grid').getByRole('row');
  const folders = page.getByRole('navigation', { name: 'Folders' });
  await folders.getByRole('button', { name: 'trips' }).click();
  await expect(rows).toHaveCount(3);
  await folders.getByRole('button', { name: 'rome' }).click();
  await expect(page).toHaveURL(/folder=trips%2Frome/);
  await expect(rows).toHaveCount(2);
  await expect(page.getByText('forum.txt')).toBeVisible();
  await expectAccessible(page, 'an open folder');
  await page.goBack();
  await expect(rows).toHaveCount(3);
  await folders.getByRole('button', { name: 'Share with a link' }).click();
  await page
    .getByRole('dialog', { name: 'Share the folder trips' })
    .getByRole('button', { name: 'Create link' })
    .click();
  await expect(page).toHaveURL(/#\/sharing\/links$/);
  await expect(page.getByRole('listitem').filter({ hasText: 'trips' }).first()).toBeVisible();
});

thoroughTest('the edit form keeps its input if reloading the file fails', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'Hello', { name: 'letter.txt' });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: 'Edit' }).click();
  await drawer.getByLabel('Description').fill('To Grace');
  const path = `**/owner/files/file/${fileId}`;
  await page.route(path, (route) => route.fulfill({ status: 500, json: {} }));
  const failedResponse = page.waitForResponse(
    (response) => response.url().endsWith(fileId) && response.status() === 500,
  );
  // The change event of another file makes the page reload this one.
  await uploadContent(pda, 'Other', { name: 'other.txt' });
  await failedResponse;
  await expect(drawer.getByLabel('Description')).toHaveValue('To Grace');
  await page.unroute(path);
  await drawer.getByRole('button', { name: 'Save' }).click();
  await expect(drawer.getByText('To Grace')).toBeVisible();
});
