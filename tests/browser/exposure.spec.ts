import type { Page } from '@playwright/test';
import decode from 'qr/decode.js';
import type { CertificateState, ExposureState, PdaCertificate } from '../../server/wire/exposure.ts';
import {
  ADDRESS,
  DARK_EXPOSURE,
  VALID_CERTIFICATE,
  mockExposure,
  exposureOf,
  failedProbe,
  publishExposure,
} from './exposure.ts';
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
import { uploadContent } from './files.ts';

const PAGE_PATH = '/settings/address';
const statusRegion = (page: Page) => page.getByRole('region', { name: 'Right now' });

async function open(page: Page, pda: Pda): Promise<void> {
  await pda.enter(page, PAGE_PATH);
  await expect(page.getByRole('heading', { name: 'Address and exposure' })).toBeVisible();
}

const STATES: Record<ExposureState, { title: string; text: string }> = {
  off: { title: 'Only this computer can reach your PDA', text: 'choose a connection below' },
  dark: { title: 'Your PDA is dark', text: 'It is not reachable from the internet' },
  connecting: { title: 'Connecting to the relay', text: 'It retries automatically' },
  certificate: { title: 'Waiting for the certificate', text: 'No unencrypted data is sent' },
  unproven: { title: 'Ready, not yet checked from outside', text: 'Check it from outside to be sure' },
  reachable: { title: 'Your PDA is reachable at this address', text: '2 open connections from outside' },
  readable: { title: 'Readable by lt.example', text: 'lt.example can read and change all traffic' },
  unreachable: { title: 'Your address does not respond', text: 'Your PDA retries automatically' },
  refused: { title: 'The relay refused this name', text: 'The name is taken' },
  impostor: { title: 'Another server answers at your address', text: 'Do not sign in at that address' },
};

const NO_CERTIFICATE: PdaCertificate = {
  ...VALID_CERTIFICATE,
  state: 'none',
  issuer: null,
  notBefore: null,
  notAfter: null,
};

const LOCALTUNNEL = { host: 'https://lt.example', subdomain: 'ada', readableBy: 'lt.example', passwordSignIn: false };

const STATE_DETAILS: Partial<Record<ExposureState, Parameters<typeof exposureOf>[1]>> = {
  dark: DARK_EXPOSURE,
  connecting: { certificate: null, probe: null, tries: 4, problem: 'the relay did not answer' },
  certificate: { certificate: { ...NO_CERTIFICATE, state: 'asking' } },
  readable: { way: 'localtunnel', localtunnel: LOCALTUNNEL, certificate: null, relay: null, domain: null },
  unreachable: { probe: failedProbe('the connection timed out'), tries: 7 },
  refused: { problem: 'The name is taken', certificate: null },
  impostor: { problem: 'another key was shown', probe: failedProbe('another key was shown') },
};

/** At least one state of each colour. The other states look the same to axe. */
const STATES_CHECKED_BY_AXE = new Set<ExposureState>(['off', 'reachable', 'readable', 'refused', 'impostor']);

thoroughTest(
  'explains each state and the next step, warns when a dark PDA still responds, and ignores outdated checks',
  async ({ page, pda }) => {
    const mock = await mockExposure(page, exposureOf('off'));
    await open(page, pda);
    for (const [state, { title, text }] of Object.entries(STATES) as [
      ExposureState,
      { title: string; text: string },
    ][]) {
      await publishExposure(pda, mock, exposureOf(state, STATE_DETAILS[state]));
      await expect(statusRegion(page).getByRole('heading', { name: title })).toBeVisible();
      await expect(statusRegion(page)).toContainText(text.replaceAll(/(\d) /gu, '$1\u00A0'));
      if (STATES_CHECKED_BY_AXE.has(state)) await expectAccessible(page, `state ${state}`);
      // The page does not link to an address at which another server may respond.
      const isOwnAddress = state !== 'off' && state !== 'impostor' && state !== 'refused';
      await expect(statusRegion(page).getByRole('button', { name: 'Open on a phone' })).toHaveCount(
        isOwnAddress ? 1 : 0,
      );
    }
    await expectAccessibleInExtraVariants(page, 'impostor');

    const respondingExposure = { ...DARK_EXPOSURE, probe: { ...failedProbe(''), reached: true, problem: null } };
    await publishExposure(pda, mock, exposureOf('dark', respondingExposure));
    await expect(page.getByRole('alert').filter({ hasText: 'A check from outside still connected' })).toBeVisible();
    await expectAccessible(page, 'dark, but still responding');
    const darkSince = new Date(Date.now() - 1000).toISOString();
    await publishExposure(pda, mock, exposureOf('dark', { ...DARK_EXPOSURE, darkSince }));
    await expect(page.getByText('No check from outside has confirmed this.')).toBeVisible();
    await expect(page.getByText('Verified')).toHaveCount(0);
  },
);

