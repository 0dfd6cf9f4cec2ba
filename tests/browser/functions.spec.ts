import type { Page } from '@playwright/test';
import {
  chooseFile,
  diaryEntries,
  enableFunction,
  exampleZip,
  installFunction,
  runFunction,
  buildFunctionZip,
} from './functions.ts';
import { type Pda, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

interface InstalledFunction {
  configuration: { status: { enabled: boolean } } | null;
  asksForMore: boolean;
}
const readFunction = async (pda: Pda, id: string): Promise<InstalledFunction> =>
  (await pda.call('GET', `/api/v2.6/owner/functions/${id}`)) as InstalledFunction;
const isEnabled = async (pda: Pda, id: string): Promise<boolean> =>
  (await readFunction(pda, id)).configuration?.status.enabled === true;
const readRecords = async (pda: Pda, endpoint: string): Promise<{ recordId: string; data: unknown }[]> =>
  (await pda.call('GET', `/api/v2.6/data/${endpoint}`)) as { recordId: string; data: unknown }[];
const readRuns = async (pda: Pda, id: string): Promise<{ total: number; runs: { runId: string }[] }> =>
  (await pda.call('GET', `/api/v2.6/she/function/${id}/runs`)) as { total: number; runs: { runId: string }[] };

const counterZip = buildFunctionZip({
  id: 'counter',
  name: 'Diary counter',
  mapping: { text: 'text' },
  body: `console.log('there are', records.length); return [{ namespace: 'counter', endpoint: 'made', data: [{ count: records.length }] }];`,
});
const brokenZip = buildFunctionZip({
  id: 'broken',
  name: 'Broken thing',
  body: `console.log('so far all is well'); throw new Error('The moon is not full.');`,
});

const createDataTransfer = (page: Page, name: string, content: Buffer) =>
  page.evaluateHandle(
    ({ file, bytes }) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], file, { type: 'application/zip' }));
      return transfer;
    },
    { file: name, bytes: [...content] },
  );

thoroughTest('installs a function from a zip file and does not run it while it is off', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await pda.enter(page, '/functions');
  await expect(page.getByText('It runs on this computer, in a sandbox without network access')).toBeVisible();
  await chooseFile(page, 'Install function', 'keywords.zip', exampleZip('keywords'));
  await expect(notice(page, 'Keywords and mood installed')).toBeVisible();
  await expect(page).toHaveURL(/#\/functions\/keywords$/);
  await expect(page.getByRole('heading', { name: 'Keywords and mood', level: 1 })).toBeVisible();
  await expect(page.getByText('This function is off', { exact: true })).toBeVisible();
  await expect(page.getByText('Within seconds of new data')).toBeVisible();
  await expect(page.getByText('128 MB of memory and 1 minute per run')).toBeVisible();
  await expect(page.getByText('It has not run yet.')).toBeVisible();
  expect(await isEnabled(pda, 'keywords')).toBe(false);
  expect((await readRuns(pda, 'keywords')).total).toBe(0);
});

thoroughTest('installs a package dropped anywhere on the page', async ({ page, pda }) => {
  await pda.enter(page, '/functions');
  await expect(page.getByText('No functions yet')).toBeVisible();
  const files = await createDataTransfer(page, 'feed-counter.zip', exampleZip('feed-counter'));
  await page.dispatchEvent('main', 'dragenter', { dataTransfer: files });
  await expect(page.getByText('It stays off until you turn it on.', { exact: true })).toBeVisible();
  await page.dispatchEvent('main', 'drop', { dataTransfer: files });
  await expect(page.getByRole('heading', { name: 'New records', level: 1 })).toBeVisible();
});

thoroughTest('shows the progress of an upload and continues it on other pages', async ({ page, pda }) => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/owner/functions/packages', async (route) => {
    await gate;
    await route.continue();
  });
  await pda.enter(page, '/functions');
  await chooseFile(page, 'Install function', 'keywords.zip', exampleZip('keywords'));
  await expect(page.getByText(/^(?:Uploading|Checking) keywords\.zip$/)).toBeVisible();
  await expect(page.getByRole('progressbar', { name: 'Uploading keywords.zip' })).toHaveCount(1);
  await expectAccessible(page, 'a package being uploaded');
  await page.getByRole('link', { name: 'Timeline' }).click();
  await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
  await page.getByRole('link', { name: 'Functions', exact: true }).click();
  await expect(page.getByRole('progressbar', { name: 'Uploading keywords.zip' })).toHaveCount(1);
  await page.getByRole('link', { name: 'Timeline' }).click();
  await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
  release();
  await expect(notice(page, 'Keywords and mood installed')).toBeVisible();
  await expect(page).toHaveURL(/#\/timeline$/);
});

