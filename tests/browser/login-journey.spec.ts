import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { importSPKI, jwtVerify } from 'jose';
import { anApplication } from '../support/applications.ts';
import { NAME, PASSWORD, type Pda, expect, expectAccessible, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

// Tests the sign-in to an application, here a local web server that records the requests it receives.

class Application {
  readonly url: string;
  /** Requested paths with their queries, in order of arrival; without icon requests. */
  readonly requestedPaths: string[] = [];
  constructor(url: string) {
    this.url = url;
  }
  token(): string {
    return new URL(this.requestedPaths.at(-1) ?? '/', this.url).searchParams.get('token') ?? '';
  }
}

const test = base.extend<{ application: Application }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  application: async ({}, use) => {
    let application: Application | undefined;
    const server = createServer((request, response) => {
      if (request.url !== '/favicon.ico') application?.requestedPaths.push(request.url ?? '');
      response.setHeader('content-type', 'text/html');
      response.end('<!doctype html><title>Notes</title><h1>This is the application</h1>');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    application = new Application(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await use(application);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

const STEPS_BUNDLE = {
  name: 'notes-steps',
  bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'day', steps: 'steps' } }] } },
};
const loginApplication = (id: string, name: string, overrides: Parameters<typeof anApplication>[0] = {}) => {
  const application = anApplication({
    id,
    url: 'http://127.0.0.1/app',
    setup: { url: 'http://127.0.0.1/back', validRedirectUris: ['https://notes.example/signed-in'] },
    info: { name, dataUsePurpose: 'To keep your notes beside your walks.', termsUrl: 'https://notes.example/terms' },
    ...overrides,
  });
  return { ...application, developer: { id: 'paper', name: 'Paper & Pen', url: 'https://paper.example/' } };
};
const notesApplication = loginApplication('notes', 'Notes', {
  roles: [
    { role: 'namespaceread', detail: 'notes' },
    { role: 'namespacewrite', detail: 'notes' },
  ],
});
const walksApplication = loginApplication('walks', 'Walks', { data: ['fitness/steps'] });
walksApplication.permissions.dataRetrieved = STEPS_BUNDLE;
const everythingApplication = loginApplication('all', 'Everything', { roles: [{ role: 'owner' }] });

test.use({ config: { applications: [notesApplication, walksApplication, everythingApplication] } });

const loginUrl = (pda: Pda, query: Record<string, string>, path = '/#/pdalogin') =>
  `${pda.url}${path}?${new URLSearchParams(query).toString()}`;

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in and continue' }).click();
}
async function expectArrival(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { name: 'This is the application' })).toBeVisible();
}

/** Verifies a token with the public key of the PDA, as an application does. */
async function verifyToken(pda: Pda, token: string, id: string): Promise<void> {
  const pem = await (await fetch(`${pda.url}/publickey`)).text();
  const { payload } = await jwtVerify(token, await importSPKI(pem, 'RS256'), { algorithms: ['RS256'] });
  expect(payload).toMatchObject({ application: id, iss: new URL(pda.url).host });
}

test('asks for password and consent the first time, and redirects immediately the second time', async ({
  page,
  pda,
  application,
}) => {
  const redirect = `${application.url}/back`;
  await page.goto(loginUrl(pda, { name: 'notes', redirect }));
  // The applications of config.json are not revealed before the sign-in.
  await expect(page.getByRole('heading', { name: `Sign in to ${NAME}`, exact: true })).toBeVisible();
  await expect(page.getByText(new URL(pda.url).host, { exact: true })).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill('not this one');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByText('Incorrect name or password.')).toBeVisible();
  await signIn(page);

  await expect(page.getByRole('heading', { name: 'Connect Notes?' })).toBeVisible();
  await expect(page.getByText('Read everything in notes, including future records')).toBeVisible();
  await expect(page.getByText('To keep your notes beside your walks.')).toBeVisible();
  await expect(page.getByText(redirect, { exact: true })).toBeVisible();
  expect(application.requestedPaths).toEqual([]);

  // Enter approves nothing.
  const allowButton = page.getByRole('button', { name: 'Allow and continue to Notes' });
  await allowButton.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Enter does not confirm this decision. Press Space, or click.')).toBeVisible();
  expect(application.requestedPaths).toEqual([]);
  await page.keyboard.press('Space');
  await expectArrival(page);
  expect(application.requestedPaths).toHaveLength(1);
  expect(application.requestedPaths[0]).toMatch(/^\/back\?token=eyJ[\w.-]+$/);
  await verifyToken(pda, application.token(), 'notes');

  const reply = await fetch(`${pda.url}/api/v2.6/data/notes/ideas`, {
    headers: { 'x-auth-token': application.token() },
  });
  expect([reply.status, await reply.json()]).toEqual([200, []]);
  const otherReply = await fetch(`${pda.url}/api/v2.6/data/diary/days`, {
    headers: { 'x-auth-token': application.token() },
  });
  expect(otherReply.status).toBe(403);

  await page.goto(loginUrl(pda, { name: 'notes', redirect: `${application.url}/app?from=menu` }));
  await expectArrival(page);
  expect(application.requestedPaths.at(-1)).toMatch(/^\/app\?from=menu&token=eyJ[\w.-]+$/);
  await verifyToken(pda, application.token(), 'notes');
});

