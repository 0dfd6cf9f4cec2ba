import { expect, test } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/at-length.ts';

/**
 * Rows of 36 px. Chromium makes no element taller than 33,554,428 px and the dashboard none taller than 6,000,000: the
 * smaller list exceeds the second limit, the larger one both.
 */
const ROW = 36;
const RECORDS = IS_THOROUGH_RUN ? 1_000_000 : 170_000;
const MIDDLE = RECORDS / 2;
const IN_ONE_REQUEST = 10_000;
const BATCHES = RECORDS / IN_ONE_REQUEST;

const figure = (n: number): string => n.toLocaleString('en').replaceAll(',', '\u202F');

test('a list taller than browsers can lay out reaches its last row and scrolls row by row', async ({ page, pda }) => {
  test.slow(IS_THOROUGH_RUN);
  for (let batch = 0; batch < BATCHES; batch += 1)
    await pda.store(
      'sensor/steps',
      Array.from({ length: IN_ONE_REQUEST }, (_, index) => ({ step: batch * IN_ONE_REQUEST + index + 1 })),
    );
  await pda.enter(page, '/data/endpoint/sensor/steps?dir=up');
  const grid = page.getByRole('grid');
  const startsAt = (first: number) => expect(page.getByText(new RegExp(`^${figure(first)}–`, 'u'))).toBeVisible();
  const isLoaded = (row: number) =>
    expect(grid.getByRole('checkbox', { name: `Select record ${figure(row)}`, exact: true })).toBeEnabled();
  const wheel = async (rows: number) => {
    await grid.hover();
    await page.mouse.wheel(0, rows * ROW);
  };
  await expect(grid).toHaveAttribute('aria-rowcount', String(RECORDS + 1));

  await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
  await expect(page.getByText(`–${figure(RECORDS)} of ${figure(RECORDS)}`)).toBeVisible();
  await isLoaded(RECORDS);
  await expect(grid.getByRole('gridcell', { name: figure(RECORDS), exact: true })).toBeInViewport();

  await page.getByLabel('Go to record number').fill(String(MIDDLE));
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await startsAt(MIDDLE);
  await wheel(3);
  await startsAt(MIDDLE + 3);
  await wheel(-5);
  await startsAt(MIDDLE - 2);
  await isLoaded(MIDDLE);

  await grid.focus();
  await page.keyboard.press('End');
  await expect(grid).toHaveAttribute('aria-activedescendant', `row-${RECORDS - 1}`);
  await isLoaded(RECORDS);
  await page.keyboard.press('ArrowUp');
  await expect(grid).toHaveAttribute('aria-activedescendant', `row-${RECORDS - 2}`);
  await page.keyboard.press('Home');
  await startsAt(1);
  await isLoaded(1);
  expect(await grid.getByRole('row').count()).toBeLessThan(80);
});
