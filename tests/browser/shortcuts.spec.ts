import { expect, expectAccessible, thoroughTest } from './pda.ts';

thoroughTest('opens pages with two keys, and no page while the owner types', async ({ page, pda }) => {
  await pda.enter(page, '/');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await expect(page).toHaveURL(/#\/data$/);
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL(/#\/sharing$/);
  await page.keyboard.press('/');
  await expect(page.getByPlaceholder('Search your data, pages and actions')).toBeFocused();
  await page.keyboard.type('gh');
  await expect(page).toHaveURL(/#\/sharing$/);
});

thoroughTest('selects records, opens them and their editor, and steps through them', async ({ page, pda }) => {
  await pda.store('garden/notes', { text: 'first' });
  await pda.store('garden/notes', { text: 'second' });
  await pda.enter(page, '/data/endpoint/garden/notes');
  await expect(page.getByText('second')).toBeVisible();
  await page.keyboard.press('j');
  await expect(page.getByRole('grid')).toBeFocused();
  await page.keyboard.press('x');
  await expect(page.getByRole('row', { selected: true })).toHaveCount(1);
  await page.keyboard.press('x');
  await page.keyboard.press('e');
  const editor = page.getByRole('dialog', { name: 'Edit record' });
  await editor.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid')).toBeFocused();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('first')).toBeVisible();
  await page.keyboard.press('k');
  await expect(drawer.getByText('second')).toBeVisible();
  await page.keyboard.press('e');
  await editor.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('grid')).toBeFocused();
  await page.keyboard.press('g');
  await page.keyboard.press('e');
  await expect(page).toHaveURL(/#\/settings/);
});

thoroughTest('moves through lists, and opens their items and the editor', async ({ page, pda }) => {
  await pda.store('notes/notes', { text: 'first' });
  await pda.store('notes/notes', { text: 'second' });
  await pda.store('bank/payments', [
    { shop: 'Bakery', date: '2024-05-01T09:00:00Z' },
    { shop: 'Café', date: '2024-05-01T10:00:00Z' },
  ]);
  await pda.enter(page, '/data/notes');
  const notes = page.getByRole('list', { name: 'Notes' }).locator('> li');
  await expect(notes).toHaveCount(2);
  const noteLinks = notes.getByRole('link');
  await page.keyboard.press('j');
  await expect(noteLinks.first()).toBeFocused();
  await page.keyboard.press('Alt+j');
  await expect(noteLinks.first()).toBeFocused();
  await page.keyboard.press('j');
  await expect(noteLinks.last()).toBeFocused();
  await page.keyboard.press('e');
  const editor = page.getByRole('dialog', { name: 'Edit note' });
  await editor.getByLabel('Text').press('k');
  await expect(editor.getByLabel('Text')).toHaveValue(/k/);
  await editor.getByRole('button', { name: 'Cancel' }).click();
  await expect(noteLinks.last()).toBeFocused();
  await page.keyboard.press('k');
  await expect(noteLinks.first()).toBeFocused();
  await notes.first().getByRole('button', { name: 'Actions for the note' }).click();
  const menu = page.getByRole('menu');
  await menu.getByRole('menuitem', { name: 'Edit' }).press('j');
  await expect(menu.getByRole('menuitem', { name: 'Edit' })).toBeFocused();

  await page.goto(`${pda.url}/#/timeline?source=bank%2Fpayments`);
  const payments = page.getByRole('button', { name: 'Payments: 2' });
  await expect(payments).toBeVisible();
  await page.keyboard.press('j');
  await expect(payments).toBeFocused();
  await page.keyboard.press('Enter');
  const records = page
    .getByRole('main')
    .getByRole('listitem')
    .getByRole('link', { name: /Bakery|Café/ });
  await expect(records).toHaveCount(2);
  await page.keyboard.press('j');
  await expect(records.first()).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/data\/endpoint\/bank\/payments\?record=/);
});

thoroughTest('lists the shortcuts, and turns off those without a modifier key', async ({ page, pda }) => {
  await pda.enter(page, '/');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.keyboard.press('?');
  const shortcutsDialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await expect(shortcutsDialog.getByText('In lists')).toBeVisible();
  await expectAccessible(page, 'the list of shortcuts');
  await shortcutsDialog.getByRole('switch', { name: 'Single-key shortcuts' }).click();
  await page.keyboard.press('Escape');
  await expect(shortcutsDialog).toHaveCount(0);
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('d');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search your data, pages and actions').fill('demo data');
  await expect(page.getByRole('button', { name: 'Try with example data', exact: true })).toBeVisible();
  await page.getByPlaceholder('Search your data, pages and actions').fill('keyboard');
  await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
  await expect(shortcutsDialog).toBeVisible();
  await expect(page).toHaveURL(/#\/$/);
});