const CERTIFICATE_TEXTS: Record<CertificateState, string> = {
  none: 'Not requested yet',
  asking: 'Requested.',
  good: 'Valid',
  renewing: 'The renewal is under way',
  expired: 'Browsers refuse your address until the certificate is renewed',
  notYet: 'Check its date and time',
  untrusted: 'No longer trusted',
  failed: 'Without a certificate, your PDA is not reachable',
};

thoroughTest('explains each certificate state', async ({ page, pda }) => {
  const mock = await mockExposure(page, exposureOf('reachable'));
  await open(page, pda);
  const region = page.getByRole('region', { name: 'Certificate' });
  for (const [state, text] of Object.entries(CERTIFICATE_TEXTS) as [CertificateState, string][]) {
    const problem = state === 'failed' ? 'The authority issues no more certificates this week' : null;
    await publishExposure(
      pda,
      mock,
      exposureOf('reachable', { certificate: { ...VALID_CERTIFICATE, state, problem } }),
    );
    await expect(region).toContainText(text);
    if (problem !== null) await expect(region).toContainText(problem);
  }
  await expectAccessible(page, 'a certificate that was refused');
});

thoroughTest('counts items that are open to others and links to the pages for closing them', async ({ page, pda }) => {
  await mockExposure(page, exposureOf('reachable'));
  await open(page, pda);
  const list = page.getByRole('list', { name: 'What is open to others' });
  await expect(list.getByRole('listitem')).toHaveCount(11);
  const linkTargets = {
    '4 profile fields': '#/settings/profile',
    '3 public files': '#/files?show=public',
    '12 files shared with people': '#/files?show=shared',
    '6 share links': '#/sharing/links',
    '2 tables and charts shared with people': '#/sharing',
    '2 people who can sign in': '#/settings/people',
    '1 other session of yours': '#/settings/security',
    '4 applications with a valid key': '#/applications',
    '5 active Data Debits': '#/sharing',
    '1 contract joined': '#/sharing/contracts',
  };
  for (const [label, address] of Object.entries(linkTargets)) {
    const link = list.getByRole('link', { name: `View ${label.replace(' ', '\u00A0')}` });
    await expect(link).toHaveAttribute('href', address);
  }
  await list.getByRole('link', { name: 'View 3\u00A0public files' }).click();
  await expect(page).toHaveURL(/#\/files\?show=public$/u);
});

thoroughTest('counts what is still open after a change on another page', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
  await pda.call('POST', '/api/v2.6/owner/share-links', { name: 'Letter', fileIds: [fileId] });
  await open(page, pda);
  const link = page.getByRole('link', { name: 'View 1\u00A0share link', exact: true });
  await link.click();
  await page.getByRole('button', { name: 'Revoke Letter' }).click();
  await expect(page.getByText('No share links')).toBeVisible();
  await page.goBack();
  await expect(page.getByRole('list', { name: 'What is open to others' })).toBeVisible();
  await expect(link).toHaveCount(0);
});

thoroughTest('lists closed items in one line', async ({ page, pda }) => {
  await mockExposure(page, exposureOf('off'));
  await open(page, pda);
  await expect(page.getByRole('list', { name: 'What is open to others' }).getByRole('listitem')).toHaveCount(1);
  await expect(
    page.getByText('Not open: your profile, public files, share links, other sessions of yours, people,'),
  ).toBeVisible();
});

