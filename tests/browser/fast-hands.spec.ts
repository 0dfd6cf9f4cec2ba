import type { Page } from '@playwright/test';
import { put } from './files.ts';
import { expect, test } from './pda.ts';

/**
 * What one does next may come before what one did is drawn: on a slow machine, or from a fast hand. Here it always
 * does: a page is drawn in a task of its own, and all of this happens in one.
 */

/** Types it into what has the focus, letter by letter. */
const type = (page: Page, text: string) =>
  page.evaluate(async (letters) => {
    for (const letter of letters) {
      document.execCommand('insertText', false, letter);
      for (let n = 0; n < 100; n += 1) await Promise.resolve();
    }
  }, text);

interface Choice {
  label: string;
  value: string;
}

/** Gives each field its value, as a hand would. */
const choose = (page: Page, choices: readonly Choice[]) =>
  page.evaluate(async (given) => {
    for (const { label, value } of given) {
      const named = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
      const field = named?.control;
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) throw new Error(`no ${label}`);
      // Past what the page has put in its place, to which this would be no change.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set?.call(field, value);
      field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
      for (let n = 0; n < 100; n += 1) await Promise.resolve();
    }
  }, choices);

test('letters typed before the page is drawn are all there', async ({ page, pda }) => {
  for (let n = 0; n < 9; n += 1) await pda.store(`diary/of-${n}`, { n });
  await pda.enter(page, '/data');
  const filter = page.getByRole('searchbox', { name: 'Find an endpoint' });
  await filter.focus();
  await type(page, 'diary/of-7');
  await expect(filter).toHaveValue('diary/of-7');
  await expect(page).toHaveURL(/find=diary%2Fof-7/u);
  await pda.enter(page, '/settings/api');
  const search = page.getByRole('searchbox', { name: 'Find an operation' });
  await search.focus();
  await type(page, 'debit');
  await expect(search).toHaveValue('debit');
  await expect(page).toHaveURL(/find=debit/u);
  await page.goBack();
  await expect(filter).toHaveValue('diary/of-7');
});

test('a second choice before the first is drawn does not undo it', async ({ page, pda }) => {
  const at = (unix: number) => ({ date: { iso: new Date(unix * 1000).toISOString(), unix }, types: ['note'] });
  await pda.store('diary/days', [{ source: 'diary', title: { text: 'Old' }, ...at(1_700_000_000) }]);
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('article')).toHaveCount(1);
  await choose(page, [
    { label: 'Source', value: 'diary/days' },
    { label: 'Until', value: '2026-01-02' },
  ]);
  await expect(page).toHaveURL(/source=diary%2Fdays&day=2026-01-02/u);
  await pda.enter(page, '/history');
  await expect(page.getByLabel('From', { exact: true })).toBeVisible();
  await choose(page, [
    { label: 'From', value: '2026-01-02' },
    { label: 'Until', value: '2026-01-03' },
  ]);
  await expect(page).toHaveURL(/from=2026-01-02&to=2026-01-03/u);
});

test('a day can be typed', async ({ page, pda }) => {
  await pda.enter(page, '/history');
  const from = page.getByLabel('From', { exact: true });
  await from.focus();
  await page.keyboard.type('01022026');
  await expect(from).toHaveValue('2026-01-02');
  await expect(page).toHaveURL(/from=2026-01-02/u);
  await page.getByRole('button', { name: /^Remove: From/u }).click();
  await expect(from).toHaveValue('');
  await expect(page).not.toHaveURL(/from=/u);
});

test('the buttons of a file stay where they are when what is in it arrives', async ({ page, pda }) => {
  const fileId = await put(pda, 'one line', { name: 'a.txt' });
  const asked = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  // Only what is in it is asked for by its bytes.
  await page.route('**', async (route) => {
    if (route.request().headers()['range'] !== undefined) {
      asked.resolve();
      await goOn.promise;
    }
    await route.continue();
  });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog', { name: 'File' });
  const button = drawer.getByRole('button', { name: 'Delete' });
  await button.click({ trial: true });
  await asked.promise;
  const before = await button.boundingBox();
  goOn.resolve();
  await expect(drawer.getByText('one line')).toBeVisible();
  expect(await button.boundingBox()).toEqual(before);
  expect(before).not.toBeNull();
});

test('Escape closes one thing at a time, and what fades away keeps nothing open', async ({ page, pda }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const fileId = await put(pda, 'one line', { name: 'a.txt' });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog', { name: 'File' });
  const share = drawer.getByRole('button', { name: 'Share' });
  const sharing = page.getByRole('dialog', { name: 'Share a.txt' });
  await share.click();
  await expect(sharing).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sharing).toBeHidden();
  await expect(share).toBeFocused();

  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Go to a page, an endpoint or an action' });
  await expect(palette).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(drawer).toBeVisible();

  await share.click();
  await expect(sharing).toBeVisible();
  await expect(sharing).toHaveCSS('opacity', '1');
  // Twice, and the second time while the dialog is fading.
  await sharing.evaluate(async (dialog) => {
    const press = () =>
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
    press();
    while (dialog.isConnected && getComputedStyle(dialog).opacity === '1')
      await new Promise((resolve) => setTimeout(resolve));
    press();
  });
  await expect(page.getByRole('dialog')).toHaveCount(0);
});
