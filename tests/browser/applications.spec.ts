import type { Page } from '@playwright/test';
import { acme, acmeNext, callAs, hello, setUpApplication, steps, signInApplication } from './applications.ts';
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

test.use({ config: { applications: [acme, hello] } });
interface ApplicationState {
  setup: boolean;
  enabled: boolean;
}

const stateOf = async (pda: Pda): Promise<ApplicationState> =>
  (await pda.call('GET', '/api/v2.6/applications/acme')) as ApplicationState;

const allowButton = (page: Page) => page.getByRole('button', { name: 'Set up Acme Steps with these rights' });

async function storeSamples(pda: Pda): Promise<void> {
  await pda.store('fitness/steps', steps);
  await pda.store('health/pulse', [{ bpm: 62 }]);
  await pda.store('notes/ideas', { text: 'Plant the beans' });
}

test('shows all requested rights with the actual records before an application is set up', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, '/applications');
  const notConnectedSection = page.getByRole('region').or(page.locator('section')).filter({ hasText: 'Not connected' });
  await expect(notConnectedSection.getByRole('link', { name: 'Acme Steps' })).toContainText(
    'Reads fitness, writes acme',
  );
  await page.getByRole('link', { name: 'Acme Steps' }).click();
  await page.getByRole('link', { name: 'Set up Acme Steps' }).click();

  await expect(page.getByRole('heading', { name: 'Set up Acme Steps' })).toBeVisible();
  await expect(page.getByText('The Makers')).toBeVisible();
  await expect(page.getByText('To draw your week')).toBeVisible();
  await expect(page.getByText('Read everything in fitness, including future records')).toBeVisible();
  await expect(page.getByText('namespacewrite acme')).toBeVisible();
  await expect(page.getByText('1.0.0', { exact: true })).toBeVisible();
  await expect(page.getByText('3 records would be shared now')).toBeVisible();
  await expect(page.getByText('8 044').or(page.getByText('8044'))).toBeVisible();
  expect(await stateOf(pda)).toMatchObject({ setup: false });

  await allowButton(page).click();
  await expect(notice(page, 'Acme Steps is set up')).toBeVisible();
  await expect(page).toHaveURL(/#\/applications\/acme$/);
  await expect(page.getByRole('heading', { name: 'What it may do' })).toBeVisible();
  const token = await signInApplication(pda, 'acme');
  expect((await callAs(pda, token, '/api/v2.6/data/fitness/steps')).status).toBe(200);
  expect((await callAs(pda, token, '/api/v2.6/data/health/pulse')).status).toBe(403);
});

thoroughTest('the space bar approves an application, and Enter does not', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, '/applications/acme/setup');
  await allowButton(page).focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter does not confirm')).toBeVisible();
  expect(await stateOf(pda)).toMatchObject({ setup: false });
  await page.keyboard.press('Space');
  await expect(notice(page, 'Acme Steps is set up')).toBeVisible();
  expect(await stateOf(pda)).toMatchObject({ setup: true, enabled: true });
});

thoroughTest('does not share an excluded field', async ({ page, pda }) => {
  await storeSamples(pda);
  await pda.enter(page, '/applications/acme/setup');
  await expect(page.getByText('3 records would be shared now')).toBeVisible();
  await page.getByRole('switch', { name: 'Count of Steps' }).setChecked(false, { force: true });
  await allowButton(page).click();
  await expect(notice(page, 'Acme Steps is set up')).toBeVisible();
  const { body } = await callAs(pda, await signInApplication(pda, 'acme'), '/api/v2.6/data-debit/app-acme/values');
  expect(body).toMatchObject({ bundle: { steps: [{ data: { date: '2026-03-01' } }, {}, {}] } });
  expect(JSON.stringify(body)).not.toContain('4211');

  // The field stays excluded when the owner allows the additions of an update.
  await pda.configure({ applications: [acmeNext, hello] });
  await page.reload();
  await page.getByRole('link', { name: 'Review changes' }).click();
  await expect(page.getByText('Place of Steps (fitness/steps).')).toBeVisible();
  await page.getByRole('button', { name: 'Allow these 2 additions' }).click();
  await expect(notice(page, 'Acme Steps has been updated to version 1.1.0')).toBeVisible();
  const nextReply = await callAs(pda, await signInApplication(pda, 'acme'), '/api/v2.6/data-debit/app-acme/values');
  expect(JSON.stringify(nextReply.body)).toContain('York');
  expect(JSON.stringify(nextReply.body)).not.toContain('4211');
});

