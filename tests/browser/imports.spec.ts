import { writeFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { png } from './files.ts';
import { dataSetPath, expect, test, thoroughTest } from './pda.ts';

async function chooseFile(
  page: Page,
  file: string | { name: string; mimeType: string; buffer: Buffer },
): Promise<void> {
  await page.getByLabel('Choose file').setInputFiles(file);
}

function csvFile(name: string, text: string): { name: string; mimeType: string; buffer: Buffer } {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
}

thoroughTest('previews CSV columns, and lets the owner change their types or skip them', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await chooseFile(
    page,
    csvFile('My Steps (1).csv', 'day,steps,zip,note\n2026-01-01,8000,01067,a\n2026-01-02,9100,80331,b\n'),
  );
  await expect(page.getByRole('combobox', { name: 'Store in' })).toHaveValue('imported/my-steps-1');
  await expect(page.getByLabel('Type of steps')).toHaveValue('number');
  await page.getByLabel('Type of zip').selectOption('text');
  await page.getByLabel('Type of note').selectOption('skip');
  const table = page.getByRole('region', { name: 'First records' });
  await expect(table.getByRole('row').nth(2)).toHaveText('2026-01-01800001067');
  await expect(page.getByText('2\u00A0records \u00B7 4\u00A0columns')).toBeVisible();
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '2 records added' })).toBeVisible();
  await page.getByRole('link', { name: 'Open records' }).click();
  await page.getByRole('grid').getByText('01067', { exact: true }).click();
  const drawer = page.getByRole('dialog');
  await expect(drawer.getByText('8\u202F000', { exact: true })).toBeVisible();
  await drawer.getByRole('tab', { name: 'JSON' }).click();
  await expect(drawer).toContainText('"zip": "01067"');
  await expect(drawer).toContainText('"steps": 8000');
  await expect(drawer).not.toContainText('note');
});

test('reports a broken line, keeps the records before it, and adds only the rest after the fix', async ({
  page,
  pda,
}) => {
  await pda.enter(page, '/data/imports');
  const lines = (brokenLine: string) => Buffer.from(`{"n":1}\n{"n":2}\n${brokenLine}\n{"n":4}\n`);
  await chooseFile(page, { name: 'numbers.ndjson', mimeType: 'application/x-ndjson', buffer: lines('{"n":') });
  await page.getByRole('combobox', { name: 'Store in' }).fill('test/numbers');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'The import stopped at line 3' })).toBeVisible();
  await expect(page.getByText('Imported before the error and kept: 2\u00A0records.')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('heading', { name: 'One thing needs your attention' })).toBeVisible();
  await page.getByRole('link', { name: 'View: The import of numbers.ndjson stopped early' }).click();
  await page.getByRole('link', { name: 'Import another file' }).click();
  await chooseFile(page, { name: 'numbers.ndjson', mimeType: 'application/x-ndjson', buffer: lines('{"n":3}') });
  await page.getByRole('combobox', { name: 'Store in' }).fill('test/numbers');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '2 records added' })).toBeVisible();
  await expect(page.getByText('2 already existed')).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByRole('button', { name: 'Dismiss: The import of numbers.ndjson stopped early' }).click();
  await expect(page.getByRole('heading', { name: 'One thing needs your attention' })).toBeHidden();
  await page.reload();
  // Only the import was dismissed: the first steps still have their buttons.
  await expect(page.getByRole('button', { name: 'Dismiss: Choose a folder for backups' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Dismiss: The import of numbers.ndjson stopped early' })).toBeHidden();
});

thoroughTest('lets the owner choose the list that contains a JSON file’s records', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await chooseFile(page, dataSetPath('miserables.json'));
  const listSelect = page.getByRole('combobox', { name: 'Records' });
  await expect(listSelect.locator('option')).toHaveText([
    'nodes: 77\u00A0records',
    'links: 254\u00A0records',
    'The whole file as one record',
  ]);
  await expect(page.getByRole('columnheader', { name: 'source' })).toBeVisible();
  await listSelect.selectOption({ label: 'nodes: 77\u00A0records' });
  await expect(page.getByRole('cell', { name: 'Myriel' })).toBeVisible();
  await page.getByLabel('Type of group').selectOption('text');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '77 records added' })).toBeVisible();
  const [node] = (await pda.call('GET', '/api/v2.6/data/imported/miserables?take=1')) as { data: unknown }[];
  expect(node?.data).toEqual({ name: 'Myriel', group: '1', index: 0 });
});

thoroughTest('an import continues in the background and can be undone', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await chooseFile(page, dataSetPath('flights-20k.json'));
  await page.getByRole('combobox', { name: 'Store in' }).fill('vega/flights');
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByText('20\u202F000', { exact: true }).first()).toBeVisible();
  await page.goto(`${pda.url}/#/data/imports`);
  await page.getByRole('link', { name: 'flights-20k.json' }).click();
  await expect(page.getByRole('heading', { name: 'records added' })).toBeVisible();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByRole('button', { name: /^Remove / }).click();
  await expect(page.getByRole('heading', { name: 'Import undone' })).toBeVisible();
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
});

