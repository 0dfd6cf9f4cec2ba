import type { Page } from '@playwright/test';
import { Acme, acmeConfig, storeSampleRecords } from './consent.ts';
import { test as operatorTest } from './operator.ts';
import { expect, test } from './pda.ts';

// A browser without internet reaches a PDA on the same machine. TanStack Query pauses queries and mutations after the
// window's `offline` event unless they run in the mode "always". Playwright's own `setOffline` would cut off loopback
// too, so the tests dispatch the event.

async function goOffline(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false });
    window.dispatchEvent(new Event('offline'));
  });
}

test.describe('the dashboard in a browser without internet access', () => {
  test.use({ config: acmeConfig });

  test('opens pages that were not loaded before, and stops sharing', async ({ page, pda }) => {
    await storeSampleRecords(pda);
    const acme = await Acme.signIn(pda);
    await acme.request('acme/days');
    await pda.call('GET', '/api/v2.6/data-debit/acme/days/enable');
    expect((await acme.readValues('acme/days')).status).toBe(200);
    await pda.enter(page);
    await expect(page.getByText('All is well')).toBeVisible();
    await goOffline(page);

    const navigation = page.getByRole('navigation').first();
    await navigation.getByRole('link', { name: 'Data' }).click();
    await expect(page.getByRole('link', { name: 'Activity', exact: true }).first()).toBeVisible();
    await page.getByRole('link', { name: 'Activity', exact: true }).first().click();
    await expect(page.getByRole('grid')).toContainText('12\u202F000');

    await navigation.getByRole('link', { name: 'Sharing' }).click();
    await page
      .getByRole('button', { name: /^Stop sharing/ })
      .first()
      .click();
    await expect.poll(async () => (await acme.readValues('acme/days')).status).toBe(400);
  });
});

operatorTest('an operator without internet opens pages that were not loaded before', async ({ page, exchange }) => {
  await exchange.enter(page, exchange.root);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await goOffline(page);
  await page.getByRole('navigation').getByRole('link', { name: 'Accounts' }).click();
  await expect(page.getByRole('listitem').filter({ hasText: 'root' })).toBeVisible();
});
