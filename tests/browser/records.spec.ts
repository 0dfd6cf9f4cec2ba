import { DIALOG, expect, expectAccessible, notice, test } from './pda.ts';

test('jumps to any position of a long list and keeps it in the address', async ({ page, pda }) => {
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

test('an open record has its own address, and Back closes it', async ({ page, pda }) => {
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

test('a number too long for a double keeps its digits through an edit', async ({ page, pda }) => {
  await fetch(`${pda.url}/api/v2.6/data/bank/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-auth-token': pda.currentToken() },
    body: '{"account": 12345678901234567890, "name": "a"}',
  });
  await pda.enter(page, '/data/endpoint/bank/accounts');
  await page.getByRole('grid').getByText('12345678901234567890', { exact: true }).click();
  await page.getByRole('button', { name: 'Edit' }).click();
  const editor = page.getByLabel('JSON of the record');
  await editor.fill((await editor.inputValue()).replace('"a"', '"b"'));
  await page.getByRole('button', { name: 'Save changes' }).click();
  await expect(notice(page, 'Record saved')).toBeVisible();
  const response = await fetch(`${pda.url}/api/v2.6/data/bank/accounts`, {
    headers: { 'x-auth-token': pda.currentToken() },
  });
  expect(await response.text()).toMatch(/12345678901234567890,\s*"name":\s*"b"/);
});

test('adds a record, and shows records of other programs live', async ({ page, pda }) => {
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
  await pda.store('notes/ideas', { text: 'from elsewhere' });
  await expect(page.getByRole('grid').getByText('from elsewhere')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByText('2\u00A0records', { exact: true })).toBeVisible();
});

test('shows changes of other programs in an open record, and asks before saving over them', async ({ page, pda }) => {
  const endpoint = 'notes/ideas';
  const [stored] = (await pda.store(endpoint, [{ text: 'one' }])) as { recordId: string }[];
  const recordId = stored?.recordId ?? '';
  const change = (text: string) => pda.call('PUT', '/api/v2.6/data', [{ endpoint, recordId, data: { text } }]);
  await pda.enter(page, `/data/endpoint/${endpoint}?record=${recordId}`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('one', { exact: true })).toBeVisible();
  await change('two');
  await expect(drawer.getByText('two', { exact: true })).toBeVisible();

  await drawer.getByRole('button', { name: 'Edit' }).click();
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

  // Without events, the change is found when the owner saves.
  await page.route('**/owner/events', (route) => route.abort());
  await page.reload();
  await drawer.getByRole('button', { name: 'Edit' }).click();
  await editor.fill('{"text": "mine"}');
  await change('five');
  await drawer.getByRole('button', { name: 'Save changes' }).click();
  await expect(warning).toBeVisible();
  await drawer.getByRole('button', { name: 'Save anyway' }).click();
  await expect(drawer.getByText('mine', { exact: true })).toBeVisible();
});
