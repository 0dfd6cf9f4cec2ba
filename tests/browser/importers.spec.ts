import type { Page } from '@playwright/test';
import * as samples from '../samples/importers/samples.ts';
import { zipOf } from '../support/archives.ts';
import { expect, test } from './pda.ts';

/** Where pictures of each state go, when somebody wants to look at them. */
const PICTURES = process.env['PDA_PICTURES'];

async function picture(page: Page, name: string): Promise<void> {
  if (PICTURES === undefined) return;
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${PICTURES}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: 'light' });
}

const zip = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/zip', buffer });

test.beforeEach(() => {
  if (PICTURES !== undefined) test.setTimeout(180_000);
});

test('an export in two archives is told in plain words, imported in part, and undone whole', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await page.getByText('Apple Health', { exact: true }).click();
  await expect(page.getByText('Export All Health Data')).toBeVisible();
  await picture(page, 'choose');
  await page.getByLabel('Choose a file').setInputFiles([
    zip('takeout-20240401T100000Z-002.zip', zipOf([{ name: 'Takeout/Kontakte/Alle.vcf', data: samples.CONTACTS }])),
    zip(
      'takeout-20240401T100000Z-001.zip',
      zipOf([
        { name: 'Takeout/Kalender/Familie.ics', data: samples.CALENDAR },
        { name: 'Takeout/Standortverlauf/Records.json', data: samples.RECORDS },
      ]),
    ),
  ]);
  await expect(page.getByRole('heading', { name: 'takeout-20240401T100000Z (2 files)' })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Google Takeout: .*4 events/ })).toBeVisible();
  await page.getByText('Which ones').click();
  await expect(page.getByText(/001\.zip\/Takeout\/Kalender\/Familie\.ics, line 27: /)).toBeVisible();
  await picture(page, 'found');
  await page.getByRole('switch', { name: '3 contacts' }).uncheck();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '7 records added' })).toBeVisible();
  await picture(page, 'done');
  await page.getByRole('link', { name: '4 events added' }).click();
  await expect(page.getByRole('grid').getByText('Zahnarzt, Dr. Lind')).toBeVisible();
  await picture(page, 'records');
  await page.goBack();
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: /^Remove 7/ }).click();
  await expect(page.getByRole('heading', { name: 'This import was undone' })).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing is here yet' })).toBeVisible();
});

test('a bank statement is shown as it was understood, corrected, and imported', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  const file = { name: 'Umsaetze.csv', mimeType: 'text/csv', buffer: samples.STATEMENT };
  await page.getByLabel('Choose a file').setInputFiles(file);
  await expect(page.getByRole('heading', { name: 'A bank statement: 4 transactions' })).toBeVisible();
  await expect(page.getByLabel('Decimal mark')).toHaveValue(',');
  await picture(page, 'bank');
  await page.getByLabel('What Betrag (EUR) is').selectOption('skip');
  await expect(page.getByText('No transaction can be read like this.')).toBeVisible();
  await page.getByLabel('What Betrag (EUR) is').selectOption('amount');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '4 records added' })).toBeVisible();
});
