import type { Locator } from '@playwright/test';
import { DIALOG, expect, expectAccessible, notice, thoroughTest } from './pda.ts';

/** Steps of three people. Two of the records have a string instead of a number. */
const RECORDS = Array.from({ length: 60 }, (_, n) => ({
  who: ['Ada', 'Grace', 'Linus'][n % 3],
  steps: n === 7 ? 'n/a' : n === 8 ? 'unknown' : n * 100,
  done: n % 2 === 0,
}));

thoroughTest('keeps filters in the address, and reports how many values they cannot compare', async ({ page, pda }) => {
  await pda.store('fit/steps', RECORDS);
  await pda.enter(page, '/data/endpoint/fit/steps');
  const grid = page.getByRole('grid');
  await expect(grid).toHaveAttribute('aria-rowcount', '61');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Add filter' });
  await dialog.getByLabel('Field').selectOption({ label: 'Steps' });
  await dialog.getByLabel('From').fill('5000');
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  await expect(page.getByText('The filters leave out 2\u00A0records')).toBeVisible();
  await page.getByRole('button', { name: 'Values' }).click();
  await page.getByRole('region', { name: 'Who' }).getByRole('button', { name: 'Ada 3' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  await page.reload();
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
  const filters = page.getByRole('list', { name: 'Filters' });
  await expect(filters.getByRole('listitem')).toHaveText([
    'Steps: at least 5\u202F000',
    'Who: Ada',
    'Remove all filters',
  ]);
  await filters.getByRole('button', { name: 'Remove filter: Who: Ada' }).click();
  await expect(grid).toHaveAttribute('aria-rowcount', '11');
  await page.goBack();
  await expect(grid).toHaveAttribute('aria-rowcount', '4');
});

thoroughTest('does not say that no values repeat if no record matches', async ({ page, pda }) => {
  await pda.store('fit/steps', RECORDS);
  await pda.enter(page, '/data/endpoint/fit/steps?facets=1&search=Charles');
  await expect(page.getByRole('heading', { name: 'No record contains “Charles”.' })).toBeVisible();
  await expect(page.getByText('None of the fields has values that repeat.')).toHaveCount(0);
});

thoroughTest(
  'sorts by several columns, arranges them, saves the view and exports what it shows',
  async ({ page, pda }) => {
    await pda.store('fit/steps', RECORDS);
    await pda.enter(page, '/data/endpoint/fit/steps');
    const grid = page.getByRole('grid');
    await page.getByLabel('Sort order').selectOption({ label: 'By Who' });
    await page.getByLabel('Then by').first().selectOption({ label: 'By Steps, descending' });
    await expect(grid.getByRole('row').nth(1)).toContainText('5\u202F700');
    const headings = grid.getByRole('columnheader');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Columns…' }).click();
    const columns = page.getByRole('dialog', { name: 'Columns' });
    await columns.getByRole('checkbox', { name: 'Done' }).uncheck();
    await columns.getByRole('button', { name: 'Move Steps up' }).click();
    await columns.getByLabel('Width of Steps').selectOption('Wide');
    await expectAccessible(page, 'columns of a table', DIALOG);
    await columns.getByRole('button', { name: 'Done', exact: true }).click();
    await expect(headings).toHaveText(['', /^Steps/, /^Who/, 'Created']);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill('By person');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(notice(page, 'View By person saved')).toBeVisible();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    const loadGate = Promise.withResolvers<void>();
    await page.route('**/owner/record-views?*', async (route) => {
      if (route.request().method() === 'GET') await loadGate.promise;
      await route.continue();
    });
    await page.reload();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Save this view' }).click();
    await page.getByLabel('Name').fill('While loading');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect(notice(page, 'View While loading saved')).toBeVisible();
    loadGate.resolve();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'All records' }).click();
    await expect(page).not.toHaveURL(/by=/);
    await expect(headings).toHaveText(['', 'Who', 'Steps', 'Done', /^Created/]);
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'By person' }).click();
    await expect(page).toHaveURL(/by=who&dir=up&by=steps&dir=down/);
    await expect(headings).toHaveText(['', /^Steps/, /^Who/, 'Created']);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('menuitem', { name: 'JSON, shown columns', exact: true }).click();
    const stream = await (await download).createReadStream();
    const rows = JSON.parse(Buffer.concat(await stream.toArray()).toString()) as { who: string; steps: unknown }[];
    expect(rows).toHaveLength(RECORDS.length);
    expect(JSON.stringify(rows[0])).toBe('{"steps":5700,"who":"Ada"}');
  },
);

/** Presses a key several times in one task, before React renders. */
const pressAtOnce = (element: Locator, key: string, times: number) =>
  element.evaluate(
    async (target, input) => {
      for (let press = 0; press < input.times; press += 1) {
        target.dispatchEvent(new KeyboardEvent('keydown', { key: input.key, bubbles: true }));
        for (let n = 0; n < 100; n += 1) await Promise.resolve();
      }
    },
    { key, times },
  );

