import type { Page } from '@playwright/test';
import { buildApplication } from '../../server/exchange/applications/application.test-support.ts';
import { PASSWORD } from '../../server/exchange/exchange.test-support.ts';
import {
  debitEvent,
  inboundEvent,
  outboundEvent,
  statsOf,
} from '../../server/exchange/statistics/statistics.test-support.ts';
import { type BrowserExchange, test } from './operator.ts';
import { DIALOG, expect, expectAccessible, notice } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';
import { newTestKey } from '../support/keys.ts';

const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

// The tests run in one process, so that only one exchange is started.
test.describe.configure({ mode: 'default' });

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

async function signIn(page: Page, name: string, password: string): Promise<void> {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Presses a button of the confirmation dialog. A drawer can be open behind it. */
const pressInDialog = (page: Page, label: string) =>
  page.getByRole('dialog', { name: /\?$/u }).getByRole('button', { name: label }).click();

/** Waits until a reported namespace is aggregated and listed in the available data. */
const waitForNamespace = (exchange: BrowserExchange, namespace: string) =>
  expect
    .poll(async () => JSON.stringify(await exchange.call('GET', '/stats/available-data', undefined)))
    .toContain(`"namespace":"${namespace}"`);

/** Returns the ids of the applications that PDAs receive. */
const readPublishedIds = async (exchange: BrowserExchange): Promise<string[]> =>
  ((await exchange.call('GET', '/api/v2/applications', undefined)) as { id: string }[]).map(({ id }) => id);

test("shows the pages of the account's role, and ends the session when the account is disabled", async ({
  page,
  exchange,
}) => {
  const { root } = exchange;
  const { userId } = await exchange.createAccount(['developer'], 'guest');
  await exchange.open(page, '/applications');
  await signIn(page, 'guest', 'something else entirely');
  await expect(page.getByText('Wrong name or password, or the account is disabled')).toBeVisible();
  await signIn(page, 'guest', PASSWORD);
  await expect(heading(page, 'Applications')).toBeVisible();
  await expect(page.getByRole('navigation').getByRole('link')).toHaveText([
    'Overview',
    'Applications',
    'Available data',
  ]);
  await exchange.open(page, '/accounts');
  await expect(heading(page, 'You have no access to this page')).toBeVisible();

  await exchange.call('PUT', `/api/accounts/${userId}`, root, { enabled: false });
  await page.reload();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await exchange.call('PUT', `/api/accounts/${userId}`, root, { enabled: true });
  await signIn(page, 'guest', PASSWORD);
  // The sign-in returns to the previous page.
  await expect(heading(page, 'You have no access to this page')).toBeVisible();
  await page.getByRole('button', { name: /appearance, language and signing out/u }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(heading(page, 'Sign in to the exchange')).toBeVisible();
});

thoroughTest('submits an application, and publishes it with the keyboard only', async ({ page, context, exchange }) => {
  const { root } = exchange;
  const developer = await exchange.createAccount(['developer'], 'walkers');
  await exchange.call('POST', '/api/v2/applications', developer, buildApplication('walker', { name: 'Walker' }));
  await exchange.enter(page, developer, '/applications/walker');
  await page.getByRole('button', { name: 'Submit' }).click();
  await pressInDialog(page, 'Submit');
  await expect(page.getByText('It is waiting for an administrator’s decision.')).toBeVisible();

  const adminPage = await context.newPage();
  await exchange.enter(adminPage, root);
  await expect(heading(adminPage, /items? needs? your attention$/u)).toBeVisible();
  const tabTo = async (name: RegExp) => {
    const target = adminPage.getByRole('link', { name }).or(adminPage.getByRole('button', { name })).first();
    await expect(target).toBeVisible();
    for (let attempt = 0; attempt < 40; attempt += 1) {
      if (await target.evaluate((element) => element === document.activeElement)) return;
      await adminPage.keyboard.press('Tab');
    }
    throw new Error(`Tab does not reach ${String(name)}`);
  };
  await tabTo(/^Decide: .*application/u);
  await adminPage.keyboard.press('Enter');
  await tabTo(/Walker/u);
  await adminPage.keyboard.press('Enter');
  await tabTo(/^Publish$/u);
  await adminPage.keyboard.press('Enter');
  // The focus is on the safe choice, so that Enter publishes nothing.
  await expect(adminPage.getByRole('button', { name: 'Not yet' })).toBeFocused();
  expect(await readPublishedIds(exchange)).not.toContain('walker');
  await adminPage.keyboard.press('Tab');
  await adminPage.keyboard.press('Enter');
  await expect(notice(adminPage, 'Walker is published')).toBeVisible();
  expect(await readPublishedIds(exchange)).toContain('walker');
  await exchange.open(adminPage, '/audit');
  await expect(adminPage.getByText('root published the application walker')).toBeVisible();
});

thoroughTest(
  'explains rights in a review, publishes no change made during it, and lets a rejected version be resubmitted',
  async ({ page, context, exchange }) => {
    const { root } = exchange;
    const developer = await exchange.createAccount(['developer'], 'runners');
    const thingsRole = { role: 'namespacewrite', detail: 'things' };
    await exchange.submitApplication(developer, 'runner', { name: 'Runner' });
    await exchange.call('PUT', '/api/v2/applications/runner/publish', root);
    const submitVersion = async (version: string, role: object) => {
      exchange.server.clock.advance(1000);
      const fields = { permissions: { rolesGranted: [thingsRole, role] } };
      await exchange.call(
        'PUT',
        '/api/v2/applications/runner',
        developer,
        buildApplication('runner', { name: 'Runner', version, fields }),
      );
      await exchange.call('PUT', '/api/v2/applications/runner/submit', developer);
    };
    await submitVersion('1.1.0', { role: 'namespaceread', detail: 'health' });
    await exchange.enter(page, root, '/applications/runner');
    await expect(page.getByText('PDAs that use it keep version 1.0.0.')).toBeVisible();
    const rightItem = (text: string) => page.getByRole('listitem').filter({ hasText: text });
    await expect(rightItem('Read everything in health')).toContainText('new');
    await expect(rightItem('Store, change and delete records in things')).not.toContainText('new');

    await submitVersion('1.2.0', { role: 'owner' });
    await page.getByRole('button', { name: 'Publish' }).click();
    await pressInDialog(page, 'Publish');
    await expect(page.getByText('changed after your review')).toBeVisible();
    await pressInDialog(page, 'Not yet');
    await expect(rightItem('Read and change all records of the owner')).toContainText('new');
    await page.getByRole('button', { name: 'Reject' }).click();
    await pressInDialog(page, 'Reject');
    await expect(notice(page, 'Runner was rejected')).toBeVisible();
    expect(await readPublishedIds(exchange)).not.toContain('runner');
    const developerPage = await context.newPage();
    await exchange.enter(developerPage, developer, '/applications/runner');
    await developerPage.getByRole('button', { name: 'Submit' }).click();
    await pressInDialog(developerPage, 'Submit');
    await expect(notice(developerPage, 'Runner is waiting for a decision')).toBeVisible();
  },
);

thoroughTest(
  'approves, claims and confirms an Offer, and shows its provider the claims',
  async ({ page, context, exchange }) => {
    const { root } = exchange;
    const provider = await exchange.createAccount(['marketPlace'], 'walk-lab');
    await exchange.createOffer(provider, 'walks');
    await exchange.enter(page, root, '/offers');
    await page.getByRole('link', { name: /How far a town walks/u }).click();
    await expect(page.getByText('30 days after the owner agrees')).toBeVisible();
    await expect(
      page.getByText('at most 500 PDAs; shared data can be read after the first confirmation'),
    ).toBeVisible();
    await expect(page.getByRole('group', { name: 'Steps' })).toContainText('Only the oldest 50 records');
    await page.getByRole('button', { name: 'Approve' }).click();
    await pressInDialog(page, 'Approve');
    await expect(page.getByText('PDAs can claim it.')).toBeVisible();

    const ada = await exchange.server.insertRegisteredPda('claimer.example.org');
    const claimReply = await exchange.server.call('GET', '/api/v2/offer/walks/claim', { token: await ada.token() });
    const { dataDebitId } = (claimReply.json as { claim: { dataDebitId: string } }).claim;
    const providerPage = await context.newPage();
    await exchange.enter(providerPage, provider, '/offers/walks');
    await expect(providerPage.getByText('0 of 1 have confirmed.')).toBeVisible();
    const events = [debitEvent(104, exchange.server.clock.now(), 'Enable', dataDebitId)];
    await exchange.server.call('POST', '/stats/report', { token: await ada.token(), json: events });
    await providerPage.reload();
    await expect(providerPage.getByRole('row', { name: /claimer\.example\.org/u })).toContainText(dataDebitId);
    await expect(providerPage.getByText('1 claimed, 1 confirmed')).toBeVisible();
  },
);

thoroughTest(
  'says where the fingerprint of a key is shown if the browser cannot compute it',
  async ({ page, exchange }) => {
    const ada = await exchange.server.startFakePda();
    await ada.register();
    ada.key = newTestKey();
    await ada.register();
    // Browsers provide no `crypto.subtle` to pages over plain HTTP, except on localhost.
    await page.addInitScript(() => Object.defineProperty(crypto, 'subtle', { value: undefined }));
    await exchange.enter(page, exchange.root, '/pdas');
    await page.getByRole('link', { name: ada.address }).click();
    await expect(page.getByText('Shown only over HTTPS or on localhost').first()).toBeVisible();
    await page.getByRole('button', { name: 'Approve the other key' }).click();
    await expect(page.getByRole('dialog', { name: /\?$/u })).toContainText(
      'shows the fingerprints of keys only over HTTPS',
    );
  },
);

thoroughTest('approves a different key of a PDA, and removes a PDA', async ({ page, exchange }) => {
  const { root } = exchange;
  await exchange.server.insertRegisteredPda('ben.example.org');
  const ada = await exchange.server.startFakePda();
  await ada.register();
  ada.key = newTestKey();
  expect((await ada.register()).status).toBe(403);
  await exchange.enter(page, root, '/pdas');
  const pdaLink = page.getByRole('link', { name: ada.address });
  await expect(pdaLink).toContainText('A different key is pending');
  await pdaLink.click();
  await page.getByRole('button', { name: 'Approve the other key' }).click();
  const reloadRequest = Promise.withResolvers<void>();
  const reloadGate = Promise.withResolvers<void>();
  await page.route('**/api/pdas?*', async (route) => {
    reloadRequest.resolve();
    await reloadGate.promise;
    await route.continue();
  });
  await pressInDialog(page, 'Approve the other key');
  // The page reloads its data before it reports success.
  await reloadRequest.promise;
  await expect(notice(page, 'The other key was approved')).toHaveCount(0, { timeout: 1 });
  reloadGate.resolve();
  await expect(notice(page, 'The other key was approved')).toBeVisible();
  await expect(page.getByRole('dialog', { name: /\?$/u })).toHaveCount(0);
  expect((await ada.register()).status).toBe(200);
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);

  await page.getByRole('searchbox').fill('https://BEN.example.org/');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('link', { name: ada.address })).toHaveCount(0);
  await page.getByRole('link', { name: 'ben.example.org' }).click();
  await page.getByRole('button', { name: 'Remove this PDA' }).click();
  await pressInDialog(page, 'Remove this PDA');
  await expect(page.getByText('No PDA is registered at ben.example.org.')).toBeVisible();
});

