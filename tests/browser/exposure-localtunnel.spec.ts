import { startLocaltunnelServer, type LocaltunnelServer } from '../support/localtunnel-server.ts';
import { expect, expectAccessible, expectAccessibleInExtraVariants, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

const test = base.extend<{ server: LocaltunnelServer }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  server: async ({}, use) => {
    const server = await startLocaltunnelServer();
    await use(server);
    await server.kill();
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

thoroughTest(
  'requires an agreement that names the localtunnel server, and then shows that the server can read all traffic',
  async ({ page, pda, server, context }) => {
    await pda.enter(page, '/settings/address');
    const statusRegion = page.getByRole('region', { name: 'Right now' });
    await page.getByRole('button', { name: 'Choose a connection' }).click();
    // Fills in the form with the keyboard.
    await expect(page.getByRole('radio', { name: 'No public address' })).toBeFocused();
    await page.keyboard.press('ArrowUp');
    await expect(page.getByRole('radio', { name: 'A name at a localtunnel server' })).toBeChecked();
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Address of the localtunnel server')).toBeFocused();
    await page.keyboard.type(server.url);
    await page.keyboard.press('Tab');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type('adalace');
    await expect(page.getByText('localhost can read and change all traffic: your data')).toBeVisible();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Your PDA does not connect to the server without your agreement.')).toBeVisible();
    await expectAccessible(page, 'a localtunnel server without the agreement');
    await page.keyboard.press('Tab');
    await expect(page.getByRole('checkbox', { name: 'I agree that localhost can read' })).toBeFocused();
    await page.keyboard.press('Space');
    await expect(page.getByRole('checkbox', { name: 'Accept passwords at this address too' })).not.toBeChecked();
    // The agreement is valid only for the named host.
    const serverAddressInput = page.getByLabel('Address of the localtunnel server');
    await serverAddressInput.fill('https://lt.example');
    await expect(page.getByRole('checkbox', { name: 'I agree that lt.example can read' })).not.toBeChecked();
    await serverAddressInput.fill(server.url);
    await page.getByRole('checkbox', { name: 'I agree that localhost can read' }).press('Space');
    await page.getByRole('button', { name: 'Request this name' }).press('Enter');

    await expect(statusRegion.getByRole('heading', { name: 'Readable by localhost' })).toBeVisible({ timeout: 60_000 });
    await expect(statusRegion).toHaveAttribute('data-status', 'attention');
    await expect(statusRegion.getByText(`http://${server.hostOf('adalace')}`)).toBeVisible();
    await expect(page.getByText('Not accepted at this address')).toBeVisible();
    await expectAccessible(page, 'readable by a localtunnel server');
    await expectAccessibleInExtraVariants(page, 'readable by a localtunnel server');

    const outsidePage = await context.newPage();
    await outsidePage.goto(`http://${server.hostOf('adalace')}`);
    await outsidePage.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
    await outsidePage.getByRole('button', { name: 'Sign in' }).click();
    await expect(outsidePage.getByText('localhost could read them')).toBeVisible();
    await outsidePage.close();

    await statusRegion.getByRole('button', { name: 'Go dark' }).click();
    await expect(statusRegion.getByText('Verified: a check from outside failed to connect')).toBeVisible();
  },
);

thoroughTest(
  'names the server that can read all traffic, on Home and in German on the address page',
  async ({ page, pda, server, browser }) => {
    await pda.store('notes/ideas', [{ text: 'one' }]);
    const choice = { way: 'localtunnel', host: server.url, subdomain: 'adalace', readableBy: 'localhost' };
    await pda.call('PUT', '/api/v2.6/owner/exposure', { ...choice, passwordSignIn: true });
    await pda.enter(page);
    const address = `http://${server.hostOf('adalace')}`;
    await expect(page.getByRole('link', { name: `Reachable at ${address} and readable by localhost.` })).toBeVisible({
      timeout: 60_000,
    });
    const context = await browser.newContext({ locale: 'de-DE', viewport: { width: 1440, height: 900 } });
    const germanPage = await context.newPage();
    await pda.enter(germanPage, '/settings/address');
    await expect(germanPage.getByRole('heading', { name: 'Lesbar für localhost' })).toBeVisible();
    await expect(germanPage.getByText('Über diese Adresse angenommen und lesbar für localhost')).toBeVisible();
    await context.close();
  },
);
