import type { Page } from '@playwright/test';
import * as samples from '../samples/importers/samples.ts';
import { buildZip } from '../support/archives.ts';
import { expect, test, thoroughTest } from './pda.ts';

/** Optional folder for screenshots of each state. */
const SCREENSHOT_FOLDER = process.env['PDA_PICTURES'];

async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (SCREENSHOT_FOLDER === undefined) return;
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SCREENSHOT_FOLDER}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

const zipFile = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/zip', buffer });

test.beforeEach(() => {
  if (SCREENSHOT_FOLDER !== undefined) test.setTimeout(180_000);
});

test('describes an export in two archives, imports part of it, and undoes the import', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await page.getByText('Apple Health', { exact: true }).click();
  await expect(page.getByText('Export All Health Data')).toBeVisible();
  await takeScreenshots(page, 'choose');
  await page.getByLabel('Choose file').setInputFiles([
    zipFile(
      'takeout-20240401T100000Z-002.zip',
      buildZip([{ name: 'Takeout/Kontakte/Alle.vcf', data: samples.CONTACTS }]),
    ),
    zipFile(
      'takeout-20240401T100000Z-001.zip',
      buildZip([
        { name: 'Takeout/Kalender/Familie.ics', data: samples.CALENDAR },
        { name: 'Takeout/Standortverlauf/Records.json', data: samples.LOCATION_RECORDS },
      ]),
    ),
  ]);
  await expect(page.getByRole('heading', { name: 'takeout-20240401T100000Z (2 files)' })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Google Takeout: .*4 events/ })).toBeVisible();
  await page.getByText('Show details').click();
  await expect(page.getByText(/001\.zip\/Takeout\/Kalender\/Familie\.ics, line 27: /)).toBeVisible();
  await takeScreenshots(page, 'found');
  await page.getByRole('switch', { name: '3 contacts' }).uncheck();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '7 records added' })).toBeVisible();
  await takeScreenshots(page, 'done');
  await page.getByRole('link', { name: '4 events added' }).click();
  await expect(page.getByRole('grid').getByText('Zahnarzt, Dr. Lind')).toBeVisible();
  await takeScreenshots(page, 'records');
  await page.goBack();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('button', { name: /^Remove 7/ }).click();
  await expect(page.getByRole('heading', { name: 'Import undone' })).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
});

thoroughTest('shows how a bank statement is read, accepts corrections, and imports it', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  const file = { name: 'Umsaetze.csv', mimeType: 'text/csv', buffer: samples.STATEMENT };
  await page.getByLabel('Choose file').setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'Bank statement: 4 transactions' })).toBeVisible();
  await expect(page.getByLabel('Decimal separator')).toHaveValue(',');
  await takeScreenshots(page, 'bank');
  await page.getByLabel('Meaning of Betrag (EUR)').selectOption('skip');
  await expect(page.getByText('No transactions can be read with these settings.')).toBeVisible();
  await page.getByLabel('Meaning of Betrag (EUR)').selectOption('amount');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '4 records added' })).toBeVisible();
});