thoroughTest(
  'does not restart the sign-in when going back from the application',
  async ({ page, pda, application }) => {
    await pda.call('GET', '/api/v2.6/applications/notes/setup');
    await pda.enter(page);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.goto(loginUrl(pda, { name: 'notes', redirect: `${application.url}/back` }));
    await expectArrival(page);
    await page.goBack();
    await expect(page).toHaveURL(`${pda.url}/#/`);
    expect(application.requestedPaths).toHaveLength(1);
  },
);

thoroughTest(
  'accepts alternative parameter names, an id in capitals, and the paths /pdalogin and /hatlogin',
  async ({ page, pda, application }) => {
    const query = { application_id: 'NOTES', redirect_uri: `${application.url}/back` };
    await page.goto(loginUrl(pda, query, '/pdalogin'));
    await expect(page.getByRole('heading', { name: `Sign in to ${NAME}`, exact: true })).toBeVisible();
    await signIn(page);
    await page.getByRole('button', { name: 'Allow and continue to Notes' }).click();
    await expectArrival(page);
    for (const [index, path] of ['/#/hatlogin', '/hatlogin'].entries()) {
      await page.goto(loginUrl(pda, query, path));
      await expectArrival(page);
      expect(application.requestedPaths).toHaveLength(index + 2);
      await verifyToken(pda, application.token(), 'notes');
    }
  },
);

test('redirects to the fallback with the reason after cancelling, and sets nothing up', async ({
  page,
  pda,
  application,
}) => {
  await pda.enter(page);
  const redirect = `${application.url}/back`;
  await page.goto(loginUrl(pda, { name: 'notes', redirect, fallback: `${application.url}/failed?at=door` }));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expectArrival(page);
  expect(application.requestedPaths).toEqual(['/failed?at=door&error=access_denied&error_reason=user_cancelled']);
  const status = await pda.call('GET', '/api/v2.6/applications/notes');
  expect(status).toMatchObject({ setup: false, enabled: false });

  // A fallback address on a different host is ignored.
  await page.goto(loginUrl(pda, { name: 'notes', redirect, fallback: 'https://evil.example/' }));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expectArrival(page);
  expect(application.requestedPaths.at(-1)).toBe('/back?error=access_denied&error_reason=user_cancelled');
});

thoroughTest('shows an unregistered address and does not open it', async ({ page, pda, application }) => {
  await pda.call('GET', '/api/v2.6/applications/notes/setup');
  await pda.enter(page);
  const unregisteredUrl = `${application.url}/elsewhere`;
  await page.goto(loginUrl(pda, { name: 'notes', redirect: unregisteredUrl, fallback: `${application.url}/failed` }));
  await expect(page.getByRole('heading', { name: 'This address does not belong to Notes' })).toBeVisible();
  await expect(page.getByText(unregisteredUrl, { exact: true })).toBeVisible();
  await expect(page.getByText('https://notes.example/signed-in', { exact: true })).toBeVisible();
  await expect(page.getByText('application_misconfigured/redirect_not_registered')).toBeVisible();
  expect(await page.locator('a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    '#/',
  ]);
  expect(application.requestedPaths).toEqual([]);
  const ledger = await pda.call('GET', '/api/v2.6/owner/ledger?application=notes&outcome=refused');
  expect(ledger).toMatchObject({ rows: [{ action: 'login', reason: 'redirect_not_registered' }] });
  await expectAccessible(page, 'an address that is not registered');
});

thoroughTest(
  'reports a missing application, an unknown application and a missing return address',
  async ({ page, pda }) => {
    await pda.enter(page);
    await page.goto(loginUrl(pda, { redirect: 'http://127.0.0.1/back' }));
    await expect(page.getByRole('heading', { name: 'No application specified' })).toBeVisible();
    await page.goto(loginUrl(pda, { name: 'Your Bank', redirect: 'http://127.0.0.1/back' }));
    await expect(page.getByRole('heading', { name: 'Unknown application' })).toBeVisible();
    await page.goto(loginUrl(pda, { name: 'notes' }));
    await expect(page.getByRole('heading', { name: 'Notes provides no return address' })).toBeVisible();
  },
);