thoroughTest('refuses an invalid package and names the problem', async ({ page, pda }) => {
  await pda.enter(page, '/functions');
  await chooseFile(page, 'Install function', 'holiday.jpg', Buffer.from('no zip'));
  await expect(page.getByText('holiday.jpg is not a zip file.')).toBeVisible();
  await chooseFile(page, 'Install function', 'holiday.zip', Buffer.from('no zip'));
  await expect(page.getByText('holiday.zip was not installed')).toBeVisible();
  await expect(page.getByText('Nothing was installed')).toBeVisible();
  await chooseFile(
    page,
    'Install function',
    'greedy.zip',
    buildFunctionZip({ id: 'greedy', memoryMb: 3009, body: '' }),
  );
  await expect(page.getByText('manifest.json.memoryMb')).toBeVisible();
  await page.getByRole('button', { name: 'Dismiss this message' }).click();
  await expect(page.getByText('greedy.zip was not installed')).toHaveCount(0);
  expect(await pda.call('GET', '/api/v2.6/owner/functions')).toEqual([]);
});

test('the page for turning on a function shows all data that it would read; Enter does not turn it on', async ({
  page,
  pda,
}) => {
  await pda.store('diary/entries', diaryEntries);
  await pda.store('health/pulse', [{ bpm: 62 }]);
  await installFunction(pda, exampleZip('template'));
  await pda.enter(page, '/functions/my-function');
  await page.getByRole('link', { name: 'Turn on' }).click();
  await expect(page.getByRole('heading', { name: 'Turn on My function' })).toBeVisible();
  await expect(page.getByText('Nothing leaves this PDA')).toBeVisible();
  await expect(page.getByText('my-function/word-counts, and nowhere else')).toBeVisible();
  await expect(page.getByText('at most 100 per run')).toBeVisible();
  const inputRegion = page.getByRole('region', { name: 'What it would get now' });
  await expect(inputRegion.getByText('Planted beans in the garden')).toBeVisible();
  // Data that the function does not read is listed.
  const privateRegion = page.getByRole('region', { name: 'What stays private' });
  await expect(privateRegion.getByText('Mood, Place')).toBeVisible();
  await expect(privateRegion.getByRole('link', { name: 'health/pulse' })).toBeVisible();

  const allowButton = page.getByRole('button', { name: /^Turn on and let it read 1.field of Entries$/ });
  await allowButton.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter does not confirm')).toBeVisible();
  expect(await isEnabled(pda, 'my-function')).toBe(false);
  await page.keyboard.press('Space');
  await expect(notice(page, 'My function is on')).toBeVisible();
  await expect(page).toHaveURL(/#\/functions\/my-function$/);
  expect(await isEnabled(pda, 'my-function')).toBe(true);
});

thoroughTest(
  'does not turn on a version that was installed during the review of the previous one',
  async ({ page, pda }) => {
    await pda.store('diary/entries', diaryEntries);
    await installFunction(pda, counterZip);
    // Without live events, the page learns of the change only with its next request.
    await page.route('**/owner/events', (route) => route.abort());
    await pda.enter(page, '/functions/counter/enable');
    await expect(page.getByText('Planted beans in the garden')).toBeVisible();
    await installFunction(
      pda,
      buildFunctionZip({ id: 'counter', version: '1.1.0', name: 'Diary counter', body: 'return [];' }),
    );
    await page.getByRole('button', { name: /^Turn on and let it read/ }).click();
    await expect(page.getByText('The function changed what it asks for while you were reading')).toBeVisible();
    expect(await isEnabled(pda, 'counter')).toBe(false);
    const allowButton = page.getByRole('button', { name: 'Turn on and let it read entire records of Entries' });
    await expect(allowButton).toBeEnabled();
    await allowButton.click();
    await expect(notice(page, 'Diary counter is on')).toBeVisible();
  },
);

thoroughTest(
  'a version that asks for more waits for a decision, and only its additions are listed',
  async ({ page, pda }) => {
    await pda.store('diary/entries', diaryEntries);
    await installFunction(pda, counterZip);
    await enableFunction(pda, 'counter');
    await pda.enter(page, '/functions/counter');
    await page.getByRole('button', { name: 'More actions' }).click();
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Install another version' }).click();
    await (
      await chooser
    ).setFiles({
      name: 'counter.zip',
      mimeType: 'application/zip',
      buffer: buildFunctionZip({
        id: 'counter',
        version: '1.1.0',
        name: 'Diary counter',
        mapping: { text: 'text', place: 'place' },
        body: 'return [];',
      }),
    });
    await expect(notice(page, 'Diary counter is now version 1.1.0')).toBeVisible();
    await expect(page.getByText('Diary counter asks for more than you allowed')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Run now' })).toHaveCount(0);
    await page.goto(`${pda.url}/#/`);
    await expect(page.getByRole('heading', { name: 'One thing needs your attention' })).toBeVisible();
    await page.getByRole('link', { name: /Diary counter asks for more than you allowed/ }).click();
    await expect(page.getByRole('heading', { name: 'Diary counter asks for more' })).toBeVisible();
    const changes = page.getByRole('region', { name: 'What changes' });
    await expect(changes.getByRole('listitem')).toHaveText([/^MorePlace of Entries \(diary\/entries\)\.$/]);
    // The preview includes the additions.
    await expect(page.getByRole('region', { name: 'What it would get now' }).getByText('York')).toBeVisible();
    await page.getByRole('button', { name: 'Allow this addition' }).click();
    await expect(notice(page, 'Diary counter is on')).toBeVisible();
    expect((await readFunction(pda, 'counter')).asksForMore).toBe(false);
  },
);

thoroughTest('a dry run shows the exact input and output and saves nothing', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, counterZip);
  await pda.enter(page, '/functions/counter');
  await page.getByRole('link', { name: 'Dry run' }).click();
  await page.getByRole('button', { name: 'Run without saving' }).click();
  await expect(page.getByText('Nothing was saved', { exact: true })).toBeVisible();
  const input = page.getByRole('region', { name: 'Input', exact: true });
  await expect(input).toContainText('"Planted beans in the garden"');
  await expect(input).not.toContainText('functionConfiguration');
  await page.getByRole('button', { name: 'Also show the configuration' }).click();
  await expect(input).toContainText('functionConfiguration');
  await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('"count": 3');
  await expect(page.getByRole('region', { name: /^1.record would be saved$/ })).toBeVisible();
  await expect(page.getByText('there are 3')).toBeVisible();
  await expect(page.getByText(/^3.records, /)).toBeVisible();
  expect(await readRecords(pda, 'counter/made')).toEqual([]);
  expect((await readRuns(pda, 'counter')).total).toBe(0);
});

