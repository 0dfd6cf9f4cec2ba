import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DIALOG, expect, test } from './pda.ts';

test('a page prints its content without the navigation, in light colours', async ({ page, pda }) => {
  await pda.store('fitness/steps', { steps: 5000 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await pda.enter(page, '/data');
  const heading = page.getByRole('heading', { level: 1, name: 'Data' });
  const navigation = page.getByRole('navigation', { name: 'Pages' });
  await expect(heading).toBeVisible();
  await expect(navigation.filter({ visible: true })).toHaveCount(1);
  await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
  await expect(heading).toBeVisible();
  await expect(page.getByRole('link', { name: 'Steps' })).toBeVisible();
  await expect(navigation.filter({ visible: true })).toHaveCount(0);

  const html = page.locator('html');
  await html.evaluate((root) => {
    addEventListener('beforeprint', () => {
      root.dataset['printed'] = root.dataset['mantineColorScheme'];
    });
  });
  await page.pdf();
  await expect(html).toHaveAttribute('data-printed', 'light');
  await expect(html).toHaveAttribute('data-mantine-color-scheme', 'dark');
});

test('while a recovery key is shown, only the key is printed', async ({ page, pda }) => {
  const folder = await mkdtemp(join(tmpdir(), 'pda-disk-'));
  await pda.enter(page, '/settings/backup');
  await page.getByLabel('Folder on this computer').fill(folder);
  await page.getByLabel('Backup passphrase').fill('eight loud geese under the bridge');
  await page.getByRole('button', { name: 'Use this folder' }).click();
  // Not the role: in print, only parts of the dialog are visible.
  const dialog = page.locator(DIALOG);
  const key = dialog.getByRole('group', { name: 'Recovery key' });
  const visibleButtons = dialog.locator('button').filter({ visible: true });
  await expect(key).toBeVisible();
  await expect(visibleButtons).not.toHaveCount(0);
  await page.emulateMedia({ media: 'print' });
  await expect(visibleButtons).toHaveCount(0);
  await expect(page.locator('h1')).toBeHidden();
  await expect(key).toBeVisible();
  await rm(folder, { recursive: true, force: true });
});
