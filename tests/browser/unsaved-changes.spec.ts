import type { Locator, Page } from '@playwright/test';
import { DIALOG, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

const question = (page: Page): Locator => page.getByRole('dialog', { name: 'Discard your changes?' });

/** Goes back, keeps editing, goes back again, and discards the changes. */
async function expectQuestionOnBack(page: Page, form: Locator, input: Locator): Promise<void> {
  const changed = await input.inputValue();
  await page.goBack();
  await expect(question(page)).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(question(page)).toBeHidden();
  await expect(input).toHaveValue(changed);
  await page.goBack();
  await question(page).getByRole('button', { name: 'Discard' }).click();
  await expect(question(page)).toBeHidden();
  await expect(form).toBeHidden();
}

test('Back and a reload ask before they discard a note, and saving and cancelling do not', async ({ page, pda }) => {
  await pda.enter(page, '/data/notes');
  const form = page.getByRole('dialog', { name: 'Add note' });
  const text = form.getByLabel('Text');
  const open = async () => {
    await page.getByRole('button', { name: 'Add note' }).first().click();
    await expect(text).toBeFocused();
  };
  await open();
  await page.goBack();
  await expect(form).toBeHidden();

  await open();
  await text.fill('A long thought');
  await page.goBack();
  await expect(question(page)).toBeVisible();
  await expectAccessible(page, 'a question about unsaved changes', DIALOG);
  await question(page).getByRole('button', { name: 'Keep editing' }).click();
  await expectQuestionOnBack(page, form, text);

  await open();
  await text.fill('A second thought');
  const asked = page.waitForEvent('dialog');
  void page.evaluate(() => location.reload()).catch(() => undefined);
  const prompt = await asked;
  expect(prompt.type()).toBe('beforeunload');
  await prompt.dismiss();
  await expect(text).toHaveValue('A second thought');
  await form.getByRole('button', { name: 'Cancel' }).click();
  await expect(form).toBeHidden();

  await open();
  await text.fill('A third thought');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(notice(page, 'Note saved')).toBeVisible();
  await expect(form).toBeHidden();
  await expect(question(page)).toBeHidden();
});

thoroughTest('Back asks before it discards changes of a record, a new record, and names', async ({ page, pda }) => {
  await pda.store('bank/payments', { amount: 12.5, shop: 'Bakery' });
  await pda.enter(page, '/data');
  await page.getByRole('main').getByRole('link', { name: 'Payments' }).click();
  await page.getByRole('grid').getByText('Bakery', { exact: true }).click();
  await page.keyboard.press('e');
  const record = page.getByRole('dialog', { name: 'Edit record' });
  await record.getByLabel('Shop', { exact: true }).fill('Butcher');
  await expectQuestionOnBack(page, record, record.getByLabel('Shop', { exact: true }));

  await page.getByRole('button', { name: 'Add record' }).click();
  const newRecord = page.getByRole('dialog', { name: 'Add record' });
  await newRecord.getByLabel('Shop', { exact: true }).fill('Grocer');
  await expectQuestionOnBack(page, newRecord, newRecord.getByLabel('Shop', { exact: true }));

  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Names and types' }).click();
  const names = page.getByRole('dialog', { name: 'Names and types' });
  await names.getByLabel('Name of shop').fill('Store');
  await expectQuestionOnBack(page, names, names.getByLabel('Name of shop'));
});