thoroughTest('a failed dry run shows the error', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, brokenZip);
  await pda.enter(page, '/functions/broken/dry-run');
  await page.getByRole('button', { name: 'Run without saving' }).click();
  await expect(page.getByText('Failed. Error: The moon is not full.')).toBeVisible();
  await expect(page.getByText('so far all is well')).toBeVisible();
  await expect(page.getByText('Nothing was saved', { exact: true })).toBeVisible();
});

test('runs a function on demand; the run shows its log, links to its records, and can be undone and restored', async ({
  page,
  pda,
}) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, counterZip);
  await enableFunction(pda, 'counter');
  await pda.enter(page, '/functions/counter');
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect(notice(page, 'Diary counter has run')).toContainText(/Its last run stored 1.record/);
  const runsRegion = page.getByRole('region', { name: 'Recent runs' });
  await expect(runsRegion.getByRole('row')).toHaveCount(2);
  await expect(runsRegion.getByRole('row').nth(1)).toContainText(/Done\s*Started by you\s*3\s*1/);
  await runsRegion.getByRole('row').nth(1).getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'Run' });
  await expect(drawer.getByText('there are 3')).toBeVisible();
  await expect(drawer.getByText(/^3.records, /)).toBeVisible();
  const [output] = await readRecords(pda, 'counter/made');
  await drawer.getByRole('link', { name: output?.recordId ?? '' }).click();
  const record = page.getByRole('dialog', { name: 'Record' });
  await expect(record.getByRole('link', { name: 'Function Diary counter' })).toBeVisible();
  await record.getByRole('link', { name: 'in this run' }).click();
  await expect(page).toHaveURL(/#\/functions\/counter\/runs\?run=/);
  const runDialog = page.getByRole('dialog', { name: 'Run', exact: true });
  await expect(runDialog.getByText('there are 3')).toBeVisible();

  await runDialog.getByRole('button', { name: 'Undo run' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo run' });
  await expect(dialog).toContainText(/This deletes 1.record that the run stored in counter\/made/);
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Undo run' }).click();
  await expect(notice(page, 'Run undone')).toBeVisible();
  await expect(runDialog.getByText('They were deleted when you undid this run.')).toBeVisible();
  expect(await readRecords(pda, 'counter/made')).toEqual([]);

  await runDialog.getByRole('button', { name: 'Restore records' }).click();
  await expect(notice(page, 'record restored')).toBeVisible();
  await expect(runDialog.getByRole('button', { name: 'Undo run' })).toBeVisible();
  expect((await readRecords(pda, 'counter/made')).length).toBe(1);
});

thoroughTest('runs a function automatically on new data, and the page updates live', async ({ page, pda }) => {
  await installFunction(pda, exampleZip('keywords'));
  await enableFunction(pda, 'keywords');
  await pda.enter(page, '/functions/keywords');
  await expect(page.getByText('It has not run yet.')).toBeVisible();
  await pda.store('diary/entries', diaryEntries);
  const runsRegion = page.getByRole('region', { name: 'Recent runs' });
  await expect(runsRegion.getByRole('row', { name: /Done\s*New data\s*3\s*3/ })).toBeVisible({ timeout: 60_000 });
  expect((await readRecords(pda, 'keywords/texts')).length).toBe(3);
});

thoroughTest('a failed run shows its error, stores nothing, and appears on Home', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, brokenZip);
  await enableFunction(pda, 'broken');
  await pda.enter(page, '/functions/broken');
  await page.getByRole('button', { name: 'Run now' }).click();
  await expect(notice(page, 'Broken thing failed')).toContainText('The moon is not full.');
  await expect(page.getByText('This function failed once')).toBeVisible();
  expect(await readRecords(pda, 'broken/made')).toEqual([]);
  await page.getByRole('link', { name: 'View run' }).click();
  const drawer = page.getByRole('dialog', { name: 'Run' });
  await expect(drawer.getByText('Error: The moon is not full.', { exact: true })).toBeVisible();
  await expect(drawer.getByText('so far all is well')).toBeVisible();
  await page.goto(`${pda.url}/#/`);
  await expect(page.getByText('Broken thing failed once')).toBeVisible();
  await page.goto(`${pda.url}/#/functions`);
  await expect(page.getByRole('link', { name: /Broken thing/ })).toContainText('Failed once');
});

