import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';
import type { Page } from '@playwright/test';
import { findFreePort } from '../../server/platform/io/free-port.ts';
import { NAME, PASSWORD, type Pda, expect, test as base, waitForPort } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

interface PublicAddress {
  url: string;
  /** Closes all connections and refuses new ones. */
  disconnect: () => Promise<void>;
  reconnect: () => Promise<void>;
}

const listen = (server: Server, port: number): Promise<number> =>
  new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

/** Gives the PDA a public address behind a forwarder that can be switched off. */
async function startForwarder(pda: Pda): Promise<PublicAddress & { close: () => Promise<void> }> {
  const publicPort = await findFreePort();
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const target = connect(publicPort, '127.0.0.1');
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  const port = await listen(server, 0);
  // Browsers treat names below localhost as secure contexts, like addresses with TLS.
  const url = `http://ada.localhost:${port}`;
  await pda.configure({ publicUrl: url, publicPort });
  await waitForPort(publicPort);
  const disconnect = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url,
    disconnect,
    reconnect: async () => void (await listen(server, port)),
    close: async () => {
      if (server.listening) await disconnect();
    },
  };
}

const test = base.extend<{ address: PublicAddress }>({
  address: async ({ pda }, use) => {
    const forwarder = await startForwarder(pda);
    await use(forwarder);
    await forwarder.close();
  },
});

const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(NAME);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('navigation').first()).toBeVisible();
}

const countRegistrations = (page: Page): Promise<number> =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length);

/** Waits until the service worker is active, and returns the paths in its caches. */
const readCachedPaths = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    const paths: string[] = [];
    for (const name of await caches.keys())
      for (const request of await (await caches.open(name)).keys()) paths.push(new URL(request.url).pathname);
    return paths.toSorted();
  });

thoroughTest('has a manifest and icons with the right types and sizes', async ({ page, pda }) => {
  await pda.enter(page);
  const href = await page.locator('link[rel=manifest]').getAttribute('href');
  const manifest = await page.request.get(`${pda.url}${href ?? ''}`);
  expect(manifest.headers()['content-type']).toMatch(/^application\/manifest\+json/);
  const { name, short_name, start_url, display, icons } = (await manifest.json()) as {
    name: string;
    short_name: string;
    start_url: string;
    display: string;
    icons: { src: string; sizes: string; type: string; purpose?: string }[];
  };
  expect({ name, short_name, start_url, display }).toEqual({
    name: 'Personal Data Account',
    short_name: 'PDA',
    start_url: '/',
    display: 'standalone',
  });
  expect(icons.map(({ sizes, purpose }) => [sizes, purpose])).toEqual([
    ['192x192', undefined],
    ['512x512', undefined],
    ['512x512', 'maskable'],
  ]);
  const touchIcon = await page.locator('link[rel=apple-touch-icon]').getAttribute('href');
  for (const { src, sizes, type } of [...icons, { src: touchIcon ?? '', sizes: '180x180', type: 'image/png' }]) {
    const response = await page.request.get(pda.url + src);
    expect([src, response.status(), response.headers()['content-type']]).toEqual([src, 200, type]);
    // A PNG file has its width at offset 16 and its height at offset 20.
    const png = await response.body();
    expect([src, `${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`]).toEqual([src, sizes]);
  }
  // The browser parses the manifest and loads it under the Content-Security-Policy.
  const session = await page.context().newCDPSession(page);
  const parsedManifest = await session.send('Page.getAppManifest');
  expect(parsedManifest.errors).toEqual([]);
  expect(parsedManifest.url).toBe(`${pda.url}/manifest.webmanifest`);
});

test('shows an offline page without a connection, and caches nothing else', async ({ page, address }) => {
  await page.goto(`${address.url}/#/files`);
  await expect(page.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();
  expect(await countRegistrations(page)).toBe(0);
  await signIn(page);
  expect(await readCachedPaths(page)).toEqual(['/offline.html', '/offline.js']);

  await page.goto(`${address.url}/#/data`);
  // From this reload on, the service worker intercepts the requests for the page, its scripts and the API.
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Data' })).toBeVisible();
  expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
  expect(await readCachedPaths(page)).toEqual(['/offline.html', '/offline.js']);

  await address.disconnect();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Your PDA cannot be reached' })).toBeVisible();
  await expect(page).toHaveTitle('Your PDA cannot be reached');
  // Neither data nor other pages of the PDA come from a cache.
  expect(
    await page.evaluate(() =>
      fetch('/api/v2.6/owner').then(
        () => 'succeeded',
        () => 'failed',
      ),
    ),
  ).toBe('failed');
  expect(
    await page.evaluate(() =>
      fetch('/').then(
        () => 'succeeded',
        () => 'failed',
      ),
    ),
  ).toBe('failed');
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Try again' }).click();
  await reloaded;
  await expect(page.getByRole('heading', { name: 'Your PDA cannot be reached' })).toBeVisible();

  await address.reconnect();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Data' })).toBeVisible();
  expect(new URL(page.url()).hash).toBe('#/data');
});

thoroughTest('the offline page uses the dashboard’s language and colour scheme', async ({ page, pda }) => {
  await page.goto(`${pda.url}/offline.html`);
  await expect(page.getByRole('heading', { name: 'Your PDA cannot be reached' })).toBeVisible();
  await page.evaluate(() => {
    localStorage.setItem('pda-language', 'de');
    localStorage.setItem('mantine-color-scheme-value', 'dark');
  });
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Dein PDA ist nicht erreichbar' })).toBeVisible();
  await expect(page.getByRole('button')).toHaveText(['Noch einmal versuchen']);
  await expect(page.locator('html')).toHaveAttribute('lang', 'de');
  await expect(page.locator('body')).toHaveCSS('background-color', 'rgb(24, 23, 21)');
});

thoroughTest('registers no service worker on the PDA’s own machine', async ({ page, pda }) => {
  await pda.enter(page, '/data');
  await expect(page.getByRole('heading', { level: 1, name: 'Data' })).toBeVisible();
  expect(await countRegistrations(page)).toBe(0);
});

thoroughTest('removes the service worker and its cache when the account is erased', async ({ page, address }) => {
  await page.goto(`${address.url}/#/settings/erase?kind=everything`);
  await signIn(page);
  expect(await readCachedPaths(page)).toHaveLength(2);
  await page.getByRole('button', { name: 'Preview' }).click();
  await page.getByLabel(`Type ${NAME}`).fill(NAME);
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Permanently erase everything' }).click();
  await expect.poll(() => countRegistrations(page)).toBe(0);
  await expect.poll(() => page.evaluate(() => caches.keys())).toEqual([]);
});