test('creates an account for a Data Plug, registers the plug, and connects it with that account', async ({
  page,
  context,
  exchange,
}) => {
  const { root } = exchange;
  await exchange.enter(page, root, '/accounts');
  await page.getByRole('button', { name: 'Create an account' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Name').fill('sensors');
  await form.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await form.getByRole('checkbox', { name: 'Data Plug' }).check();
  await form.getByRole('button', { name: 'Create the account' }).click();
  await expect(notice(page, 'sensors can sign in')).toBeVisible();

  await page.getByRole('link', { name: 'Data Plugs' }).click();
  await expect(page.getByText('Register a Data Plug for an account with the role Data Plug.')).toBeVisible();
  await page.getByRole('button', { name: 'Register a Data Plug' }).click();
  await form.getByLabel('Name', { exact: true }).fill(' Fitbit ');
  await form.getByLabel('Description').fill('Brings steps and sleep');
  await form.getByLabel('Address', { exact: true }).fill('https://fitbit.example.org');
  await form.getByLabel('Address of its picture').fill('https://fitbit.example.org/logo.png');
  await form.getByLabel('Account').selectOption('sensors');
  await form.getByLabel('Hash of its password').fill('not a hash');
  await form.getByRole('button', { name: 'Register' }).click();
  await expect(form.getByRole('alert')).toContainText('an argon2id or bcrypt hash');
  await form
    .getByLabel('Hash of its password')
    .fill(' $argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21l$RdescudvJCsgt3ub+b2ZQeOTxUnMTTmyL0b3o2ZQeOQ ');
  await form.getByRole('button', { name: 'Register' }).click();
  await expect(notice(page, 'Fitbit is registered')).toBeVisible();
  await page.getByRole('link', { name: /Fitbit/u }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await pressInDialog(page, 'Approve');
  await expect(page.getByText('It is not connected.')).toBeVisible();
  expect(await readPublishedIds(exchange)).toContain('fitbit');

  const plugPage = await context.newPage();
  await exchange.open(plugPage, '/plugs');
  await signIn(plugPage, 'sensors', PASSWORD);
  await plugPage.getByRole('link', { name: /Fitbit/u }).click();
  await plugPage.getByRole('button', { name: 'Connect' }).click();
  await pressInDialog(plugPage, 'Connect');
  await expect(notice(plugPage, 'Fitbit is connected')).toBeVisible();
});

thoroughTest('changes the roles and the password of an account, and disables it', async ({ page, exchange }) => {
  const { root } = exchange;
  const otherAccount = await exchange.createAccount(['developer'], 'northwind');
  const readAccount = async () =>
    (await exchange.server.call('GET', '/api/accounts/self', { token: otherAccount.token })).json as {
      roles?: string[];
    };
  await exchange.enter(page, root, '/accounts');
  await page.getByRole('link', { name: /northwind/u }).click();
  const drawer = page.getByRole('dialog', { name: 'northwind' });
  await drawer.getByRole('checkbox', { name: 'Management' }).check();
  await drawer.getByRole('button', { name: 'Change the roles' }).click();
  await expect(notice(page, 'The roles of northwind were changed')).toBeVisible();
  expect((await readAccount()).roles?.toSorted()).toEqual(['developer', 'management']);
  await drawer.getByLabel('New password').fill('short');
  await drawer.getByRole('button', { name: 'Set this password' }).click();
  await expect(drawer.getByText('At least 12 characters.')).toBeVisible();
  await drawer.getByLabel('New password').fill('another horse battery staple');
  await drawer.getByRole('button', { name: 'Set this password' }).click();
  await expect(notice(page, 'northwind has a new password')).toBeVisible();
  expect((await readAccount()).roles).toBeUndefined();
  await drawer.getByRole('button', { name: 'Disable this account' }).click();
  await pressInDialog(page, 'Disable this account');
  await expect(drawer.getByRole('button', { name: 'Enable this account' })).toBeVisible();
});

thoroughTest(
  'shows values per day as charts and tables, and lets an administrator describe data',
  async ({ page, exchange }) => {
    const now = exchange.server.clock.now();
    const ada = await exchange.server.insertRegisteredPda('counted.example.org');
    const events = [
      inboundEvent(101, now, [statsOf('fitness/steps', { count: 1200 })]),
      outboundEvent(102, now, [statsOf('fitness/steps', { count: 34 })]),
    ];
    await exchange.server.call('POST', '/stats/report', { token: await ada.token(), json: events });
    await exchange.enter(page, exchange.root);
    await expect(
      page.getByRole('img', { name: 'Values written: 1\u202F200\u00A0values in 1\u00A0event' }),
    ).toBeVisible();
    await page.getByRole('button', { name: 'Values written: show as table' }).click();
    const today = page.getByRole('group', { name: 'Values written' }).getByRole('row').nth(1);
    await expect(today.getByRole('cell').first()).toHaveText(/^\d[\d\u202F]+$/u);

    await waitForNamespace(exchange, 'fitness');
    await exchange.open(page, '/data');
    await page.getByRole('button', { name: /^steps/u }).click();
    await page.getByRole('button', { name: 'Describe fitness/steps count' }).click();
    await page.getByLabel('Description').fill('How many steps that day');
    await page.getByRole('button', { name: 'Save description' }).click();
    await expect(page.getByRole('row', { name: /count/u })).toContainText('How many steps that day');
    const [available] = (await exchange.call('GET', '/stats/available-data', undefined)) as object[];
    expect(JSON.stringify(available)).toContain('How many steps that day');
  },
);

test('axe reports no violations, and no page is wider than a phone', async ({ page, exchange }) => {
  const { root } = exchange;
  const developer = await exchange.createAccount(['developer', 'dataPlug', 'marketPlace'], 'contributor');
  await exchange.open(page, '/');
  await expect(heading(page, 'Sign in to the exchange')).toBeVisible();
  await expectAccessible(page, 'sign-in');
  const checkPage = async (address: string, headingName: string | RegExp, selector?: string) => {
    await exchange.open(page, address);
    await expect(page.getByRole('heading', { name: headingName }).first()).toBeVisible();
    await expectAccessible(page, address, selector);
    await page.setViewportSize({ width: 390, height: 844 });
    const width = () => page.evaluate(() => document.documentElement.scrollWidth);
    await expect.poll(width, `${address} on a phone`).toBeLessThanOrEqual(390);
  };
  await exchange.enter(page, root);

  const ada = await exchange.server.insertRegisteredPda(`${'a-very-long-name-'.repeat(3)}of-a-pda.people.example.org`);
  const events = [inboundEvent(103, exchange.server.clock.now(), [statsOf('fitness/steps', { count: 1200 })])];
  await exchange.server.call('POST', '/stats/report', { token: await ada.token(), json: events });
  const roles = ['namespaceread', 'namespacewrite', 'managefiles', 'datadebit', 'unknown'];
  await exchange.submitApplication(developer, 'cyclist', {
    name: 'Cyclist',
    fields: { permissions: { rolesGranted: roles.map((role) => ({ role, detail: 'things' })) } },
  });
  await exchange.createOffer(developer, 'rides');
  await exchange.createPlug(root, 'Garmin', developer);
  await page.reload();
  await checkPage('/', /need your attention$/u);
  await checkPage('/applications', 'Waiting for a decision');
  await checkPage('/applications/cyclist', 'Cyclist');
  await checkPage('/offers', 'Waiting for a decision');
  await checkPage('/offers/rides', 'How far a town walks');
  await checkPage('/plugs', 'Not approved');
  await page.getByRole('button', { name: 'Register a Data Plug' }).click();
  await expectAccessible(page, 'register a plug', DIALOG);
  await checkPage('/pdas', 'PDAs');
  await checkPage(`/pdas?open=${ada.address}`, ada.address, DIALOG);
  await waitForNamespace(exchange, 'fitness');
  await checkPage('/data?find=steps', 'Available data');
  await checkPage('/accounts', 'Accounts');
  await checkPage(`/accounts?open=${developer.userId}`, 'contributor', DIALOG);
  await checkPage('/audit', 'Audit log');
});