thoroughTest('pauses and resumes an upload; after a reload it asks for the same file', async ({ page, pda }, info) => {
  const file = info.outputPath('large.ndjson');
  const line = `{"text":"${'x'.repeat(980)}"}\n`;
  await writeFile(file, Array.from({ length: 20_000 }, (_, index) => line.replace('x', String(index))).join(''));
  await pda.enter(page, '/data/imports');
  // No chunk is sent before Pause is pressed, however fast the machine is.
  let pausePressed = Promise.withResolvers<void>();
  await page.route('**/content?offset=*', async (route) => {
    await pausePressed.promise;
    await route.continue();
  });
  await chooseFile(page, file);
  await page.getByRole('button', { name: 'Pause' }).click();
  pausePressed.resolve();
  await expect(page.getByRole('heading', { name: 'Paused' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Choose the file again to resume' })).toBeVisible();
  await page.locator('input[type=file]').setInputFiles(dataSetPath('movies.json'));
  await expect(page.getByText('This is a different file.')).toBeVisible();
  pausePressed = Promise.withResolvers();
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('button', { name: 'Pause' }).click();
  pausePressed.resolve();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByRole('heading', { name: 'What will be stored' })).toBeVisible();
  await page.getByRole('button', { name: 'Discard upload' }).click();
  await expect(page.getByText('Your imports are listed here')).toBeVisible();
});

thoroughTest(
  'an upload that is paused while it resumes sends nothing until it is resumed again',
  async ({ page, pda }) => {
    await pda.enter(page, '/data/imports');
    const chunkAllowed = Promise.withResolvers<void>();
    await page.route('**/content?offset=*', async (route) => {
      await chunkAllowed.promise;
      await route.continue();
    });
    await chooseFile(page, csvFile('steps.csv', 'day,steps\n2026-01-01,8000\n'));
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByRole('heading', { name: 'Paused' })).toBeVisible();
    chunkAllowed.resolve();

    // A resumed upload first asks how much the PDA has received.
    const statusUrl = /owner\/imports\/[^/?]+$/u;
    const pausePressed = Promise.withResolvers<void>();
    await page.route(statusUrl, async (route) => {
      await pausePressed.promise;
      await route.continue();
    });
    let chunkCount = 0;
    page.on('request', (request) => {
      if (request.url().includes('/content?offset=')) chunkCount += 1;
    });
    const requestSent = page.waitForRequest(statusUrl);
    await page.getByRole('button', { name: 'Resume' }).click();
    await requestSent;
    await page.getByRole('button', { name: 'Pause' }).click();
    await expect(page.getByRole('heading', { name: 'Paused' })).toBeVisible();
    const responseReceived = page.waitForResponse(statusUrl);
    pausePressed.resolve();
    await responseReceived;
    await expect(page.getByRole('heading', { name: 'Paused' })).toBeVisible();
    expect(chunkCount).toBe(0);
    await page.getByRole('button', { name: 'Resume' }).click();
    await expect(page.getByRole('heading', { name: 'What will be stored' })).toBeVisible();
    expect(chunkCount).toBe(1);
  },
);

thoroughTest('offers to import a file that is dropped anywhere on Data', async ({ page, pda }) => {
  await pda.store('notes/ideas', { text: 'one' });
  await pda.enter(page, '/data/endpoint/notes/ideas');
  await expect(page.getByRole('grid')).toBeVisible();
  const files = await page.evaluateHandle(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(['[{"a":1}]'], 'dropped.json', { type: 'application/json' }));
    return transfer;
  });
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: files });
  await expect(page.getByText('Drop to import')).toBeVisible();
  await page.dispatchEvent('main', 'drop', { dataTransfer: files });
  await expect(page.getByRole('heading', { name: 'dropped.json' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Store in' })).toHaveValue('imported/dropped');
});

thoroughTest('adds a picture to Files instead of importing it', async ({ page, pda }) => {
  await pda.enter(page, '/data/imports');
  await chooseFile(page, { name: 'beach.png', mimeType: 'image/png', buffer: png() });
  await expect(page).toHaveURL(/#\/files\/uploads$/u);
  await page.goto(`${pda.url}/#/files`);
  await expect(page.getByText('beach.png').first()).toBeVisible();
});

thoroughTest('exports an endpoint as NDJSON and as CSV', async ({ page, pda }) => {
  await pda.store('notes/ideas', [
    { text: 'one', n: 1 },
    { text: 'two', n: 2 },
  ]);
  await pda.enter(page, '/data/endpoint/notes/ideas');
  for (const [format, content] of [
    ['NDJSON', /"text":"one"[\s\S]*\n[\s\S]*"text":"two"/],
    ['CSV', /text[\s\S]*one[\s\S]*two/],
  ] as const) {
    const downloadStarted = page.waitForEvent('download');
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: `Export as ${format}` }).click();
    const download = await downloadStarted;
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toMatch(content);
    expect(download.suggestedFilename()).toContain(format.toLowerCase());
  }
});