thoroughTest('resizes a column by dragging its edge and with the arrow keys', async ({ page, pda }) => {
  await pda.store('fit/steps', RECORDS);
  await pda.enter(page, '/data/endpoint/fit/steps');
  const widthOf = async (name: string): Promise<number> =>
    Math.round((await page.getByRole('columnheader', { name }).boundingBox())?.width ?? 0);
  const edge = page.getByRole('separator', { name: 'Width of Steps' });
  await expect(edge).toHaveAttribute('aria-valuetext', 'Automatic');
  const [stepsWidth, whoWidth] = [await widthOf('Steps'), await widthOf('Who')];
  await edge.hover();
  const { x = 0, y = 0 } = (await edge.boundingBox()) ?? {};
  await page.mouse.move(x + 4, y + 8);
  await page.mouse.down();
  await page.mouse.move(x - 56, y + 8, { steps: 3 });
  await page.mouse.up();
  await expect(edge).toHaveAttribute('aria-valuenow', String(stepsWidth - 60));
  expect([await widthOf('Steps'), await widthOf('Who')]).toEqual([stepsWidth - 60, whoWidth]);
  await edge.press('ArrowRight');
  await edge.press('ArrowRight');
  await expect(edge).toHaveAttribute('aria-valuenow', String(stepsWidth - 28));
  // A key that is held down sends key presses before the table has rendered the previous ones.
  await pressAtOnce(edge, 'ArrowRight', 5);
  await expect(edge).toHaveAttribute('aria-valuenow', String(stepsWidth + 52));
  await pressAtOnce(edge, 'ArrowLeft', 5);
  await expect(edge).toHaveAttribute('aria-valuenow', String(stepsWidth - 28));
  await expectAccessible(page, 'table with a chosen width');
  await page.reload();
  await expect(edge).toHaveAttribute('aria-valuenow', String(stepsWidth - 28));
  expect([await widthOf('Steps'), await widthOf('Who')]).toEqual([stepsWidth - 28, whoWidth]);
  await edge.dblclick();
  await expect(edge).toHaveAttribute('aria-valuetext', 'Automatic');
});

thoroughTest(
  'moves selected records to another endpoint, names who can read them there, and moves them back',
  async ({ page, pda }) => {
    await pda.store('fit/steps', RECORDS.slice(0, 3));
    await pda.store('walks/days', RECORDS.slice(0, 1));
    const { userId } = (await pda.call('POST', '/users/user', { name: 'Grace', password: 'a password of Grace' })) as {
      userId: string;
    };
    const definition = { kind: 'table', selection: {}, columns: [{ path: 'steps', name: 'Steps' }] };
    await pda.call('POST', '/api/v2.6/owner/shared-views', {
      endpoint: 'walks/days',
      name: 'Walks',
      userId,
      definition,
    });
    const countAt = async (endpoint: string): Promise<number> =>
      ((await pda.call('GET', `/api/v2.6/data/${endpoint}`)) as unknown[]).length;
    await pda.enter(page, '/data/endpoint/fit/steps');
    await page.getByRole('checkbox', { name: 'Select visible records' }).check();
    await page.getByRole('button', { name: 'Move…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Move 3\u00A0records' });
    await dialog.getByRole('combobox', { name: 'Move to' }).fill('walks/days');
    await expect(dialog.getByText('Grace can then read them, as far as you have allowed.')).toBeVisible();
    await expectAccessible(page, 'move of records', DIALOG);
    await dialog.getByRole('button', { name: 'Move 3\u00A0records' }).click();
    const doneNotice = notice(page, '2\u00A0records moved to walks/days');
    await expect(doneNotice).toBeVisible();
    await expect(notice(page, '1\u00A0record not moved')).toContainText('walks/days already has an equal record.');
    expect([await countAt('fit/steps'), await countAt('walks/days')]).toEqual([1, 3]);
    await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '2');
    await doneNotice.getByRole('button', { name: 'Undo' }).click();
    await expect(notice(page, '2\u00A0records moved back')).toBeVisible();
    await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '4');
    await page.getByRole('gridcell', { name: 'Grace' }).click();
    const drawer = page.getByRole('dialog', { name: 'Record' });
    await expect(drawer.getByText('From walks/days to fit/steps')).toBeVisible();
    await expectAccessible(page, 'moves of a record', DIALOG);
  },
);

thoroughTest('offers to move records back if the response to the move was lost', async ({ page, pda }) => {
  await pda.store('fit/steps', RECORDS.slice(0, 3));
  await pda.enter(page, '/data/endpoint/fit/steps');
  const moveRoute = '**/owner/record-moves';
  await page.route(moveRoute, async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.getByRole('checkbox', { name: 'Select visible records' }).check();
  await page.getByRole('button', { name: 'Move…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Move 3\u00A0records' });
  await dialog.getByRole('combobox', { name: 'Move to' }).fill('walks/days');
  await dialog.getByRole('button', { name: 'Move 3\u00A0records' }).click();
  await expect(notice(page, 'The move was not confirmed')).toContainText('Your PDA is not responding.');
  const undoOffer = notice(page, 'Up to 3\u00A0records may have been moved to walks/days');
  await expect(undoOffer).toBeVisible();
  expect(await pda.call('GET', '/api/v2.6/data/fit/steps')).toEqual([]);
  // The undo is offered again while the PDA does not respond.
  await page.unroute(moveRoute);
  await page.route(moveRoute, (route) => route.abort());
  await undoOffer.getByRole('button', { name: 'Undo' }).click();
  await expect(notice(page, 'The action failed')).toBeVisible();
  await page.unroute(moveRoute);
  await undoOffer.getByRole('button', { name: 'Undo' }).click();
  await expect(notice(page, '3\u00A0records moved back')).toBeVisible();
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '4');
});