thoroughTest(
  'reports a missing return address to the fallback address of the application',
  async ({ page, pda, application }) => {
    await pda.enter(page);
    await page.goto(loginUrl(pda, { name: 'notes', fallback: `${application.url}/failed` }));
    await expectArrival(page);
    expect(application.requestedPaths).toEqual([
      '/failed?error=application_misconfigured&error_reason=redirect_is_required',
    ]);
  },
);

thoroughTest('distinguishes a failed setup from a declined one', async ({ page, pda, application }) => {
  await pda.enter(page);
  await page.goto(loginUrl(pda, { name: 'notes', redirect: `${application.url}/back` }));
  const body = { error: 'internal_error', message: 'Internal Server Error', cause: 'Something', requestId: 'r-1' };
  await page.route('**/api/v2.6/owner/login', (route) => route.fulfill({ status: 500, json: body }));
  await page.getByRole('button', { name: 'Allow and continue to Notes' }).click();
  await expect(page.getByText('r-1', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expectArrival(page);
  expect(application.requestedPaths).toEqual(['/back?error=pda_exception&error_reason=enabling_application_failed']);
});

test('does not show the name of an unknown application before the sign-in', async ({ page, pda }) => {
  await page.goto(loginUrl(pda, { name: 'Your Bank', redirect: 'https://evil.example/' }));
  await expect(page.getByRole('heading', { name: `Sign in to ${NAME}`, exact: true })).toBeVisible();
  await expect(page.getByText('Your Bank')).toHaveCount(0);
});

thoroughTest('reports a PDA that is not set up', async ({ page, newPda }) => {
  await page.goto(loginUrl(newPda, { name: 'notes', redirect: 'http://127.0.0.1/back' }));
  await expect(page.getByRole('heading', { name: 'This PDA is not set up yet' })).toBeVisible();
  await expectAccessible(page, 'not set up');
});

thoroughTest('reports a PDA that stops responding, and lets the owner retry', async ({ page, pda, application }) => {
  await pda.enter(page);
  const redirect = `${application.url}/back`;
  await page.goto(loginUrl(pda, { name: 'notes', redirect }));
  await expect(page.getByRole('heading', { name: 'Connect Notes?' })).toBeVisible();
  await page.route('**/api/v2.6/owner/login', (route) => route.abort());
  await page.getByRole('button', { name: 'Allow and continue to Notes' }).click();
  await expect(page.getByText('Your PDA is not responding.')).toBeVisible();
  await page.unroute('**/api/v2.6/owner/login');
  await page.getByRole('button', { name: 'Allow and continue to Notes' }).click();
  await expectArrival(page);
});

thoroughTest(
  'shows the values that would be shared, and lets the owner leave out a field before allowing',
  async ({ page, pda, application }) => {
    await pda.store('fitness/steps', [{ day: '2026-03-01', steps: 8000, place: 'home' }]);
    await pda.store('diary/days', { text: 'private to the owner' });
    await pda.enter(page);
    await page.goto(loginUrl(pda, { name: 'walks', redirect: `${application.url}/back` }));
    await expect(page.getByRole('heading', { name: 'Connect Walks?' })).toBeVisible();
    await expect(page.getByText('8000', { exact: true })).toBeVisible();
    await expect(page.getByText('private to the owner')).toHaveCount(0);
    await page.getByRole('switch', { name: /^Steps of/ }).uncheck();
    await expect(page.getByText('8000', { exact: true })).toHaveCount(0);
    await page.getByRole('button', { name: 'Allow and continue to Walks' }).click();
    await expectArrival(page);
    const response = await fetch(`${pda.url}/api/v2.6/data-debit/app-walks/values`, {
      headers: { 'x-auth-token': application.token() },
    });
    const values: unknown = await response.json();
    expect(values).toMatchObject({ bundle: { steps: [{ data: { day: '2026-03-01' } }] } });
    expect(JSON.stringify(values)).not.toContain('"steps":8000');
  },
);

thoroughTest(
  'resets the choices when it shows a request that changed during the sign-in',
  async ({ page, pda, application }) => {
    await pda.store('fitness/steps', [{ day: '2026-03-01', steps: 8000, place: 'home' }]);
    await pda.enter(page);
    await page.goto(loginUrl(pda, { name: 'walks', redirect: `${application.url}/back` }));
    const stepsSwitch = page.getByRole('switch', { name: /^Steps of/ });
    await expect(stepsSwitch).toBeChecked();
    const changedApplication = loginApplication('walks', 'Walks', { data: ['fitness/steps'] });
    changedApplication.permissions.dataRetrieved = {
      name: 'notes-steps',
      bundle: {
        steps: {
          endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'day', steps: 'steps', place: 'place' } }],
        },
      },
    };
    await pda.configure({ applications: [changedApplication] });
    let release = () => {};
    const releaseGate = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/owner/login-request*', async (route) => {
      await releaseGate;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Allow and continue to Walks' }).click();
    await expect(page.getByText('The request changed while you were reading')).toBeVisible();
    // The page still shows the earlier request.
    await stepsSwitch.uncheck({ force: true });
    release();
    await expect(page.getByRole('switch', { name: /^Place of/ })).toBeChecked();
    await expect(stepsSwitch).toBeChecked();
    expect(application.requestedPaths).toEqual([]);
  },
);