test('shows after going dark that an outside check could not connect, and reopens', async ({ page, pda }) => {
  const mock = await mockExposure(page, exposureOf('reachable'));
  mock.on = {
    'go-dark': () => void (mock.current = exposureOf('dark', DARK_EXPOSURE)),
    'go-light': () => {
      mock.current = exposureOf('unproven', { probe: null });
      return undefined;
    },
    probe: () => {
      mock.current = exposureOf('reachable');
      return undefined;
    },
  };
  await open(page, pda);
  await statusRegion(page).getByRole('button', { name: 'Go dark' }).click();
  await expect(statusRegion(page).getByRole('heading', { name: 'Your PDA is dark' })).toBeVisible();
  await expect(statusRegion(page).getByText('Verified: a check from outside failed to connect')).toBeVisible();
  await expect(statusRegion(page)).toContainText('the connection was refused');
  await expect(statusRegion(page).getByRole('link', { name: /^Open/u })).toHaveCount(0);
  await expectAccessible(page, 'dark, with the result of the outside check');
  await statusRegion(page).getByRole('button', { name: 'Accept visitors again' }).click();
  await expect(statusRegion(page).getByRole('heading', { name: 'Ready, not yet checked from outside' })).toBeVisible();
  await page.getByRole('button', { name: 'Check now' }).click();
  await expect(statusRegion(page).getByRole('heading', { name: 'Your PDA is reachable' })).toBeVisible();
  expect(mock.requests).toEqual(['POST go-dark', 'POST go-light', 'POST probe']);
});

thoroughTest(
  'warns an owner at the public address before going dark and reports the disconnection',
  async ({ page, pda }) => {
    await mockExposure(page, exposureOf('reachable', { address: pda.url }), {
      'go-dark': (route) => route.abort(),
    });
    await open(page, pda);
    await statusRegion(page).getByRole('button', { name: 'Go dark' }).click();
    const dialog = page.getByRole('dialog', { name: 'Go dark from outside' });
    await expect(dialog.getByRole('button', { name: 'Stay reachable' })).toBeFocused();
    await expectAccessible(page, 'dark from outside', DIALOG);
    await dialog.getByRole('button', { name: 'Go dark' }).click();
    await expect(page.getByText('You are disconnected')).toBeVisible();
  },
);

