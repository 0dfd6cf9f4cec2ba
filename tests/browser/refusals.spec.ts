import { expect, expectAccessible, test, thoroughTest } from './pda.ts';

// Messages about refused requests are in plain words, without request paths or types from the code.

const TECHNICAL_TERMS = /UUID|path\.|body\.|Invalid input|recordId/u;

thoroughTest('an address with an invalid id reports a missing record', async ({ page, pda }) => {
  await pda.store('notes/ideas', [{ text: 'one' }]);
  await pda.enter(page, '/data/record/not-an-id');
  await expect(page.getByRole('heading', { name: 'Record not found' })).toBeVisible();
  await expect(page.locator('main')).not.toContainText(TECHNICAL_TERMS);
  await expectAccessible(page, 'a record that cannot exist');

  await page.goto(`${pda.url}/#/data/endpoint/notes/ideas?record=not-an-id`);
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('Record not found')).toBeVisible();
  await expect(drawer).not.toContainText(TECHNICAL_TERMS);
});

test('a refused profile field shows the reason at the field', async ({ page, pda }) => {
  await pda.enter(page, '/settings/profile');
  const phoneInput = page.getByRole('textbox', { name: 'Phone' });
  // Removes the maximum length of the field, because other programs and older pages might not enforce it.
  await phoneInput.evaluate((input) => input.removeAttribute('maxlength'));
  await phoneInput.fill('1'.repeat(80));
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(phoneInput).toHaveAccessibleDescription('must have at most 40 characters');
  await expect(page.locator('main')).not.toContainText(TECHNICAL_TERMS);
});

test.describe('a refused profile field in German', () => {
  test.use({ locale: 'de-DE' });

  thoroughTest('shows the reason at the field', async ({ page, pda }) => {
    await pda.enter(page, '/settings/profile');
    const phoneInput = page.getByRole('textbox', { name: 'Telefon' });
    await phoneInput.evaluate((input) => input.removeAttribute('maxlength'));
    await phoneInput.fill('1'.repeat(80));
    await page.getByRole('button', { name: 'Speichern' }).click();
    await expect(phoneInput).toHaveAccessibleDescription('darf höchstens 40 Zeichen haben');
    await expect(page.locator('main')).not.toContainText('auf Englisch');
  });
});
