import type { Page } from '@playwright/test';
import { Acme, DAY_S, acmeConfig, requestedBundle, storeSampleRecords, twoFieldsBundle } from './consent.ts';
import {
  DIALOG,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  notice,
  test,
  thoroughTest,
} from './pda.ts';

test.use({ config: acmeConfig });

async function requestAccess(pda: Pda, overrides: Record<string, unknown> = {}): Promise<Acme> {
  await storeSampleRecords(pda);
  const acme = await Acme.signIn(pda);
  await acme.request('acme/days', overrides);
  return acme;
}

const allowButton = (page: Page) =>
  page.getByRole('region', { name: 'Your decision' }).getByRole('button', { name: /^Allow/ });
const previewRegion = (page: Page) => page.getByRole('region', { name: 'Preview of the shared data' });
/** Clicks the track of the switch, because the input itself has no size. */
const toggle = (page: Page, name: string) => page.locator(`input[role=switch][aria-label="${name}"] + *`).click();

test('a request is opened from Home, reviewed and allowed, and exactly the allowed data is readable', async ({
  page,
  pda,
}) => {
  const acme = await requestAccess(pda);
  expect((await acme.readValues('acme/days')).status).toBe(400);
  await pda.enter(page);
  await expect(page.getByRole('heading', { name: 'One thing needs your attention' })).toBeVisible();
  await page.getByRole('link', { name: 'Review and decide: Acme Health is waiting for your decision' }).click();

  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Acme Health asks for entire records of Sleep, and 3 fields of Activity',
  );
  await expect(page.getByText('sent by the application acme, signed in here')).toBeVisible();
  const siteLink = page.getByRole('link', { name: /acme\.example \(opens/ }).first();
  await expect(siteLink).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(page.getByText('Only where Steps is between 5\u202F000 and 100\u202F000, exclusive.')).toBeVisible();
  await expect(page.getByText('Every field (3 now), including fields added later.')).toBeVisible();
  await expect(
    page.getByText(/^Entire records of Sleep: every field, including fields added later; 3.fields/),
  ).toBeVisible();
  // The preview shows the actual records: the two of three that match.
  await expect(previewRegion(page).getByText('12\u202F000', { exact: true })).toBeVisible();
  await expect(previewRegion(page).getByText('4\u202F000', { exact: true })).toHaveCount(0);
  await expect(
    previewRegion(page)
      .getByText(/^2.records would be shared now$/)
      .first(),
  ).toBeVisible();
  // The page names the data that stays private.
  await expect(page.getByText('Maximum pulse, Device')).toBeVisible();
  await expect(page.getByRole('link', { name: 'diary/pages' })).toBeVisible();

  await expect(allowButton(page)).toHaveText(/^Allow entire records of Sleep, and 3.fields until/);
  await allowButton(page).click();
  await expect(page).toHaveURL(/#\/sharing\/acme\/days$/);
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  expect(await acme.readData('acme/days')).toEqual({
    days: [
      { day: '2026-01-02', steps: 9000, resting: 59 },
      { day: '2026-01-03', steps: 12_000, resting: 60 },
    ],
    nights: [
      { night: '2026-01-01', minutes: 430, notes: 'private' },
      { night: '2026-01-02', minutes: 400, notes: 'private too' },
    ],
  });
});

thoroughTest('previews exactly the values that are shared', async ({ page, pda }) => {
  const acme = await requestAccess(pda);
  await pda.enter(page, '/requests/acme/days?as=json');
  await expect(previewRegion(page).getByText('"private"')).toBeVisible();
  const previewTexts = await previewRegion(page).locator('pre').allTextContents();
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  const { body } = await acme.readValues('acme/days');
  const { bundle } = body as { bundle: Record<string, unknown[]> };
  expect(previewTexts.map((text) => JSON.parse(text) as unknown)).toEqual(Object.values(bundle).flat());
});

thoroughTest('the switches exclude fields from the preview and from the shared data', async ({ page, pda }) => {
  const acme = await requestAccess(pda);
  await pda.enter(page, '/requests/acme/days');
  await expect(page.getByText('6 of 6')).toBeVisible();
  await toggle(page, 'Resting pulse of Activity');
  await expect(previewRegion(page).getByText('resting', { exact: true })).toHaveCount(0);
  await toggle(page, 'Notes of Sleep');
  await expect(previewRegion(page).getByText('private')).toHaveCount(0);
  await expect(page.getByRole('switch', { name: 'Future fields of Sleep' })).not.toBeChecked();
  await expect(
    page.getByText('Only the 2\u00A0fields that are turned on. Fields added later stay private.'),
  ).toBeVisible();
  await expect(page.getByText('Resting pulse of Activity, Notes of Sleep')).toBeVisible();
  await expect(allowButton(page)).toHaveText(/^Allow 4.fields until/);
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  expect(await acme.readData('acme/days')).toEqual({
    days: [
      { day: '2026-01-02', steps: 9000 },
      { day: '2026-01-03', steps: 12_000 },
    ],
    nights: [
      { night: '2026-01-01', minutes: 430 },
      { night: '2026-01-02', minutes: 400 },
    ],
  });
  // A field that appears later stays private.
  await pda.store('fitness/sleep', { night: '2026-01-03', minutes: 1, dreams: 'of the sea' });
  expect((await acme.readData('acme/days'))['nights']).toContainEqual({ night: '2026-01-03', minutes: 1 });
  await expect(page.getByText('You allowed less than requested. Not allowed:')).toBeVisible();
});

thoroughTest('uses the owner’s names for endpoints and fields, beside their paths', async ({ page, pda }) => {
  await requestAccess(pda);
  await pda.call('PUT', '/api/v2.6/owner/fields?endpoint=fitness%2Factivity', {
    name: 'My days',
    fields: [{ path: 'pulse.resting', name: 'Morning pulse' }],
  });
  await pda.enter(page, '/requests/acme/days');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/3.fields of My days$/);
  await expect(page.getByRole('switch', { name: 'Morning pulse of My days' })).toBeChecked();
  await expect(page.getByText('fitness/activity', { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^pulse\.resting · /)).toBeVisible();
  await expect(previewRegion(page).getByText('Morning pulse').first()).toBeVisible();
});

thoroughTest('an entry can be left out entirely, and an empty selection cannot be allowed', async ({ page, pda }) => {
  const acme = await requestAccess(pda);
  await pda.enter(page, '/requests/acme/days');
  await toggle(page, 'All of Sleep');
  await expect(previewRegion(page).getByText('You left this out.')).toBeVisible();
  await toggle(page, 'All of Activity');
  await expect(allowButton(page)).toBeDisabled();
  await expect(page.getByText('Nothing is left to allow')).toBeVisible();
  await expect(previewRegion(page).getByText('Nothing. You left out everything.')).toBeVisible();
  await toggle(page, 'Steps of Activity');
  await expect(allowButton(page)).toHaveText(/^Allow 1.field until/);
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  expect(await acme.readData('acme/days')).toEqual({ days: [{ steps: 9000 }, { steps: 12_000 }] });
});

test('Space activates the Allow button, and Enter does not', async ({ page, pda }) => {
  const acme = await requestAccess(pda);
  await pda.enter(page, '/requests');
  await page.getByRole('link', { name: /Acme Health/ }).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Acme Health asks for');
  // Enter has no effect on the page or on a switch.
  await page.keyboard.press('Enter');
  await page.getByRole('switch', { name: 'Notes of Sleep' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Space');
  await expect(page.getByRole('switch', { name: 'Notes of Sleep' })).not.toBeChecked();
  for (
    let presses = 0;
    presses < 40 && !(await allowButton(page).evaluate((button) => button === document.activeElement));
  ) {
    await page.keyboard.press('Tab');
    presses += 1;
  }
  await expect(allowButton(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter does not confirm this decision. Press Space, or click.')).toBeVisible();
  expect((await acme.readValues('acme/days')).status).toBe(400);
  await page.keyboard.press('Space');
  await expect(page).toHaveURL(/#\/sharing\/acme\/days$/);
  expect((await acme.readData('acme/days'))['nights']?.[0]).toEqual({ night: '2026-01-01', minutes: 430 });
});

thoroughTest(
  '"Not now" leaves the request pending, and "Decline" declines it after a confirmation',
  async ({ page, pda }) => {
    const acme = await requestAccess(pda);
    await pda.enter(page, '/requests/acme/days');
    await page.getByRole('button', { name: 'Not now' }).click();
    await expect(page.getByText('One request is waiting for your decision.')).toBeVisible();
    await page.getByRole('link', { name: /Acme Health/ }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('button', { name: 'Go back' }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('button', { name: 'Decline request' }).click();
    await expect(notice(page, 'Request from Acme Health declined')).toBeVisible();
    await expect(
      page.getByRole('table', { name: 'Decided requests' }).getByRole('row', { name: /Acme Health/ }),
    ).toContainText('Declined');
    expect((await acme.readValues('acme/days')).status).toBe(400);
    await page.goto(`${pda.url}/#/requests/acme/days`);
    await expect(page.getByRole('heading', { name: /^Acme Health asked for/ })).toBeVisible();
  },
);

thoroughTest('the owner can shorten the period, and the permission ends instead of renewing', async ({ page, pda }) => {
  await requestAccess(pda, { cancelAtPeriodEnd: false });
  await pda.enter(page, '/requests/acme/days');
  await expect(page.getByText(/Then it renews every 30.days until you stop sharing\./)).toBeVisible();
  await expect(allowButton(page)).toHaveText(/until you stop sharing$/);
  await page.getByLabel('For how long').selectOption(String(7 * DAY_S));
  await expect(page.getByText(/Then it ends automatically\./)).toBeVisible();
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  const { debit } = (await pda.call('GET', '/api/v2.6/owner/debits/acme/days')) as {
    debit: { permissionsActive: { period: number; cancelAtPeriodEnd: boolean; end: string; start: string } };
  };
  const { period, cancelAtPeriodEnd, end, start } = debit.permissionsActive;
  expect({ period, cancelAtPeriodEnd }).toEqual({ period: 7 * DAY_S, cancelAtPeriodEnd: true });
  expect(Date.parse(end) - Date.parse(start)).toBe(7 * DAY_S * 1000);
});

thoroughTest('the owner can choose the last day', async ({ page, pda }) => {
  await requestAccess(pda);
  await pda.enter(page, '/requests/acme/days');
  await page.getByLabel('For how long').selectOption('Until a day I choose');
  const day = new Date(Date.now() + 3 * DAY_S * 1000).toLocaleDateString('sv');
  await page.getByLabel('Last day').fill(day);
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  const { debit } = (await pda.call('GET', '/api/v2.6/owner/debits/acme/days')) as {
    debit: { permissionsActive: { end: string } };
  };
  const lastMoment = new Date(Date.parse(debit.permissionsActive.end) - 1000);
  expect(lastMoment.toLocaleDateString('sv')).toBe(day);
});

thoroughTest(
  'a requested change is shown as a list of differences, and the old permission stays until the decision',
  async ({ page, pda }) => {
    const acme = await requestAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
    await pda.enter(page, '/requests/acme/days');
    await allowButton(page).click();
    // The notification disappears after ten seconds, and would cover the next one until then.
    await notice(page, 'Acme Health can see what you allowed').getByRole('button', { name: 'Close' }).click();
    await acme.requestChange('acme/days', { bundle: { name: 'acme-2', bundle: requestedBundle }, period: 60 * DAY_S });
    await expect(page.getByText('A requested change is waiting for your decision.')).toBeVisible();
    await page.goto(`${pda.url}/#/requests`);
    await expect(page.getByText(/Asks for 4.changes to its current permission/)).toBeVisible();
    await page.getByRole('link', { name: /Acme Health/ }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Acme Health asks to change what it can see');
    const changes = page.getByRole('region', { name: 'What would change' }).getByRole('listitem');
    await expect(changes).toHaveText([
      /^More.*Resting pulse of Activity \(fitness\/activity\)\.$/,
      /^More.*Entire records of Sleep \(fitness\/sleep\): every field, including fields added later\.$/,
      /^Other.*Only where Steps is between/,
      /^More.*A period is 60.days long\. Before: 30.days\.$/,
    ]);
    expect(Object.keys(await acme.readData('acme/days'))).toEqual(['days']);
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByRole('button', { name: 'Decline change' }).click();
    await expect(notice(page, 'Your current permission continues unchanged.')).toBeVisible();
    expect(Object.keys(await acme.readData('acme/days'))).toEqual(['days']);
  },
);

thoroughTest('a new request appears without a reload', async ({ page, pda }) => {
  await storeSampleRecords(pda);
  const acme = await Acme.signIn(pda);
  await pda.enter(page, '/requests');
  await expect(page.getByRole('heading', { name: 'No requests' })).toBeVisible();
  await acme.request('acme/days');
  await expect(page.getByRole('link', { name: /Acme Health/ })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Requests 1 waiting' })).toBeVisible();
  // The search finds the request by its requester and its key.
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search your data, pages and actions' });
  await palette.getByPlaceholder('Search your data, pages and actions').fill('acme days');
  await palette.getByRole('button', { name: /Acme Health.*acme\/days/ }).click();
  await expect(page).toHaveURL(/#\/requests\/acme\/days$/);
});

thoroughTest('a request that arrives before the event stream is open is not missed', async ({ page, pda }) => {
  await storeSampleRecords(pda);
  const acme = await Acme.signIn(pda);
  const { promise: eventsAllowed, resolve: allowEvents } = Promise.withResolvers<void>();
  await page.route('**/owner/events', async (route) => {
    await eventsAllowed;
    await route.continue();
  });
  await pda.enter(page, '/requests');
  await expect(page.getByRole('heading', { name: 'No requests' })).toBeVisible();
  await acme.request('acme/days');
  allowEvents();
  await expect(page.getByRole('link', { name: /Acme Health/ })).toBeVisible();
});

test('reloads a request that changes during the review and never allows the previous version', async ({
  page,
  pda,
}) => {
  const acme = await requestAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
  // The page gets no events, so that the owner decides before the page has noticed the new request.
  await page.route('**/api/v2.6/owner/events', (route) => route.abort());
  await pda.enter(page, '/requests/acme/days');
  await expect(allowButton(page)).toHaveText(/^Allow 2.fields/);
  await acme.requestChange('acme/days', { bundle: { name: 'acme-2', bundle: requestedBundle } });
  const grantResponse = page.waitForResponse((response) => response.url().endsWith('/owner/debits/acme/days/grant'));
  await allowButton(page).click();
  expect((await grantResponse).status()).toBe(409);
  const changedAlert = page.getByRole('alert').filter({ hasText: 'This request changed while you were reading' });
  await expect(changedAlert).toContainText('Nothing was allowed. The page now shows the new request.');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('entire records of Sleep');
  expect((await acme.readValues('acme/days')).status).toBe(400);
  await expect(allowButton(page)).toHaveText(/^Allow entire records of Sleep, and 3.fields/);
  await expect(allowButton(page)).toBeEnabled();
  await allowButton(page).click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
  expect((await acme.readData('acme/days'))['nights']).toHaveLength(2);
});

test.describe('the request page in German', () => {
  test.use({ locale: 'de-DE' });

  thoroughTest('reloads a request that changes during the review', async ({ page, pda }) => {
    const acme = await requestAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
    await page.route('**/api/v2.6/owner/events', (route) => route.abort());
    await pda.enter(page, '/requests/acme/days');
    const decision = page.getByRole('region', { name: 'Deine Entscheidung' });
    const germanAllowButton = decision.getByRole('button', { name: /erlauben/ });
    await expect(germanAllowButton).toHaveText(/^2.Felder erlauben/);
    await acme.requestChange('acme/days', { bundle: { name: 'acme-2', bundle: requestedBundle } });
    await germanAllowButton.click();
    const changedAlert = page.getByRole('alert').filter({ hasText: 'Diese Anfrage hat sich geändert' });
    await expect(changedAlert).toContainText('Nichts wurde erlaubt. Die Seite zeigt jetzt die neue Anfrage.');
    await expect(germanAllowButton).toHaveText(/Sleep/);
    expect((await acme.readValues('acme/days')).status).toBe(400);
  });
});

thoroughTest(
  'shows an error if a request cannot be loaded, even if an older state is cached',
  async ({ page, pda }) => {
    await requestAccess(pda);
    await pda.call('POST', '/api/v2.6/data-debit/acme/days/reject');
    await page.route('**/owner/events', (route) => route.abort());
    await pda.enter(page, '/sharing/acme/days');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.route('**/owner/debits/acme/days', (route) => route.fulfill({ status: 500, json: {} }));
    await page.evaluate(() => {
      location.hash = '/requests/acme/days';
    });
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page).toHaveURL(/#\/requests\/acme\/days$/);
  },
);

thoroughTest('the preview pages through all records that would be shared', async ({ page, pda }) => {
  await pda.store(
    'fitness/sleep',
    Array.from({ length: 120 }, (_, index) => ({ night: index, minutes: 400 })),
  );
  const acme = await Acme.signIn(pda);
  await acme.request('acme/days', {
    bundle: { name: 'acme-1', bundle: { nights: { endpoints: [{ endpoint: 'fitness/sleep' }], limit: 110 } } },
  });
  await pda.enter(page, '/requests/acme/days');
  await expect(page.getByText(/^110 of 120.matching records would be shared now$/)).toBeVisible();
  await page.getByRole('button', { name: 'See all 110' }).click();
  const allRecords = page.getByRole('dialog', { name: 'Nights: all shared records' });
  await expect(allRecords.getByText(/1–50 of 110/)).toBeVisible();
  await allRecords.getByRole('button', { name: 'Next records' }).click();
  await allRecords.getByRole('button', { name: 'Next records' }).click();
  await expect(allRecords.getByText(/101–110 of 110/)).toBeVisible();
  await expect(allRecords.getByText('109', { exact: true })).toBeVisible();
  await expect(allRecords.getByRole('button', { name: 'Next records' })).toBeDisabled();
  await expectAccessible(page, 'every record', DIALOG);
  await page.keyboard.press('Escape');
  await expect(allRecords).toBeHidden();
  await expect(page).not.toHaveURL(/all=/);
});

thoroughTest('requesters cannot inject content into the page', async ({ page, pda }) => {
  const payload = '<img src=x onerror="window.hit=1">"\'{{7*7}}';
  const acme = await requestAccess(pda, {
    requestClientName: payload,
    purpose: `${payload} ${'long'.repeat(900)}`,
    requestDescription: '[click](javascript:alert(1))',
    requestClientUrl: 'https://user:pw@acme.example/<script>',
    bundle: {
      name: 'acme-1',
      bundle: { '<b>p</b>': { endpoints: [{ endpoint: 'fitness/sleep', mapping: { '<i>x</i>': 'minutes' } }] } },
    },
  });
  expect((await acme.readValues('acme/days')).status).toBe(400);
  const externalUrls: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(pda.url) && !request.url().startsWith('blob:')) externalUrls.push(request.url());
  });
  await pda.enter(page, '/requests/acme/days');
  await expect(allowButton(page)).toBeVisible();
  await page.goto(`${pda.url}/#/requests`);
  await expect(page.getByRole('link', { name: /onerror/ })).toBeVisible();
  expect(await page.evaluate(() => 'hit' in window)).toBe(false);
  expect(await page.locator('main img, main script').count()).toBe(0);
  expect(externalUrls).toEqual([]);
});

test.describe('request pages', () => {
  thoroughTest(
    'have no axe violations on the list, on Home, and on a request before and after it is narrowed',
    async ({ page, pda }) => {
      await pda.enter(page, '/requests');
      await expect(page.getByRole('heading', { name: 'No requests' })).toBeVisible();
      await expectAccessible(page, 'no requests');
      await requestAccess(pda, { cancelAtPeriodEnd: false });
      await page.goto(`${pda.url}/#/requests`);
      await expect(page.getByRole('link', { name: /Acme Health/ })).toBeVisible();
      await expectAccessible(page, 'a waiting request');
      await page.goto(`${pda.url}/#/`);
      await expect(page.getByText('Acme Health is waiting for your decision')).toBeVisible();
      await expectAccessible(page, 'home with a request');
      await page.goto(`${pda.url}/#/requests/acme/days`);
      await expect(previewRegion(page).getByText('12\u202F000', { exact: true })).toBeVisible();
      await expectAccessible(page, 'a request');
      await expectAccessibleInExtraVariants(page, 'a request');
      await toggle(page, 'Notes of Sleep');
      await toggle(page, 'All of Activity');
      await page.getByLabel('For how long').selectOption('Until a day I choose');
      await allowButton(page).press('Enter');
      await page.getByRole('button', { name: 'Show the proposal as JSON' }).click();
      await expect(previewRegion(page).getByText('You left this out.')).toBeVisible();
      await expectAccessible(page, 'a narrowed request');
      await expectAccessibleInExtraVariants(page, 'a narrowed request');
    },
  );

  thoroughTest('have no axe violations when a request is declined, changed or not found', async ({ page, pda }) => {
    const acme = await requestAccess(pda);
    await pda.enter(page, '/requests/acme/days');
    await page.getByRole('button', { name: 'Decline' }).click();
    await expect(page.getByRole('dialog', { name: 'Decline the request from Acme Health' })).toBeVisible();
    await expectAccessible(page, 'refusing', DIALOG);
    await page.keyboard.press('Escape');
    await allowButton(page).click();
    await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
    await acme.requestChange('acme/days', { bundle: { name: 'acme-2', bundle: twoFieldsBundle } });
    await page.goto(`${pda.url}/#/requests/acme/days`);
    await expect(page.getByRole('heading', { name: 'What would change' })).toBeVisible();
    await expectAccessible(page, 'a change');
    await page.goto(`${pda.url}/#/requests/no/where`);
    await expect(page.getByRole('heading', { name: 'Request not found' })).toBeVisible();
    await expectAccessible(page, 'no request');
  });
});

thoroughTest('notifications do not cover the decision bar', async ({ page, pda }) => {
  const acme = await requestAccess(pda);
  await acme.request('acme/nights');
  await pda.call('GET', '/api/v2.6/data-debit/acme/nights/enable');
  await page.route('**/acme/nights/disable?*', (route) => route.abort());
  await pda.enter(page, '/sharing');
  // A notification of a problem stays until it is closed.
  await page
    .getByRole('button', { name: /^Stop sharing/ })
    .first()
    .click();
  const notification = notice(page, 'The action failed');
  await expect(notification).toBeVisible();
  await page.evaluate(() => {
    location.hash = '/requests/acme/days';
  });
  const bar = page.getByRole('region', { name: 'Your decision' });
  await expect(allowButton(page)).toBeVisible();
  for (const [width, height] of [
    [1440, 900],
    [1440, 1600],
    [390, 844],
    [320, 568],
  ] as const) {
    await page.setViewportSize({ width, height });
    // The page grows while its preview loads, and the notification follows the bar.
    await expect(async () => {
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      await expect(bar).toBeInViewport({ timeout: 500 });
      const [notificationBox, barBox] = [await notification.boundingBox(), await bar.boundingBox()];
      expect(notificationBox?.y, `top of the notification at ${width} × ${height}`).toBeGreaterThanOrEqual(0);
      expect((notificationBox?.y ?? 0) + (notificationBox?.height ?? 0), `${width} × ${height}`).toBeLessThanOrEqual(
        barBox?.y ?? 0,
      );
    }).toPass({ timeout: 60_000 });
  }
});