thoroughTest('asks only for what an update adds, and names what it no longer asks for', async ({ page, pda }) => {
  await storeSamples(pda);
  await setUpApplication(pda, 'acme');
  await pda.configure({ applications: [acmeNext, hello] });
  await pda.enter(page, '/');
  await expect(page.getByText('Acme Steps needs your approval')).toBeVisible();
  await page.goto(`${pda.url}/#/applications`);
  // The home page has links with the same name while it is displayed.
  await expect(page.getByRole('heading', { name: 'Applications', level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Acme Steps' })).toContainText('Needs your approval');
  await page.getByRole('link', { name: 'Acme Steps' }).click();
  await expect(page.getByText('Version 1.1.0 asks for more than you allowed')).toBeVisible();
  // Until the approval, the application keeps the rights that it has.
  const token = await signInApplication(pda, 'acme');
  expect((await callAs(pda, token, '/api/v2.6/data/health/pulse')).status).toBe(403);

  await page.getByRole('link', { name: 'Review changes' }).click();
  await expect(page.getByText('Read everything in health, including future records')).toBeVisible();
  await expect(page.getByText('Place of Steps (fitness/steps).')).toBeVisible();
  await expect(page.getByText('Store, change and delete records in acme')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'It no longer asks for' })).toBeVisible();
  await expect(page.getByText('Read everything in fitness')).toHaveCount(0);
  await expect(page.getByText('2026-03-01')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show everything it requests' }).click();
  await expect(page.getByText('Read everything in fitness')).toBeVisible();
  await expect(page.getByText('York')).toBeVisible();

  await page.getByRole('button', { name: 'Allow these 2 additions' }).click();
  await expect(notice(page, 'Acme Steps has been updated to version 1.1.0')).toBeVisible();
  expect((await callAs(pda, token, '/api/v2.6/data/health/pulse')).status).toBe(200);
});

thoroughTest(
  'does not offer to allow an update while it is unknown what was excluded before',
  async ({ page, pda }) => {
    await storeSamples(pda);
    await setUpApplication(pda, 'acme');
    await pda.configure({ applications: [acmeNext, hello] });
    await page.route('**/owner/debits/app-acme', (route) => route.abort());
    await pda.enter(page, '/applications/acme/setup');
    await expect(page.getByText('This could not be loaded')).toBeVisible();
    await expect(page.getByRole('button', { name: /^Allow/ })).toHaveCount(0);
    await page.unroute('**/owner/debits/app-acme');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByRole('button', { name: 'Allow these 2 additions' })).toBeVisible();
  },
);

thoroughTest('does not say that nothing is shared if the Data Debits could not be loaded', async ({ page, pda }) => {
  await storeSamples(pda);
  await setUpApplication(pda, 'acme');
  await page.route('**/owner/applications/acme/view', (route) => route.fulfill({ status: 500, body: '' }));
  await pda.enter(page, '/applications/acme');
  const view = page.waitForResponse('**/owner/applications/acme/view');
  await page.getByRole('button', { name: 'Stop Acme Steps' }).click();
  await view;
  const dialog = page.getByRole('dialog', { name: 'Stop Acme Steps' });
  await expect(dialog).toContainText('This could not be loaded');
  await expect(dialog).not.toContainText('Nothing is shared with it.');
});

/** Has the version number of `acme` and the roles of `acmeNext`. */
const acmeRevised = { ...acme, permissions: { ...acme.permissions, rolesGranted: acmeNext.permissions.rolesGranted } };

for (const { change, published, text } of [
  { change: 'newer version', published: acmeNext, text: 'You were reading version 1.0.0 and now see version 1.1.0.' },
  { change: 'change of the same version', published: acmeRevised, text: 'The page now shows the current request.' },
]) {
  thoroughTest(`shows and does not approve a ${change} published during the review`, async ({ page, pda }) => {
    await storeSamples(pda);
    // Without live events, the page notices the change only with its next request.
    await page.route('**/owner/events', (route) => route.abort());
    await pda.enter(page, '/applications/acme/setup');
    await expect(page.getByText('3 records would be shared now')).toBeVisible();
    await pda.configure({ applications: [published, hello] });
    const approval = page.waitForResponse((response) => response.url().endsWith('/owner/applications/acme/setup'));
    await allowButton(page).click();
    expect((await approval).status()).toBe(409);
    const changedAlert = page.getByRole('alert').filter({ hasText: 'The application changed while you were reading' });
    await expect(changedAlert).toContainText(`Nothing was allowed. ${text}`);
    await expect(page.getByText('Read everything in health, including future records')).toBeVisible();
    expect(await stateOf(pda)).toMatchObject({ setup: false });
    await expect(allowButton(page)).toBeEnabled();
    await allowButton(page).click();
    await expect(notice(page, 'Acme Steps is set up')).toBeVisible();
  });
}

test.describe('in German', () => {
  test.use({ locale: 'de-DE' });

  thoroughTest('shows a change published during the review', async ({ page, pda }) => {
    await storeSamples(pda);
    await page.route('**/owner/events', (route) => route.abort());
    await pda.enter(page, '/applications/acme/setup');
    await expect(page.getByText(/3.Datensätze/).first()).toBeVisible();
    await pda.configure({ applications: [acmeRevised, hello] });
    await page.getByRole('button', { name: 'Acme Steps mit diesen Rechten einrichten' }).click();
    const changedAlert = page.getByRole('alert').filter({ hasText: 'Die Anwendung hat sich geändert' });
    await expect(changedAlert).toContainText('Nichts wurde erlaubt. Du siehst jetzt die aktuelle Anfrage.');
    expect(await stateOf(pda)).toMatchObject({ setup: false });
  });
});

test('ends the token and the Data Debit immediately when an application is stopped', async ({ page, pda }) => {
  await storeSamples(pda);
  await setUpApplication(pda, 'acme');
  const token = await signInApplication(pda, 'acme');
  expect((await callAs(pda, token, '/api/v2.6/data-debit/app-acme/values')).status).toBe(200);
  await pda.enter(page, '/applications/acme');
  await page.getByRole('button', { name: 'Stop Acme Steps' }).click();
  const dialog = page.getByRole('dialog', { name: 'Stop Acme Steps' });
  await expect(dialog).toContainText('It loses all access. Its session ends.');
  await expect(dialog).toContainText('Its Data Debit ends');
  await expect(dialog.getByRole('button', { name: 'Keep it' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Stop Acme Steps' }).click();
  await expect(page.getByText('It has no access, and nothing is shared with it.')).toBeVisible();
  expect((await callAs(pda, token, '/api/v2.6/data/fitness/steps')).status).toBe(401);
  expect(await pda.call('GET', '/api/v2.6/data-debit/app-acme')).toMatchObject({ state: 'disabled' });

  await page.getByRole('link', { name: 'Set it up again' }).click();
  await allowButton(page).click();
  await expect(page.getByRole('button', { name: 'Stop Acme Steps' })).toBeVisible();
  // The previous token stays invalid.
  expect((await callAs(pda, token, '/api/v2.6/data/fitness/steps')).status).toBe(401);
});

thoroughTest('shows the PDA as the application sees it', async ({ page, pda }) => {
  await storeSamples(pda);
  await setUpApplication(pda, 'acme');
  await pda.enter(page, '/applications/acme');
  await page.getByRole('link', { name: 'See your PDA as Acme Steps does' }).click();
  await expect(page.getByRole('row', { name: 'fitness/steps' })).toContainText('3');
  await expect(page.getByRole('row')).toHaveCount(2);
  await expect(page.getByText('Also accessible, but still empty: acme')).toBeVisible();
  await expect(
    page.getByText('2 endpoints with 2 records stay hidden from it, except what you share under a Data Debit.'),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: 'app-acme' })).toBeVisible();
});

thoroughTest(
  'shows on Home and Sharing what applications can read, and removes it from Sharing after a stop',
  async ({ page, pda }) => {
    await storeSamples(pda);
    await setUpApplication(pda, 'acme');
    await setUpApplication(pda, 'hello');
    await pda.enter(page, '/');
    const region = page.getByRole('region', { name: 'Who can see what' });
    await expect(region.getByRole('listitem')).toHaveText([
      /^Acme Steps\s*Everything in fitness, including future records; 2.fields of Steps$/,
    ]);
    await region.getByRole('link', { name: 'Open Sharing' }).click();
    await expect(page.getByText('One recipient can see some of your data.')).toBeVisible();
    const readers = page.getByRole('region', { name: 'Shared now' });
    await expect(readers.getByText('Can see everything in fitness, including future records')).toBeVisible();
    await pda.call('GET', '/api/v2.6/applications/acme/disable');
    await expect(readers).toBeHidden();
    await expect(page.getByText('You are not sharing anything.')).toBeVisible();
  },
);

thoroughTest('shows reads per day as a chart and as a table', async ({ page, pda }) => {
  await storeSamples(pda);
  await setUpApplication(pda, 'acme');
  const token = await signInApplication(pda, 'acme');
  await callAs(pda, token, '/api/v2.6/data/fitness/steps?take=2');
  await callAs(pda, token, '/api/v2.6/data/health/pulse');
  await pda.enter(page, '/applications/acme?as=json');
  const chart = page.getByRole('img', { name: '2 records read in 1 request in the last 30 days. 1 request refused.' });
  await expect(chart.getByText('Refused requests')).toBeVisible();
  // The last day is at the right edge.
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 };
  // Content above the chart may load after the chart and move it away from the mouse.
  await expect
    .poll(async () => {
      await chart.hover({ position: { x: width - 5, y: height / 2 } });
      return chart.getByText(/: 2\srecords/u).isVisible();
    })
    .toBe(true);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await expect(page.getByRole('cell', { name: '2', exact: true })).toBeVisible();
  // The shared records are still displayed as JSON.
  await expect(page).toHaveURL(/as=json&strip=table/);
  await page.getByRole('link', { name: 'All in the access history' }).click();
  await expect(page.getByText('Acme Steps tried to read Pulse')).toBeVisible();
});

thoroughTest('finds an application by its name, and reports an unknown one', async ({ page, pda }) => {
  await pda.enter(page, '/applications?find=hel');
  await expect(page.getByRole('link', { name: 'Hello' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Acme Steps' })).toHaveCount(0);
  await page.goto(`${pda.url}/#/applications/unknown`);
  await expect(page.getByRole('heading', { name: 'Application not found' })).toBeVisible();
});

test.describe('without any application', () => {
  test.use({ config: {} });
  thoroughTest('explains how to add applications', async ({ page, pda }) => {
    await pda.enter(page, '/applications');
    await expect(page.getByText('config.json')).toBeVisible();
    await expectAccessible(page, 'no applications');
  });
});

test.describe('applications', () => {
  thoroughTest('have no axe violations on any page or in the stop dialog', async ({ page, pda }) => {
    await storeSamples(pda);
    await setUpApplication(pda, 'acme');
    await callAs(pda, await signInApplication(pda, 'acme'), '/api/v2.6/data/fitness/steps');
    await pda.enter(page, '/applications');
    await expect(page.getByRole('region', { name: 'Connected', exact: true }).getByText('Running')).toBeVisible();
    await expectAccessible(page, 'catalogue');
    await expectAccessibleInExtraVariants(page, 'catalogue');
    await page.goto(`${pda.url}/#/applications/acme`);
    await expect(page.getByRole('heading', { name: 'What it read' })).toBeVisible();
    await expectAccessible(page, 'application');
    await page.getByRole('button', { name: 'Stop Acme Steps' }).click();
    await expectAccessible(page, 'stop', DIALOG);
    await page.goto(`${pda.url}/#/applications/acme/view`);
    await expect(page.getByText('stay hidden')).toBeVisible();
    await expectAccessible(page, 'view as');
    await page.goto(`${pda.url}/#/applications/hello/setup`);
    await expect(page.getByText('It only learns who you are')).toBeVisible();
    await expectAccessible(page, 'set up');
    await pda.configure({ applications: [acmeNext] });
    await page.goto(`${pda.url}/#/applications/acme`);
    await page.reload();
    await page.getByRole('link', { name: 'Review changes' }).click();
    await expect(page.getByText('Place of Steps')).toBeVisible();
    await expectAccessible(page, 'update');
  });
});