thoroughTest('runs a function on all data on demand', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, counterZip);
  await enableFunction(pda, 'counter');
  await runFunction(pda, 'counter');
  await runFunction(pda, 'counter');
  await pda.enter(page, '/functions/counter');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Run on all data' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now on all data' }).click();
  await expect(notice(page, 'Diary counter has run')).toBeVisible();
  const counts = (await readRecords(pda, 'counter/made')).map(({ data }) => data);
  expect(counts).toContainEqual({ count: 0 });
  expect(counts.filter((row) => JSON.stringify(row) === '{"count":3}')).toHaveLength(2);
});

thoroughTest('keeps stored records after a function is turned off and removed', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, counterZip);
  await enableFunction(pda, 'counter');
  await runFunction(pda, 'counter');
  await pda.enter(page, '/functions/counter');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
  await expect(notice(page, 'Diary counter is off')).toBeVisible();
  expect(await isEnabled(pda, 'counter')).toBe(false);
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove Diary counter' });
  await expect(dialog).toContainText('Its results in counter/made and its run history stay');
  await dialog.getByRole('button', { name: 'Remove it' }).click();
  await expect(page).toHaveURL(/#\/functions$/);
  const removedRegion = page.getByRole('region', { name: 'Removed' });
  await removedRegion.getByRole('link', { name: /Diary counter/ }).click();
  await expect(page.getByText('This function was removed')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Recent runs' }).getByRole('row')).toHaveCount(2);
  expect((await readRecords(pda, 'counter/made')).length).toBe(1);
});

