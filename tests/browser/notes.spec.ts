import { DIALOG, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

test('adds a note from the command palette, edits it, finds it by a tag, deletes it and undoes the deletion', async ({
  page,
  pda,
}) => {
  await pda.enter(page, '/data/notes');
  await expect(page.getByText('No notes')).toBeVisible();
  await expectAccessible(page, 'no notes');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search your data, pages and actions').fill('add note');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Add note' });
  await dialog.getByLabel('Text').fill('# Shopping\n\n- **oat** milk');
  for (const tag of [' home ', 'home']) {
    await dialog.getByLabel('Tags (optional)').fill(tag);
    await dialog.getByLabel('Tags (optional)').press('Enter');
  }
  await expectAccessible(page, 'a new note', DIALOG);
  await dialog.getByLabel('Text').press('Control+Enter');
  await expect(notice(page, 'Note saved')).toBeVisible();
  const notes = page.getByRole('list', { name: 'Notes' }).locator('> li');
  await expect(notes.getByText('Shopping', { exact: true })).toBeVisible();
  await expect(notes.locator('strong')).toHaveText('oat');
  await pda.store('notes/notes', { text: 'call Grace', tags: ['phone'] });
  await expect(notes).toHaveCount(2);

  await notes.last().getByRole('button', { name: 'Actions for the note' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const editDialog = page.getByRole('dialog', { name: 'Edit note' });
  const [openNote] = (await pda.call('GET', '/api/v2.6/data/notes/notes')) as { recordId: string }[];
  const changeThroughApi = (text: string) => {
    const data = { text, tags: ['home'], place: 'market' };
    return pda.call('PUT', '/api/v2.6/data', [{ endpoint: 'notes/notes', recordId: openNote?.recordId, data }]);
  };
  await changeThroughApi('- tea');
  await expect(editDialog.getByLabel('Text')).toHaveValue('- tea');
  await editDialog.getByLabel('Text').fill('# Shopping\n\n- [x] bread');
  await changeThroughApi('- coffee');
  await expect(editDialog.getByRole('alert')).toContainText('This record was changed in the meantime');
  await expectAccessible(page, 'a note that was changed in the meantime', DIALOG);
  await editDialog.getByRole('button', { name: 'Save anyway' }).click();
  await expect(notes.last().getByRole('listitem')).toHaveText('bread');
  await expect(notes.last().getByRole('checkbox', { name: 'Done' })).toBeChecked();
  const [storedNote] = (await pda.call('GET', '/api/v2.6/data/notes/notes')) as { data: unknown }[];
  expect(storedNote?.data).toEqual({ text: '# Shopping\n\n- [x] bread', tags: ['home'], place: 'market' });

  await notes.getByRole('button', { name: 'home' }).click();
  await expect(notes).toHaveCount(1);
  await expectAccessible(page, 'notes with a tag');
  await notes.getByRole('button', { name: 'Actions for the note' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect(page.getByText('No notes match.')).toBeVisible();
  await page.getByRole('button', { name: /^Undo/ }).click();
  await expect(notes).toHaveCount(1);
});

test('a note that is being written stays open on Escape and on a click beside the dialog', async ({ page, pda }) => {
  await pda.enter(page, '/data/notes?edit=new');
  const dialog = page.getByRole('dialog', { name: 'Add note' });
  await dialog.getByLabel('Text').fill('A long thought');
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await dialog.getByLabel('Text').pressSequentially(', continued');
  await expect(dialog.getByLabel('Text')).toHaveValue('A long thought, continued');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
});

thoroughTest('shows hostile Markdown as text and loads nothing', async ({ page, pda }) => {
  const text = [
    '<script>document.title = "stolen"</script><img src="https://tracker.example/a.png" onerror="alert(1)">',
    '![a picture](https://tracker.example/b.png) [a link](javascript:alert(1))',
    '> '.repeat(2000),
  ].join('\n\n');
  await pda.store('notes/notes', [{ text, tags: ['\u202Eevil'] }, { text: 7 }, 'only a text']);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await pda.enter(page, '/data/notes');
  const notes = page.getByRole('list', { name: 'Notes' }).locator('> li');
  await expect(notes).toHaveCount(3);
  await expect(notes.last().getByText('<script>', { exact: false })).toBeVisible();
  await expect(notes.locator('img, script, a[href^="javascript:"]')).toHaveCount(0);
  await expect(notes.last().getByText('a link')).toBeVisible();
  expect(requests.filter((url) => !url.startsWith(pda.url))).toEqual([]);
});

thoroughTest('the search field keeps the focus while the notes load after it is cleared', async ({ page, pda }) => {
  await pda.store('notes/notes', { text: 'call Grace', tags: [] });
  await pda.enter(page, '/data/notes?search=nothing');
  const search = page.getByRole('searchbox', { name: 'Search notes' });
  await expect(page.getByText('No notes match.')).toBeVisible();
  const release = Promise.withResolvers<void>();
  await page.route(/owner\/records\?(?!.*search=nothing)/u, async (route) => {
    await release.promise;
    await route.continue();
  });
  const listRequest = page.waitForRequest(/owner\/records\?(?!.*search=nothing)/u);
  await search.fill('');
  await listRequest;
  await expect(search).toBeFocused();
  release.resolve();
  await expect(page.getByText('call Grace')).toBeVisible();
  await expect(search).toBeFocused();
});
