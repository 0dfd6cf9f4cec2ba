import type { Page } from '@playwright/test';
import { anOffer } from '../../server/pda/network/exchange/fake-exchange.test-support.ts';
import {
  DIALOG,
  contractApplication,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  joinExchange,
  notice,
  offerOf,
  openToNetwork,
  test,
} from './network.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;
const DAY_MS = 86_400_000;
const steps = [
  { date: '2026-03-01', count: 4211, place: 'Leeds' },
  { date: '2026-03-02', count: 8044, place: 'York' },
];

const offerTimes = () => ({
  created: Date.now() - DAY_MS,
  starts: Date.now() - DAY_MS,
  expires: Date.now() + 30 * DAY_MS,
});
const regionOf = (page: Page, group: string) => page.getByRole('region', { name: group, exact: true });

/** Focuses a control and presses Enter. */
async function pressEnter(page: Page, role: 'link' | 'button', name: string): Promise<void> {
  await page.getByRole(role, { name }).focus();
  await page.keyboard.press('Enter');
}

thoroughTest(
  'an Offer of a real exchange is claimed by keyboard, and shares nothing before its request is allowed',
  async ({ page, pda, exchange }) => {
    await exchange.addOffer(offerOf('walks'));
    await joinExchange(pda, exchange.url);
    await pda.store('fitness/steps', steps);
    await pda.enter(page, '/requests/offers');
    const offerLink = page.getByRole('link', { name: 'How far do people walk?' });
    await expect(offerLink).toContainText(/Would get 2.fields of Steps, for 14.days; you have 2.records that match/);
    await expectAccessible(page, 'offers');
    await pressEnter(page, 'link', 'How far do people walk?');
    await expect(page.getByText('Taking part shares nothing yet')).toBeVisible();
    await expect(page.getByText(/^2.records would be shared now$/)).toBeVisible();
    await expect(page.getByText('8\u202F044', { exact: true })).toBeVisible();
    await expectAccessible(page, 'an offer');
    await expectAccessibleInExtraVariants(page, 'an offer');

    await pressEnter(page, 'button', 'Take part');
    await expect(page).toHaveURL(/#\/requests\/offer-walks-/);
    await expect(notice(page, 'You are taking part in “How far do people walk?”')).toBeVisible();
    await expect(page.getByText('sent for Acme, whose Offer you claimed')).toBeVisible();
    expect(await pda.fetchText('GET', '/api/v2.6/owner/offers')).toContain('"state":"waiting"');

    await page.goto(`${pda.url}/#/requests/offers/walks`);
    await pressEnter(page, 'link', 'Review and decide');
    await page
      .getByRole('region', { name: 'Your decision' })
      .getByRole('button', { name: /^Allow/ })
      .press('Space');
    await expect(notice(page, 'can see what you allowed')).toBeVisible();
    await page.goto(`${pda.url}/#/requests/offers`);
    await expect(regionOf(page, 'Taking part').getByRole('link')).toContainText(/Gets 2.fields of Steps/);
    await expect(regionOf(page, 'Taking part').getByRole('link')).toContainText('then it ends');

    // The settings page reads the exchange's data only once, so the claim must be confirmed before the page opens.
    await expect
      .poll(() => pda.call('GET', '/api/v2.6/owner/network/known'))
      .toMatchObject({ known: { claims: [{ confirmed: true }] } });
    await page.goto(`${pda.url}/#/settings/network`);
    const exchangeDataRegion = regionOf(page, 'What the exchange knows about this PDA');
    await expect(exchangeDataRegion.getByText('allowed by you')).toBeVisible({ timeout: 60_000 });
    await expectAccessible(page, 'the network settings of a registered PDA');
  },
);

test('shows waiting, declined and closed Offers, and a list that is out of date', async ({
  page,
  pda,
  fakeExchange,
}) => {
  const sharedFields = { ...offerTimes(), requiredMinUser: 20, requiredMaxUser: 500 };
  fakeExchange.offers = [
    anOffer({ ...sharedFields, offerId: 'sleep', title: 'How do you sleep?' }),
    anOffer({ ...sharedFields, offerId: 'food', title: 'What do you eat?' }),
    anOffer({ ...sharedFields, offerId: 'late', title: 'Last winter', expires: Date.now() - DAY_MS }),
    anOffer({ ...sharedFields, offerId: 'full', title: 'Everybody is here', status: 'oversubscribed' }),
  ];
  await joinExchange(pda, fakeExchange.url);
  const claim = async (id: string): Promise<string> => {
    const { dataDebitKey } = (await pda.call('POST', `/api/v2.6/owner/offers/${id}/claim`)) as { dataDebitKey: string };
    return dataDebitKey;
  };
  await claim('sleep');
  await pda.call('POST', `/api/v2.6/data-debit/${await claim('food')}/reject`);
  await pda.enter(page, '/requests/offers');
  await expect(regionOf(page, 'Waiting for your decision').getByRole('link')).toContainText('How do you sleep?');
  await expect(regionOf(page, 'Not open').getByRole('link', { name: 'What do you eat?' })).toContainText(
    'You declined it',
  );
  await expect(regionOf(page, 'Not open').getByRole('link', { name: 'Last winter' })).toContainText(
    'It was open until',
  );
  await expectAccessible(page, 'offers in every state');
  await page.getByRole('link', { name: 'Everybody is here' }).click();
  await expect(page.getByText('It has reached its maximum number of participants.')).toBeVisible();
  await expect(page.getByText(/20 to 500.people\. Until 20.people have allowed it/)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Take part' })).toHaveCount(0);
  await expectAccessible(page, 'an offer that is closed');

  // The exchange stops responding. The page shows the last data and its time.
  await page.route('**/api/v2.6/owner/offers', async (route) => {
    const response = await route.fetch();
    const list = (await response.json()) as object;
    await route.fulfill({ json: { ...list, problem: 'It did not answer within 10 seconds.' } });
  });
  await page.goto(`${pda.url}/#/requests/offers`);
  await page.reload();
  await expect(page.getByText(`${fakeExchange.host} is not available at the moment`)).toBeVisible();
  await expect(
    page.getByText(/It did not answer within 10 seconds\.\s+Last updated (?:just now|\d+\sminutes? ago)\./),
  ).toBeVisible();
  await expectAccessible(page, 'outdated offers');
});

thoroughTest('explains Offers and contracts to an owner without an exchange', async ({ page, pda }) => {
  await pda.enter(page, '/requests/offers');
  await expect(page.getByRole('heading', { name: 'No exchange' })).toBeVisible();
  await expectAccessible(page, 'no exchange');
  await page.goto(`${pda.url}/#/sharing/contracts`);
  await expect(page.getByRole('heading', { name: 'No contracts' })).toBeVisible();
  await expectAccessible(page, 'no contracts');
  await page.goto(`${pda.url}/#/requests/offers/nothing`);
  await expect(page.getByRole('heading', { name: 'Offer not found' })).toBeVisible();
  await page.getByRole('link', { name: 'All Offers' }).click();
  await page.getByRole('link', { name: 'Choose an exchange' }).click();
  await expect(page.getByText('Your PDA has no public address')).toBeVisible();
  await expectAccessible(page, 'no network');
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search your data, pages and actions').fill('contracts');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/sharing\/contracts$/);
});

thoroughTest(
  'registers with an exchange, shows the data it stores, stops the reports, and leaves it',
  async ({ page, pda, fakeExchange }) => {
    await openToNetwork(pda);
    await pda.enter(page, '/settings/network');
    const exchangeRegion = regionOf(page, 'Exchange');
    await exchangeRegion.getByLabel('Address of the exchange').fill('http://exchange.example.org');
    await exchangeRegion.getByRole('button', { name: 'Register with this exchange' }).click();
    await expect(exchangeRegion.getByRole('alert')).toContainText('is not https, so others could read the traffic');
    await expectAccessible(page, 'an address that is refused');
    await exchangeRegion.getByLabel('Address of the exchange').fill(fakeExchange.url);
    await page.keyboard.press('Enter');
    await expect(notice(page, `Your PDA is registered with ${fakeExchange.host}`)).toBeVisible();
    await expect(exchangeRegion.getByText('Registered', { exact: true })).toBeVisible();
    const exchangeDataRegion = regionOf(page, 'What the exchange knows about this PDA');
    await expect(exchangeDataRegion.getByText(new URL(pda.url).port)).toBeVisible();
    await expect(exchangeDataRegion.getByText('BEGIN PUBLIC KEY')).toBeVisible();
    await exchangeDataRegion.getByText('JSON', { exact: true }).click();
    await expect(exchangeDataRegion.getByText('"claims"')).toBeVisible();
    await expectAccessible(page, 'what the exchange knows, raw');

    await page.getByRole('switch', { name: 'Report to the exchange' }).press('Space');
    await expect(notice(page, 'Your PDA no longer counts anything')).toBeVisible();
    expect(await pda.fetchText('GET', '/api/v2.6/owner/network')).toContain('"on":false');

    await pressEnter(page, 'button', 'Leave');
    await expectAccessible(page, 'leaving an exchange', DIALOG);
    await pressEnter(page, 'button', 'Leave exchange');
    await expect(notice(page, `You left ${fakeExchange.host}`)).toBeVisible();
    await expect(exchangeRegion.getByText('Not registered', { exact: true })).toBeVisible();
    expect(fakeExchange.pdas.size).toBe(0);
  },
);

thoroughTest('shows a failed registration on Home with the reason', async ({ page, pda, fakeExchange }) => {
  fakeExchange.overrides.set('POST /api/users/registerPda', (_, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ cause: 'That address is registered with another key.' }));
  });
  await openToNetwork(pda);
  await pda.call('PUT', '/api/v2.6/owner/network', { exchange: fakeExchange.url });
  await pda.enter(page);
  await page
    .getByRole('link', { name: `View: Your PDA is not registered with the exchange ${fakeExchange.host}` })
    .click();
  const exchangeRegion = regionOf(page, 'Exchange');
  await expect(exchangeRegion.getByText('Not registered: the last attempt failed')).toBeVisible();
  await expect(
    exchangeRegion.getByText('The exchange answered 403: That address is registered with another key.'),
  ).toBeVisible();
  await expectAccessible(page, 'a registration that failed');
  fakeExchange.overrides.clear();
  await exchangeRegion.getByRole('button', { name: 'Retry now' }).click();
  await expect(notice(page, `Your PDA is registered with ${fakeExchange.host}`)).toBeVisible();
});

