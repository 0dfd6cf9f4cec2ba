import { expect, test, thoroughTest } from './pda.ts';

const ROW_PX = 36;
/**
 * Together, the rows are 36,000,000 px high. Chromium makes no element taller than 33,554,428 px, and the dashboard
 * none taller than 6,000,000 px.
 */
const RECORD_COUNT = 1_000_000;
const MIDDLE_ROW = RECORD_COUNT / 2;
const RECORDS_PER_REQUEST = 10_000;
const BATCH_COUNT = RECORD_COUNT / RECORDS_PER_REQUEST;

const formatNumber = (n: number): string => n.toLocaleString('en').replaceAll(',', '\u202F');

thoroughTest(
  'a list taller than the maximum element height reaches its last row and scrolls row by row',
  async ({ page, pda }) => {
    test.slow();
    for (let batch = 0; batch < BATCH_COUNT; batch += 1)
      await pda.store(
        'sensor/steps',
        Array.from({ length: RECORDS_PER_REQUEST }, (_, index) => ({ step: batch * RECORDS_PER_REQUEST + index + 1 })),
      );
    await pda.enter(page, '/data/endpoint/sensor/steps?dir=up');
    const grid = page.getByRole('grid');
    const expectFirstRow = (first: number) =>
      expect(page.getByText(new RegExp(`^${formatNumber(first)}–`, 'u'))).toBeVisible();
    const expectLoaded = (row: number) =>
      expect(grid.getByRole('checkbox', { name: `Select record ${formatNumber(row)}`, exact: true })).toBeEnabled();
    const scrollRows = async (rows: number) => {
      await grid.hover();
      await page.mouse.wheel(0, rows * ROW_PX);
    };
    await expect(grid).toHaveAttribute('aria-rowcount', String(RECORD_COUNT + 1));

    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(page.getByText(`–${formatNumber(RECORD_COUNT)} of ${formatNumber(RECORD_COUNT)}`)).toBeVisible();
    await expectLoaded(RECORD_COUNT);
    await expect(grid.getByRole('gridcell', { name: formatNumber(RECORD_COUNT), exact: true })).toBeInViewport();

    await page.getByLabel('Go to record number').fill(String(MIDDLE_ROW));
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await expectFirstRow(MIDDLE_ROW);
    await scrollRows(3);
    await expectFirstRow(MIDDLE_ROW + 3);
    await scrollRows(-5);
    await expectFirstRow(MIDDLE_ROW - 2);
    await expectLoaded(MIDDLE_ROW);

    await grid.focus();
    await page.keyboard.press('End');
    await expect(grid).toHaveAttribute('aria-activedescendant', `row-${RECORD_COUNT - 1}`);
    await expectLoaded(RECORD_COUNT);
    await page.keyboard.press('ArrowUp');
    await expect(grid).toHaveAttribute('aria-activedescendant', `row-${RECORD_COUNT - 2}`);
    await page.keyboard.press('Home');
    await expectFirstRow(1);
    await expectLoaded(1);
    expect(await grid.getByRole('row').count()).toBeLessThan(80);
  },
);