const walksUpdate = (version: string, mapping: Record<string, string>, roles: { role: string; detail: string }[]) => {
  const update = loginApplication('walks', 'Walks', { version, data: ['fitness/steps'], roles });
  update.permissions.dataRetrieved = {
    name: `notes-steps-${version}`,
    bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps', mapping }] } },
  };
  return { applications: [update] };
};

thoroughTest('keeps earlier exclusions when an application asks for an update', async ({ page, pda, application }) => {
  await pda.store('fitness/steps', [{ day: '2026-03-01', steps: 8000, place: 'home' }]);
  await pda.enter(page);
  const url = loginUrl(pda, { name: 'walks', redirect: `${application.url}/back` });
  const stepsSwitch = page.getByRole('switch', { name: /^Steps of/ });
  const allowButton = page.getByRole('button', { name: 'Allow and continue to Walks' });
  const allow = async () => {
    await allowButton.click();
    await expectArrival(page);
    const response = await fetch(`${pda.url}/api/v2.6/data-debit/app-walks/values`, {
      headers: { 'x-auth-token': application.token() },
    });
    const { bundle } = (await response.json()) as { bundle: { steps: { data: unknown }[] } };
    return bundle.steps.map(({ data }) => data);
  };
  await page.goto(url);
  await stepsSwitch.uncheck();
  expect(await allow()).toEqual([{ day: '2026-03-01' }]);

  // Requests an additional field. It is included, and the excluded one is not named as new.
  const place = { day: 'day', steps: 'steps', place: 'place' };
  await pda.configure(walksUpdate('1.1.0', place, []));
  await page.route('**/owner/debits/app-walks', (route) => route.abort());
  await page.goto(url);
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  await page.unroute('**/owner/debits/app-walks');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Place of Steps (fitness/steps).')).toBeVisible();
  await expect(page.getByRole('switch', { name: /^Place of/ })).toBeChecked();
  await expect(stepsSwitch).not.toBeChecked();
  expect(await allow()).toEqual([{ day: '2026-03-01', place: 'home' }]);

  // Requests a right, and less data. The page does not ask for data, and the exclusion stays.
  const role = { role: 'namespaceread', detail: 'notes' };
  await pda.configure(walksUpdate('1.2.0', { day: 'day', steps: 'steps' }, [role]));
  await page.goto(url);
  await expect(page.getByText('Read everything in notes, including future records')).toBeVisible();
  await expect(stepsSwitch).toHaveCount(0);
  expect(await allow()).toEqual([{ day: '2026-03-01' }]);

  // Requests only excluded data. It can be allowed only if the owner includes the data.
  const otherRole = { role: 'namespaceread', detail: 'diary' };
  await pda.configure(walksUpdate('1.3.0', { steps: 'steps' }, [role, otherRole]));
  await page.goto(url);
  await expect(page.getByText('Read everything in diary, including future records')).toBeVisible();
  await expect(allowButton).toBeDisabled();
  await stepsSwitch.check();
  expect(await allow()).toEqual([{ steps: 8000 }]);
});

thoroughTest('axe reports no violations on the sign-in pages', async ({ page, pda }) => {
  await pda.store('fitness/steps', [{ day: '2026-03-01', steps: 8000, place: 'home' }]);
  await page.goto(loginUrl(pda, { name: 'walks', redirect: 'http://127.0.0.1/back' }));
  await expect(page.getByRole('heading', { name: `Sign in to ${NAME}`, exact: true })).toBeVisible();
  await expectAccessible(page, 'the password');
  await signIn(page);
  await expect(page.getByRole('heading', { name: 'Connect Walks?' })).toBeVisible();
  await expect(page.getByText('8000', { exact: true })).toBeVisible();
  await expectAccessible(page, 'consent with data');
  await page.goto(loginUrl(pda, { name: 'all', redirect: 'http://127.0.0.1/back' }));
  await expect(page.getByRole('heading', { name: 'Connect Everything?' })).toBeVisible();
  await expectAccessible(page, 'consent to everything');
});

thoroughTest('forbids caching, framing and referrers on the sign-in pages', async ({ pda }) => {
  for (const path of ['/pdalogin?name=notes', '/hatlogin', '/']) {
    const { headers } = await fetch(pda.url + path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-frame-options')).toBe('DENY');
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe-eval');
  }
});
