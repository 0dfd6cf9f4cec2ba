import type { Page } from '@playwright/test';
import { uploadContent } from './files.ts';
import { expect, thoroughTest } from './pda.ts';

// Tests input that arrives before the page has rendered the result of the previous input, as with fast users or slow
// machines. `typeAtOnce` and `setFields` send all events in one task, before React renders.

/** Types text into the focused element, character by character. */
const typeAtOnce = (page: Page, text: string) =>
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

/** Sets the value of each field as a user's input would. */
const setFields = (page: Page, choices: readonly Choice[]) =>
  page.evaluate(async (input) => {
    for (const { label, value } of input) {
      const labelElement = [...document.querySelectorAll('label')].find(({ textContent }) => textContent === label);
      const field = labelElement?.control;
      if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement))
        throw new Error(`no field has the label ${label}`);
      // Uses the setter of the prototype. With the setter that React defines on the element, React would not notice the
      // change.
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field) as object, 'value')?.set?.call(field, value);
      field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
      for (let n = 0; n < 100; n += 1) await Promise.resolve();
    }
  }, choices);

thoroughTest('keeps all characters typed before the page renders', async ({ page, pda }) => {
  for (let n = 0; n < 9; n += 1) await pda.store(`diary/of-${n}`, { n });
  await pda.enter(page, '/data');
  const filterField = page.getByRole('searchbox', { name: 'Find an endpoint' });
  await filterField.focus();
  await typeAtOnce(page, 'diary/of-7');
  await expect(filterField).toHaveValue('diary/of-7');
  await expect(page).toHaveURL(/find=diary%2Fof-7/u);
  await pda.enter(page, '/settings/api');
  const search = page.getByRole('searchbox', { name: 'Find an operation' });
  await search.focus();
  await typeAtOnce(page, 'debit');
  await expect(search).toHaveValue('debit');
  await expect(page).toHaveURL(/find=debit/u);
  await page.goBack();
  await expect(filterField).toHaveValue('diary/of-7');
});

thoroughTest('keeps both of two choices made before the page renders', async ({ page, pda }) => {
  const dateAt = (unix: number) => ({ date: { iso: new Date(unix * 1000).toISOString(), unix }, types: ['note'] });
  await pda.store('diary/days', [{ source: 'diary', title: { text: 'Old' }, ...dateAt(1_700_000_000) }]);
  await pda.enter(page, '/timeline');
  await expect(page.getByRole('article')).toHaveCount(1);
  await setFields(page, [
    { label: 'Source', value: 'diary/days' },
    { label: 'Go to day', value: '2026-01-02' },
  ]);
  await expect(page).toHaveURL(/source=diary%2Fdays&day=2026-01-02/u);
  await pda.enter(page, '/history');
  await expect(page.getByLabel('From', { exact: true })).toBeVisible();
  await setFields(page, [
    { label: 'From', value: '2026-01-02' },
    { label: 'Until', value: '2026-01-03' },
  ]);
  await expect(page).toHaveURL(/from=2026-01-02&to=2026-01-03/u);
});

thoroughTest('a search typed just before a navigation does not cancel it', async ({ page, pda }) => {
  await pda.store('diary/days', { n: 1 });
  await pda.enter(page, '/data/endpoint/diary/days');
  const loadGate = Promise.withResolvers<void>();
  await page.route('**/assets/history-page-*.js', async (route) => {
    await loadGate.promise;
    await route.continue();
  });
  await page.getByRole('searchbox', { name: 'Search these records' }).focus();
  await page.evaluate(async (waitMs) => {
    document.execCommand('insertText', false, 'walk');
    document.querySelector<HTMLAnchorElement>('nav a[href="#/history"]')?.click();
    // Outlasts the delay after which the field applies its input.
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }, 1000);
  loadGate.resolve();
  await expect(page.getByRole('heading', { name: 'Access history', level: 1 })).toBeVisible();
  await expect(page).toHaveURL(/#\/history$/u);
});

thoroughTest('does not search for input that was cleared immediately', async ({ page, pda }) => {
  await pda.store('diary/days', { n: 1 });
  await pda.enter(page, '/data/endpoint/diary/days');
  const search = page.getByRole('searchbox', { name: 'Search these records' });
  await search.focus();
  await page.evaluate(async (waitMs) => {
    const findClearButton = () => document.querySelector<HTMLButtonElement>('button[aria-label="Clear search"]');
    document.execCommand('insertText', false, 'walk');
    while (findClearButton() === null) await new Promise((resolve) => requestAnimationFrame(resolve));
    findClearButton()?.click();
    // Outlasts the delay after which the field applies its input.
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }, 1000);
  await expect(search).toHaveValue('');
  expect(page.url()).not.toContain('walk');
});

thoroughTest('accepts a typed date', async ({ page, pda }) => {
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

thoroughTest('does not move the buttons of a file when its content loads', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'one line', { name: 'a.txt' });
  const contentRequest = Promise.withResolvers<void>();
  const contentGate = Promise.withResolvers<void>();
  // Delays only the content of the file.
  await page.route('**', async (route) => {
    if (route.request().headers()['range'] !== undefined) {
      contentRequest.resolve();
      await contentGate.promise;
    }
    await route.continue();
  });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog', { name: 'File' });
  const button = drawer.getByRole('button', { name: 'Delete' });
  await button.click({ trial: true });
  await contentRequest.promise;
  const originalBox = await button.boundingBox();
  contentGate.resolve();
  await expect(drawer.getByText('one line')).toBeVisible();
  expect(await button.boundingBox()).toEqual(originalBox);
  expect(originalBox).not.toBeNull();
});

thoroughTest('closes one layer per Escape, and ignores layers that are fading out', async ({ page, pda }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  const fileId = await uploadContent(pda, 'one line', { name: 'a.txt' });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog', { name: 'File' });
  const shareButton = drawer.getByRole('button', { name: 'Share' });
  const sharing = page.getByRole('dialog', { name: 'Share a.txt' });
  await shareButton.click();
  await expect(sharing).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(sharing).toBeHidden();
  await expect(shareButton).toBeFocused();

  await page.keyboard.press('ControlOrMeta+k');
  const palette = page.getByRole('dialog', { name: 'Search your data, pages and actions' });
  await expect(palette).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(palette).toBeHidden();
  await expect(drawer).toBeVisible();

  await shareButton.click();
  await expect(sharing).toBeVisible();
  await expect(sharing).toHaveCSS('opacity', '1');
  // Presses Escape twice, the second time while the dialog fades out.
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
