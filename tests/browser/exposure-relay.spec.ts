import { exposureSchema } from '../../server/wire/exposure.ts';
import { startRelay } from '../support/relay.ts';
import { DIALOG, type Pda, expect, expectAccessible, test as base } from './pda.ts';

/** A real relay, and a visitor who comes by the name that it gave. */

const test = base.extend<{ relay: { url: string; address: string } }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads which fixtures are wanted from this pattern
  relay: async ({}, use) => {
    const relay = await startRelay();
    await use({ url: `http://localhost:${relay.port}`, address: `http://ada.localhost:${relay.port}` });
    await relay.close();
  },
});

const chooses = (pda: Pda, relay: string): Promise<unknown> =>
  pda.call('PUT', '/api/v2.6/owner/exposure', { way: 'tunnel', relay, domain: 'localhost', agreed: false });

test('a name at a relay leads in, dark shuts it within two seconds, and light opens it again', async ({
  page,
  pda,
  relay,
  context,
}) => {
  test.setTimeout(60_000);
  await pda.configure({ development: { allowLoopback: true } });
  await pda.enter(page, '/settings/address');
  const now = page.getByRole('region', { name: 'Right now' });
  await expect(now.getByRole('heading', { name: 'Only this computer can reach your PDA' })).toBeVisible();
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill(relay.url);
  await expect(page.getByLabel('Domain of its names')).toHaveValue('localhost');
  await page.getByRole('button', { name: 'Ask for this name' }).click();
  await expect(now.getByRole('heading', { name: 'Anybody can reach your PDA at this address' })).toBeVisible();
  await expect(now.getByText(relay.address)).toBeVisible();

  const visitor = await context.newPage();
  await visitor.goto(relay.address);
  await expect(visitor.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();

  await now.getByRole('button', { name: 'Go dark' }).click();
  await expect(now.getByText('Proved: a try from outside got nowhere')).toBeVisible();
  expect((await visitor.goto(relay.address))?.status()).toBe(503);
  await expectAccessible(page, 'dark at a real relay');

  await now.getByRole('button', { name: 'Let visitors in again' }).click();
  await expect(now.getByRole('heading', { name: 'Anybody can reach your PDA at this address' })).toBeVisible();
  await visitor.goto(relay.address);
  await expect(visitor.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();
});

test('who signed in from outside goes dark, is told so, and gets in no more', async ({ page, pda, relay }) => {
  test.setTimeout(60_000);
  await pda.configure({ development: { allowLoopback: true } });
  await chooses(pda, relay.url);
  await expect(async () => {
    const { state } = (await pda.call('GET', '/api/v2.6/owner/exposure')) as { state: string };
    expect(state).toBe('reachable');
  }).toPass({ timeout: 15_000 });
  await page.goto(`${relay.address}/#/settings/address`);
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery staple');
  await page.getByRole('button', { name: 'Sign in' }).click();
  const now = page.getByRole('region', { name: 'Right now' });
  await now.getByRole('button', { name: 'Go dark' }).click();
  const dialog = page.getByRole('dialog', { name: 'Go dark from outside' });
  await expect(dialog.getByRole('button', { name: 'Stay reachable' })).toBeFocused();
  await expectAccessible(page, 'dark from outside', DIALOG);
  await dialog.getByRole('button', { name: 'Go dark' }).click();
  await expect(page.getByText('You are shut out now')).toBeVisible();
  // The line is cut first, and proved to be afterwards: until then the last try is one from before.
  const proof = async () => {
    const { darkSince, probe } = exposureSchema.parse(await pda.call('GET', '/api/v2.6/owner/exposure'));
    return darkSince !== null && probe !== null && probe.at >= darkSince ? { reached: probe.reached } : undefined;
  };
  await expect.poll(proof).toEqual({ reached: false });
});

test('an address that is refused leaves all as it was', async ({ page, pda }) => {
  await pda.enter(page, '/settings/address');
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('http://pda.example');
  await page.getByRole('button', { name: 'Ask for this name' }).click();
  await expect(page.getByText('is not https: the response could be read in transit').first()).toBeVisible();
  await expectAccessible(page, 'a relay without protection');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'Only this computer can reach your PDA' })).toBeVisible();
});