thoroughTest('shows a QR code for the address that scans in light and dark mode', async ({ page, pda, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await mockExposure(page, exposureOf('reachable'));
  await open(page, pda);
  await statusRegion(page).getByRole('button', { name: 'Copy address' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(ADDRESS);
  await expect(statusRegion(page).getByRole('link', { name: /^Open/u })).toHaveAttribute('href', ADDRESS);
  await statusRegion(page).getByRole('button', { name: 'Open on a phone' }).click();
  const code = page.getByRole('img', { name: `QR code for ${ADDRESS}` });
  const reader = await context.newPage();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    const picture = (await code.screenshot()).toString('base64');
    const { data, ...size } = await reader.evaluate(async (png) => {
      const image = new Image();
      image.src = `data:image/png;base64,${png}`;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const drawing = canvas.getContext('2d');
      drawing?.drawImage(image, 0, 0);
      const pixels = drawing?.getImageData(0, 0, image.width, image.height).data ?? [];
      return { width: image.width, height: image.height, data: [...pixels] };
    }, picture);
    expect(decode({ ...size, data: Uint8Array.from(data) }), colorScheme).toBe(ADDRESS);
  }
  await expectAccessible(page, 'the code', DIALOG);
});

thoroughTest(
  'explains a name at a relay before the request and requires agreement to known terms',
  async ({ page, pda }) => {
    const mock = await mockExposure(page, exposureOf('off'), {
      PUT: () => {
        mock.current = exposureOf('connecting', { certificate: null, probe: null });
        return undefined;
      },
    });
    await open(page, pda);
    await page.getByRole('button', { name: 'Choose a connection' }).click();
    await expect(page.getByRole('radio', { name: 'No public address' })).toBeFocused();
    // Fills in the form with the keyboard.
    await page.keyboard.press('ArrowDown');
    await expect(page.getByRole('radio', { name: 'A name at a relay' })).toBeChecked();
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Address of the relay')).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByText('Enter the address of the relay.')).toBeVisible();
    await expect(page.getByText('Your PDA cannot request a certificate without your agreement.')).toBeVisible();
    await expectAccessible(page, 'the connection form with its errors');
    await page.keyboard.type('pda.example');
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Domain of the relay')).toHaveValue('pda.example');
    await expect(
      page.getByText('Anyone on the internet can open the sign-in page at https://ada.pda.example'),
    ).toBeVisible();
    await expect(page.getByRole('link', { name: 'Read the terms' })).toHaveAttribute(
      'href',
      'https://authority.example/terms.pdf',
    );
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await expectAccessible(page, 'the relay form');
    await page.getByRole('button', { name: 'Request this name' }).press('Enter');
    await expect(statusRegion(page).getByRole('heading', { name: 'Connecting to the relay' })).toBeVisible();
    expect(mock.requests).toEqual([
      'PUT {"way":"tunnel","relay":"https://pda.example","domain":"pda.example","agreed":true}',
    ]);
    // The page shows the next state without a reload.
    mock.current = exposureOf('reachable');
    await expect(statusRegion(page).getByRole('heading', { name: 'Your PDA is reachable' })).toBeVisible();
  },
);

thoroughTest('asks for agreement to terms once they are known', async ({ page, pda }) => {
  const certificate = { ...NO_CERTIFICATE, problem: 'Not agreed to.' };
  const waitingExposure = exposureOf('certificate', { certificate, termsPending: true });
  const mock = await mockExposure(page, exposureOf('off', { terms: null }));
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a connection' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('https://pda.example');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(page.getByText('Your PDA fetches them first')).toBeVisible();
  mock.on = { PUT: () => void (mock.current = waitingExposure) };
  await page.getByRole('button', { name: 'Request this name' }).click();
  await expect(
    statusRegion(page).getByRole('heading', { name: 'Accept the terms of the certificate authority' }),
  ).toBeVisible();
  await expect(statusRegion(page).getByRole('link', { name: 'Read the terms' })).toBeVisible();
  await expectAccessible(page, 'terms to agree to');
  mock.on = { PUT: () => void (mock.current = exposureOf('certificate', STATE_DETAILS.certificate)) };
  await statusRegion(page).getByRole('button', { name: 'I agree to these terms' }).click();
  await expect(statusRegion(page).getByRole('heading', { name: 'Waiting for the certificate' })).toBeVisible();
  const requestBody = { way: 'tunnel', relay: 'https://pda.example', domain: 'pda.example', agreed: false };
  expect(mock.requests).toEqual(
    [requestBody, { ...requestBody, agreed: true }].map((body) => `PUT ${JSON.stringify(body)}`),
  );
});

thoroughTest('requires neither certificate nor terms for a local domain', async ({ page, pda }) => {
  const mock = await mockExposure(page, exposureOf('off'));
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a connection' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('http://localhost:8080');
  await page.getByLabel('Domain of the relay').fill('localhost');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(page.getByText('Only programs on this computer can open http://ada.localhost:8080.')).toBeVisible();
  await page.getByRole('button', { name: 'Request this name' }).click();
  await expect(notice(page, 'Name requested from the relay')).toBeVisible();
  expect(mock.requests).toEqual([
    'PUT {"way":"tunnel","relay":"http://localhost:8080","domain":"localhost","agreed":false}',
  ]);
});

thoroughTest('sets the owner’s own address and removes it again', async ({ page, pda }) => {
  const mock = await mockExposure(page, exposureOf('reachable'));
  await open(page, pda);
  await page.getByRole('button', { name: 'Change connection' }).click();
  await page.getByRole('radio', { name: 'My own address' }).check();
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('Enter the address.')).toBeVisible();
  await page.getByLabel('Your address').fill('http://ada.example.org');
  await expect(page.getByText('others on the network can read and change all traffic')).toBeVisible();
  await expectAccessible(page, 'an address without protection');
  await page.getByLabel('Your address').fill('ada.example.org/');
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(notice(page, 'Address saved')).toBeVisible();
  await page.getByRole('button', { name: 'Change connection' }).click();
  await page.getByRole('radio', { name: 'No public address' }).check();
  await expect(page.getByText('on other computers cannot open it')).toBeVisible();
  await page.getByRole('button', { name: 'Use no public address' }).click();
  await expect(notice(page, 'Your PDA has no public address now')).toBeVisible();
  expect(mock.requests).toEqual(['PUT {"way":"own","publicUrl":"https://ada.example.org"}', 'PUT {"way":"none"}']);
});

thoroughTest(
  'names the port for the proxy and warns of a proxy that makes remote requests count as local',
  async ({ page, pda }) => {
    await pda.configure({ publicUrl: 'https://ada.example.org' });
    await open(page, pda);
    await expect(page.getByText(/Point your proxy at http:\/\/127\.0\.0\.1:\d+/u)).toBeVisible();
    await expect(page.getByText('Your proxy forwards to the wrong port')).toHaveCount(0);
    const listener = 'http://127.0.0.1:4001';
    const probe = { ...failedProbe(''), localAccess: true };
    await mockExposure(page, exposureOf('unreachable', { way: 'own', publicListener: listener, probe }));
    await page.reload();
    await expect(page.getByText('Your proxy forwards to the wrong port')).toContainText(listener);
    await expectAccessible(page, 'a proxy at the wrong port');
  },
);

thoroughTest('shows a connection that is set in config.json as read-only', async ({ page, pda }) => {
  await mockExposure(page, exposureOf('reachable', { fixed: true }));
  await open(page, pda);
  await expect(page.getByText('Set in config.json or on the command line')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change connection' })).toHaveCount(0);
});

thoroughTest('reports a failure and keeps the input', async ({ page, pda }) => {
  const refusal = {
    status: 400,
    json: { error: 'invalid_request', cause: 'This relay does not accept more names.', requestId: 'r-1' },
  };
  const mock = await mockExposure(page, exposureOf('off'), { PUT: (route) => route.fulfill(refusal) });
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a connection' }).click();
  await page.getByRole('radio', { name: 'My own address' }).check();
  await page.getByLabel('Your address').fill('https://ada.example.org');
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('This relay does not accept more names.')).toBeVisible();
  await expect(page.getByLabel('Your address')).toHaveValue('https://ada.example.org');
  await expectAccessible(page, 'a change that was refused');
  // Loading the address fails too.
  mock.on = {
    GET: (route) => route.fulfill({ status: 500, json: { error: 'internal_error', cause: '', requestId: 'r-2' } }),
  };
  await page.reload();
  await expect(page.getByRole('alert').filter({ hasText: 'r-2' })).toBeVisible();
  await expectAccessible(page, 'the address could not be loaded');
  mock.on = {};
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(statusRegion(page)).toBeVisible();
});

thoroughTest(
  'shows placeholders while loading and keeps the last state when the PDA does not respond',
  async ({ page, pda }) => {
    let release = (): void => undefined;
    const responseGate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const mock = await mockExposure(page, exposureOf('reachable'), {
      GET: async (route) => {
        await responseGate;
        await route.fulfill({ json: exposureOf('reachable') });
      },
    });
    await open(page, pda);
    await expect(page.locator('[aria-busy=true]')).toBeVisible();
    release();
    await expect(statusRegion(page)).toBeVisible();
    mock.on = { 'go-dark': (route) => route.abort() };
    await statusRegion(page).getByRole('button', { name: 'Go dark' }).click();
    await expect(statusRegion(page).getByRole('alert')).toContainText('Your PDA is not responding.');
    await expect(statusRegion(page).getByRole('button', { name: 'Go dark' })).toBeEnabled();
  },
);

thoroughTest('summarises reachability and problems on Home', async ({ page, pda }) => {
  await pda.store('notes/ideas', [{ text: 'one' }]);
  const mock = await mockExposure(page, exposureOf('off'));
  await pda.enter(page);
  await expect(page.getByRole('link', { name: 'only this computer can reach it' })).toBeVisible();
  await publishExposure(pda, mock, exposureOf('reachable'));
  await expect(page.getByRole('link', { name: `Reachable at ${ADDRESS}` })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
  await publishExposure(pda, mock, exposureOf('impostor', STATE_DETAILS.impostor));
  await expect(page.getByRole('heading', { name: 'One thing needs your attention' })).toBeVisible();
  await page.getByRole('link', { name: 'View: Another server answers at your address' }).click();
  await expect(page).toHaveURL(/#\/settings\/address$/u);
});