thoroughTest('stops two functions that start each other endlessly, and shows the loop', async ({ page, pda }) => {
  const buildChainedZip = (id: string, inputEndpoints: readonly string[]) =>
    buildFunctionZip({
      id,
      name: `The ${id}`,
      trigger: { triggerType: 'individual' },
      endpoints: inputEndpoints,
      body: `return records.length === 0 ? [] : [{ namespace: '${id}', endpoint: 'made', data: [{ n: 1 }] }];`,
    });
  await installFunction(pda, buildChainedZip('hen', ['diary/entries', 'egg/made']));
  await installFunction(pda, buildChainedZip('egg', ['hen/made']));
  await enableFunction(pda, 'hen');
  await enableFunction(pda, 'egg');
  await pda.enter(page, '/functions');
  await pda.store('diary/entries', diaryEntries);
  await expect(page.getByText('Stopped: endless loop')).toBeVisible();
  await page.getByRole('link', { name: /The hen/ }).click();
  await expect(page.getByText('The hen → The egg → The hen')).toBeVisible();
  await page.goto(`${pda.url}/#/functions/hen/runs`);
  await page
    .getByRole('row', { name: /Not run: endless loop/ })
    .getByRole('link')
    .click();
  await expect(page.getByRole('dialog', { name: 'Run' }).getByRole('link', { name: 'egg' })).toBeVisible();
});

thoroughTest('opens a function and a run by keyboard', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(pda, counterZip);
  await enableFunction(pda, 'counter');
  await runFunction(pda, 'counter');
  await pda.enter(page, '/');
  await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
  // Once the page shows data, it handles keys.
  await expect(page.getByRole('region', { name: 'Your data', exact: true })).toBeVisible();
  // Opens the function from the palette and a run from its table, and goes back with Escape.
  await page.keyboard.press('Control+k');
  await expect(page.getByPlaceholder('Search your data, pages and actions')).toBeFocused();
  await page.keyboard.type('diary counter');
  const palette = page.getByRole('dialog', { name: 'Search your data, pages and actions' });
  await expect(palette.getByRole('button', { name: 'Diary counter' }).first()).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Diary counter', level: 1 })).toBeVisible();
  const runLink = page.getByRole('region', { name: 'Recent runs' }).getByRole('row').nth(1).getByRole('link');
  await runLink.focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Run' });
  await expect(drawer.getByText('there are 3')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toHaveCount(0);
  await expect(page).toHaveURL(/#\/functions\/counter\/runs$/);
});

thoroughTest('shows that a function was not found', async ({ page, pda }) => {
  await pda.enter(page, '/functions/unknown');
  await expect(page.getByRole('heading', { name: 'Function not found' })).toBeVisible();
  await page.goto(`${pda.url}/#/functions/unknown/runs`);
  await expect(page.getByRole('heading', { name: 'Function not found' })).toBeVisible();
});

thoroughTest('links to the guide for writing a function', async ({ page, pda }) => {
  await pda.enter(page, '/functions');
  const popupOpened = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'How to write a function' }).click();
  const guide = await popupOpened;
  await expect(guide.getByRole('heading', { name: 'Functions', level: 1 })).toBeVisible();
  await expect(guide.locator('pre').filter({ hasText: '"id": "my-function"' })).toBeVisible();
});

thoroughTest('pauses all functions, shows that their runs wait, and resumes them', async ({ page, pda }) => {
  await pda.store('diary/entries', diaryEntries);
  await installFunction(
    pda,
    buildFunctionZip({
      id: 'counter',
      name: 'Diary counter',
      trigger: { triggerType: 'periodic', period: 'P1D' },
      body: `return [{ namespace: 'counter', endpoint: 'made', data: [{ count: records.length }] }];`,
    }),
  );
  await enableFunction(pda, 'counter');
  await runFunction(pda, 'counter');
  await pda.enter(page, '/functions');
  const row = page.getByRole('listitem').filter({ hasText: 'Diary counter' });
  await expect(row).toContainText('Next run tomorrow');
  await page.getByRole('button', { name: 'Pause all functions' }).click();
  await expect(page.getByText('Due runs wait and start when you resume functions.')).toBeVisible();
  await expect(row).toContainText('Next run not before you resume functions');
  await expectAccessible(page, 'paused functions');
  await page.reload();
  await expect(row).toContainText('Next run not before you resume functions');
  await page.getByRole('button', { name: 'Resume functions' }).click();
  await expect(row).toContainText('Next run tomorrow');
});