thoroughTest('joins a contract at a real service and leaves it by keyboard', async ({ page, pda, contracts }) => {
  await contracts.addContract('leeds-study', 'Leeds study');
  const applications = [
    contractApplication('leeds-study', 'Leeds study'),
    contractApplication('no-study', 'A missing study'),
  ];
  await openToNetwork(pda, { applications, contracts: { url: contracts.url } });
  for (const { id } of applications) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
  await pda.enter(page, '/sharing/contracts');
  const study = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Leeds study' }) });
  const missingStudy = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: 'A missing study' }) });
  await expect(study.getByText('Joined', { exact: true })).toBeVisible();
  await expect(study).toContainText('Reads everything in fitness, including future records');
  await expect(study).toContainText('Stores and changes records in study');
  await expect(study).toContainText('by University of Leeds');
  await expect(missingStudy.getByText('Not joined', { exact: true })).toBeVisible();
  await expect(missingStudy).toContainText('The contracts service refused your PDA.');
  await expectAccessible(page, 'contracts');

  await pressEnter(page, 'button', 'Leave Leeds study');
  await expect(page.getByRole('dialog')).toContainText('What it stored here stays and is yours.');
  await expectAccessible(page, 'leaving a contract', DIALOG);
  await pressEnter(page, 'button', 'Leave contract');
  await expect(notice(page, 'You left Leeds study')).toBeVisible();
  await expect(study).toHaveCount(0);
  expect(await pda.call('GET', '/api/v2.6/applications/leeds-study')).toMatchObject({ enabled: false });

  // Home shows the contract that could not be joined.
  await page.goto(`${pda.url}/#/`);
  await expect(page.getByText('A missing study could not be joined')).toBeVisible();
  await page.goto(`${pda.url}/#/settings/network`);
  await expect(regionOf(page, 'Contracts service')).toContainText('Set in config.json');
});
