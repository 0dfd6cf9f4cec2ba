import type { Locator, Page } from '@playwright/test';
import { DIALOG, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

thoroughTest('jumps to any position of a long list and keeps it in the address', async ({ page, pda }) => {
  await pda.storeDataSet('vega/flights', 'flights-20k.json');
  await pda.enter(page, '/data/endpoint/vega/flights?dir=up');
  const grid = page.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '20001');
  await page.getByLabel('Go to record number').fill('15000');
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(page.getByText(/^15\u202F000–/)).toBeVisible();
  await expect(page).toHaveURL(/at=15000/);
  await expect(grid.getByRole('checkbox', { name: 'Select record 15\u202F000' })).toBeEnabled();
  await page.reload();
  await expect(page.getByText(/^15\u202F000–/)).toBeVisible();
  await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(page.getByText('–20\u202F000 of 20\u202F000')).toBeVisible();
  await expect(grid.getByRole('checkbox', { name: 'Select record 20\u202F000' })).toBeEnabled();
  // Only visible rows are rendered.
  expect(await grid.getByRole('row').count()).toBeLessThan(80);
});

thoroughTest('an open record has its own address, and Back closes it', async ({ page, pda }) => {
  const [storedRecord] = (await pda.store('notes/ideas', [{ text: 'one' }, { text: 'two' }])) as {
    recordId: string;
  }[];
  await pda.enter(page, '/data/endpoint/notes/ideas');
  await page.getByRole('grid').getByText('two', { exact: true }).click();
  await expect(page.getByRole('dialog')).toContainText('You, manually or through the API');
  await page.getByRole('button', { name: 'Next record' }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('one', { exact: true })).toBeVisible();
  await drawer.getByRole('tab', { name: 'JSON' }).click();
  await expect(drawer).toContainText('"text": "one"');
  await page.goBack();
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.goto(`${pda.url}/#/data/record/${storedRecord?.recordId ?? ''}`);
  await expect(page.getByRole('dialog')).toContainText('"text": "one"');
  await expect(page).toHaveURL(/endpoint\/notes\/ideas\?record=/);
});

test('a new record stays open on Escape, and is stored once if Ctrl+Enter is pressed twice', async ({ page, pda }) => {
  const { promise: isPressedTwice, resolve: continueStoring } = Promise.withResolvers<void>();
  await page.route('**/api/v2.6/data/notes/ideas', async (route) => {
    if (route.request().method() === 'POST') await isPressedTwice;
    await route.continue();
  });
  await pda.enter(page, '/data?add=1');
  const dialog = page.getByRole('dialog', { name: 'Add record' });
  await dialog.getByLabel('Endpoint').fill('notes/ideas');
  await dialog.getByRole('textbox', { name: /JSON/ }).fill('{ "text": "one" }');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+Enter');
  await page.keyboard.press('Control+Enter');
  continueStoring();
  await expect(notice(page, 'Record')).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '2');
  expect(await pda.call('GET', '/api/v2.6/data/notes/ideas')).toHaveLength(1);
});

async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let steps = 0; steps < 50; steps += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
    // After Tab leaves a date input, the dialog's focus trap checks the focus in a timer, and would undo a faster Tab.
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  }
  throw new Error('Tab does not reach the element.');
}

test('edits a record in a form by keyboard, keeps all other values exactly, and undoes the change', async ({
  page,
  pda,
}) => {
  const headers = { 'content-type': 'application/json', 'x-auth-token': pda.currentToken() };
  const url = `${pda.url}/api/v2.6/data/bank/payments`;
  const exactJson = '"exact":1.0,"2":null,"1":true,"account":12345678901234567890,"tags":["a","b"]';
  await fetch(url, { method: 'POST', headers, body: `{"day":"2026-03-01","amount":12.50,${exactJson}}` });
  const readStoredText = async () => (await fetch(url, { headers })).text();
  await pda.enter(page, '/data/endpoint/bank/payments');
  await page.getByRole('grid').getByText('12345678901234567890', { exact: true }).click();
  const view = page.getByRole('dialog', { name: 'Record', exact: true });
  await expect(view).toContainText('12345678901234567890');
  await page.keyboard.press('e');
  const drawer = page.getByRole('dialog', { name: 'Edit record' });
  const amountInput = drawer.getByLabel('Amount', { exact: true });
  await expect(amountInput).toHaveValue('12.50');
  await expectAccessible(page, 'the form of a record', DIALOG);
  await tabTo(page, amountInput);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('13,x');
  await expect(drawer.getByText('Enter a number.')).toBeVisible();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('9.90');
  const dayInput = drawer.getByLabel('Day', { exact: true });
  await dayInput.press('ArrowUp');
  await expect(dayInput).not.toHaveValue('2026-03-01');
  const newDay = await dayInput.inputValue();
  await page.keyboard.press('Control+Enter');
  await expect(notice(page, 'Record saved')).toBeVisible();
  const changedText = new RegExp(`"day":\\s*"${newDay}",\\s*"amount":\\s*9\\.90,`, 'u');
  expect(await readStoredText()).toMatch(changedText);
  expect((await readStoredText()).replaceAll(/\s/gu, '')).toContain(exactJson);
  await expect(view).toContainText('9.90');
  await page.keyboard.press('Control+z');
  await expect(notice(page, 'Change undone')).toBeVisible();
  expect((await readStoredText()).replaceAll(/\s/gu, '')).toContain(`{"day":"2026-03-01","amount":12.50,${exactJson}}`);
});

