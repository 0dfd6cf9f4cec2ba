import { exposureSchema } from '../../server/wire/exposure.ts';
import { startRelay } from '../support/relay.ts';
import { DIALOG, type Pda, expect, expectAccessible, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

const test = base.extend<{ relay: { url: string; address: string } }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  relay: async ({}, use) => {
    const relay = await startRelay();
    await use({ url: `http://localhost:${relay.port}`, address: `http://ada.localhost:${relay.port}` });
    await relay.close();
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

const chooseRelay = (pda: Pda, relay: string): Promise<unknown> =>
  pda.call('PUT', '/api/v2.6/owner/exposure', { way: 'tunnel', relay, domain: 'localhost', agreed: false });

thoroughTest(
  'a PDA is reachable through a relay, goes dark and is reachable again',
  async ({ page, pda, relay, context }) => {
    await pda.configure({ development: { allowLoopback: true } });
    await pda.enter(page, '/settings/address');
    const statusRegion = page.getByRole('region', { name: 'Right now' });
    await expect(statusRegion.getByRole('heading', { name: 'Only this computer can reach your PDA' })).toBeVisible();
    await page.getByRole('button', { name: 'Choose a connection' }).click();
    await page.getByRole('radio', { name: 'A name at a relay' }).check();
    await page.getByLabel('Address of the relay').fill(relay.url);
    await expect(page.getByLabel('Domain of the relay')).toHaveValue('localhost');
    await page.getByRole('button', { name: 'Request this name' }).click();
    await expect(statusRegion.getByRole('heading', { name: 'Your PDA is reachable at this address' })).toBeVisible();
    await expect(statusRegion.getByText(relay.address)).toBeVisible();

    const outsidePage = await context.newPage();
    await outsidePage.goto(relay.address);
    await expect(outsidePage.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();

    await statusRegion.getByRole('button', { name: 'Go dark' }).click();
    await expect(statusRegion.getByText('Verified: a check from outside failed to connect')).toBeVisible();
    expect((await outsidePage.goto(relay.address))?.status()).toBe(503);
    await expectAccessible(page, 'dark at a real relay');

    await statusRegion.getByRole('button', { name: 'Accept visitors again' }).click();
    await expect(statusRegion.getByRole('heading', { name: 'Your PDA is reachable at this address' })).toBeVisible();
    await outsidePage.goto(relay.address);
    await expect(outsidePage.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();
  },
);

thoroughTest('disconnects an owner who goes dark at the public address', async ({ page, pda, relay }) => {
  await pda.configure({ development: { allowLoopback: true } });
  await chooseRelay(pda, relay.url);
  await expect(async () => {
    const { state } = (await pda.call('GET', '/api/v2.6/owner/exposure')) as { state: string };
    expect(state).toBe('reachable');
  }).toPass({ timeout: 60_000 });
  await page.goto(`${relay.address}/#/settings/address`);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const statusRegion = page.getByRole('region', { name: 'Right now' });
  await statusRegion.getByRole('button', { name: 'Go dark' }).click();
  const dialog = page.getByRole('dialog', { name: 'Go dark from outside' });
  await expect(dialog.getByRole('button', { name: 'Stay reachable' })).toBeFocused();
  await expectAccessible(page, 'dark from outside', DIALOG);
  await dialog.getByRole('button', { name: 'Go dark' }).click();
  await expect(page.getByText('You are disconnected')).toBeVisible();
  // The connection is closed first and checked afterwards. Until then, the API returns the previous check.
  const readProbeSinceDark = async () => {
    const { darkSince, probe } = exposureSchema.parse(await pda.call('GET', '/api/v2.6/owner/exposure'));
    return darkSince !== null && probe !== null && probe.at >= darkSince ? { reached: probe.reached } : undefined;
  };
  await expect.poll(readProbeSinceDark).toEqual({ reached: false });
});

thoroughTest('refuses a relay without encryption and stays without a public address', async ({ page, pda }) => {
  await pda.enter(page, '/settings/address');
  await page.getByRole('button', { name: 'Choose a connection' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('http://pda.example');
  await page.getByRole('button', { name: 'Request this name' }).click();
  await expect(page.getByText('is not https: the response could be read in transit').first()).toBeVisible();
  await expectAccessible(page, 'a relay without encryption');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Only this computer can reach your PDA' })).toBeVisible();
});
