import { startLocaltunnelServer, type LocaltunnelServer } from '../support/localtunnel-server.ts';
import { expect, expectAccessible, expectAccessibleToo, test as base } from './pda.ts';

/** The real localtunnel server, chosen in the dashboard. */

const test = base.extend<{ server: LocaltunnelServer }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are wanted from this pattern
  server: async ({}, use) => {
    const server = await startLocaltunnelServer();
    await use(server);
    await server.kill();
  },
});

test('a localtunnel server is used after an agreement that names it, and is never shown as well', async ({
  page,
  pda,
  server,
  context,
}) => {
  test.setTimeout(90_000);
  await pda.enter(page, '/settings/address');
  const now = page.getByRole('region', { name: 'Right now' });
  await page.getByRole('button', { name: 'Choose a way' }).click();
  // By keyboard alone.
  await expect(page.getByRole('radio', { name: 'No public address' })).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('radio', { name: 'A name at a localtunnel server' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Address of the localtunnel server')).toBeFocused();
  await page.keyboard.type(server.url);
  await page.keyboard.press('Tab');
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('adalace');
  await expect(page.getByText('localhost can read and change everything that passes: your data')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Without that your PDA does not connect to the server.')).toBeVisible();
  await expectAccessible(page, 'a localtunnel server without the agreement');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('checkbox', { name: 'I agree that localhost can read' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(page.getByRole('checkbox', { name: 'Accept passwords by this address too' })).not.toBeChecked();
  // An agreement counts for the host that it names.
  const host = page.getByLabel('Address of the localtunnel server');
  await host.fill('https://lt.example');
  await expect(page.getByRole('checkbox', { name: 'I agree that lt.example can read' })).not.toBeChecked();
  await host.fill(server.url);
  await page.getByRole('checkbox', { name: 'I agree that localhost can read' }).press('Space');
  await page.getByRole('button', { name: 'Ask for this name' }).press('Enter');

  await expect(now.getByRole('heading', { name: 'Readable by localhost' })).toBeVisible({ timeout: 20_000 });
  await expect(now).toHaveAttribute('data-status', 'attention');
  await expect(now.getByText(`http://${server.hostOf('adalace')}`)).toBeVisible();
  await expect(page.getByText('Refused by this address')).toBeVisible();
  await expectAccessible(page, 'readable by a localtunnel server');
  await expectAccessibleToo(page, 'readable by a localtunnel server');

  const visitor = await context.newPage();
  await visitor.goto(`http://${server.hostOf('adalace')}`);
  await visitor.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
  await visitor.getByRole('button', { name: 'Sign in' }).click();
  await expect(visitor.getByText('localhost could read them')).toBeVisible();
  await visitor.close();

  await now.getByRole('button', { name: 'Go dark' }).click();
  await expect(now.getByText('Proved: a try from outside got nowhere')).toBeVisible();
});

test('the home page names who reads along, in German too', async ({ page, pda, server, browser }) => {
  test.setTimeout(60_000);
  await pda.store('notes/ideas', [{ text: 'one' }]);
  const choice = { way: 'localtunnel', host: server.url, subdomain: 'adalace', readableBy: 'localhost' };
  await pda.call('PUT', '/api/v2.6/owner/exposure', { ...choice, passwordSignIn: true });
  await pda.enter(page);
  const address = `http://${server.hostOf('adalace')}`;
  await expect(page.getByRole('link', { name: `Reachable at ${address}, and readable by localhost.` })).toBeVisible({
    timeout: 20_000,
  });
  const context = await browser.newContext({ locale: 'de-DE', viewport: { width: 1440, height: 900 } });
  const german = await context.newPage();
  await pda.enter(german, '/settings/address');
  await expect(german.getByRole('heading', { name: 'Lesbar für localhost' })).toBeVisible();
  await expect(german.getByText('Über diese Adresse angenommen und lesbar für localhost')).toBeVisible();
  await context.close();
});