thoroughTest('the form and the JSON editor of a record share a draft', async ({ page, pda }) => {
  const [storedRecord] = (await pda.store('notes/ideas', [
    { text: 'one', tags: ['a'] },
    { text: 'x', stars: 3 },
  ])) as {
    recordId: string;
  }[];
  await pda.enter(page, `/data/endpoint/notes/ideas?record=${storedRecord?.recordId ?? ''}`);
  await page.getByRole('button', { name: 'Edit' }).click();
  const drawer = page.getByRole('dialog', { name: 'Edit record' });
  await drawer.getByLabel('Text', { exact: true }).fill('two');
  await drawer.getByRole('button', { name: 'Add item: Tags' }).click();
  await expect(drawer.getByLabel('Tags, item 2', { exact: true })).toBeFocused();
  await drawer.getByLabel('Tags, item 2', { exact: true }).fill('b');
  await drawer.getByRole('button', { name: 'Move up: Tags, item 2' }).click();
  await expect(drawer.getByRole('button', { name: 'Move up: Tags, item 1' })).toBeFocused();
  await drawer.getByRole('button', { name: 'Add field' }).click();
  await page.getByRole('menuitem', { name: 'Stars' }).click();
  await expect(drawer.getByLabel('Stars', { exact: true })).toBeFocused();
  await drawer.getByLabel('Stars', { exact: true }).fill('5');
  await drawer.getByRole('tab', { name: 'JSON' }).click();
  const editor = drawer.getByLabel('JSON of the record');
  const formTab = drawer.getByRole('tab', { name: 'Form' });
  const editedData = { text: 'two', tags: ['b', 'a'], stars: 5 };
  await expect(editor).toHaveValue(JSON.stringify(editedData, null, 2));
  await editor.fill('{"text": "three", }');
  await formTab.click();
  await expect(drawer.getByRole('alert')).toHaveText('Correct the JSON first. The form can only show valid JSON.');
  await editor.fill('{"text": null}');
  await formTab.click();
  await drawer.getByRole('button', { name: 'Enter value: Text' }).click();
  await expect(drawer.getByLabel('Text', { exact: true })).toBeFocused();
  await drawer.getByLabel('Text', { exact: true }).fill('four');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await expect(page.getByRole('dialog', { name: 'Record', exact: true })).toContainText('four');
});

test('adds a record, and shows records from other programs live', async ({ page, pda }) => {
  await pda.enter(page);
  await page.getByRole('link', { name: 'Add a record' }).click();
  await page.getByRole('combobox', { name: 'Endpoint' }).fill('notes');
  await page.getByLabel('JSON of the record').fill('{"text": "mine"}');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Use <source>/<name>')).toBeVisible();
  await page.getByRole('combobox', { name: 'Endpoint' }).fill('notes/ideas');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { name: 'ideas' })).toBeVisible();
  await expect(page.getByRole('grid').getByText('mine')).toBeVisible();
  await pda.store('notes/ideas', { text: 'from another program' });
  await expect(page.getByRole('grid').getByText('from another program')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByText('2\u00A0records', { exact: true })).toBeVisible();
});

thoroughTest(
  'shows changes by other programs in an open record, and asks before overwriting them',
  async ({ page, pda }) => {
    const endpoint = 'notes/ideas';
    const [storedRecord] = (await pda.store(endpoint, [{ text: 'one' }])) as { recordId: string }[];
    const recordId = storedRecord?.recordId ?? '';
    const change = (text: string) => pda.call('PUT', '/api/v2.6/data', [{ endpoint, recordId, data: { text } }]);
    await pda.enter(page, `/data/endpoint/${endpoint}?record=${recordId}`);
    const drawer = page.getByRole('dialog');
    await expect(drawer.getByText('one', { exact: true })).toBeVisible();
    await change('two');
    await expect(drawer.getByText('two', { exact: true })).toBeVisible();

    await drawer.getByRole('button', { name: 'Edit' }).click();
    await drawer.getByRole('tab', { name: 'JSON' }).click();
    const editor = drawer.getByLabel('JSON of the record');
    await change('three');
    await expect(editor).toHaveValue(/three/u);
    await editor.fill('{"text": "mine"}');
    await change('four');
    const warning = drawer.getByRole('alert').filter({ hasText: 'This record was changed in the meantime' });
    await expect(warning).toBeVisible();
    await expectAccessible(page, 'record that was changed in the meantime', DIALOG);
    await warning.getByRole('button', { name: 'Load new content' }).click();
    await expect(editor).toHaveValue(/four/u);
    await expect(warning).toBeHidden();

    // Without events, the change is detected when the owner saves.
    await page.route('**/owner/events', (route) => route.abort());
    await page.reload();
    await drawer.getByRole('button', { name: 'Edit' }).click();
    await editor.fill('{"text": "mine"}');
    await change('five');
    await drawer.getByRole('button', { name: 'Save changes' }).click();
    await expect(warning).toBeVisible();
    await drawer.getByRole('button', { name: 'Save anyway' }).click();
    await expect(drawer.getByText('mine', { exact: true })).toBeVisible();
  },
);
