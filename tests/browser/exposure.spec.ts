import type { Page } from '@playwright/test';
import decode from 'qr/decode.js';
import type { CertificateState, ExposureState, PdaCertificate } from '../../server/wire/exposure.ts';
import { ADDRESS, DARK, GOOD, answerExposure, exposureOf, missed, tellExposure } from './exposure.ts';
import { DIALOG, type Pda, expect, expectAccessible, expectAccessibleToo, notice, test } from './pda.ts';

/** What can be reached from outside, by which address, and how to end that at once. */

const PLACE = '/settings/address';
const now = (page: Page) => page.getByRole('region', { name: 'Right now' });

async function open(page: Page, pda: Pda): Promise<void> {
  await pda.enter(page, PLACE);
  await expect(page.getByRole('heading', { name: 'Address and exposure' })).toBeVisible();
}

const STATES: Record<ExposureState, { title: string; says: string }> = {
  off: { title: 'Only this computer can reach your PDA', says: 'choose a way below' },
  dark: { title: 'Your PDA is dark', says: 'Nobody outside can reach it' },
  connecting: { title: 'On the way to the relay', says: 'It goes on trying by itself' },
  certificate: { title: 'Waiting for the certificate', says: 'Nothing goes out unprotected meanwhile' },
  unproven: { title: 'Ready, and not tried from outside yet', says: 'Try it from outside to know' },
  reachable: { title: 'Anybody can reach your PDA at this address', says: '2 connections from outside open now' },
  readable: { title: 'Readable by lt.example', says: 'lt.example can read and change everything that passes' },
  unreachable: { title: 'Nobody answers at your address', says: 'Your PDA tries again by itself' },
  refused: { title: 'The relay does not give this name to your PDA', says: 'The name is taken' },
  impostor: { title: 'Somebody else answers at your address', says: 'Do not sign in at that address' },
};

const NO_CERTIFICATE: PdaCertificate = { ...GOOD, state: 'none', issuer: null, notBefore: null, notAfter: null };

const LOCALTUNNEL = { host: 'https://lt.example', subdomain: 'ada', readableBy: 'lt.example', passwordSignIn: false };

const MORE: Partial<Record<ExposureState, Parameters<typeof exposureOf>[1]>> = {
  dark: DARK,
  connecting: { certificate: null, probe: null, tries: 4, problem: 'the relay did not answer' },
  certificate: { certificate: { ...NO_CERTIFICATE, state: 'asking' } },
  readable: { way: 'localtunnel', localtunnel: LOCALTUNNEL, certificate: null, relay: null, domain: null },
  unreachable: { probe: missed('the connection timed out'), tries: 7 },
  refused: { problem: 'The name is taken', certificate: null },
  impostor: { problem: 'another key was shown', probe: missed('another key was shown') },
};

/** One of each colour: axe finds nothing else in the others. */
const COLOURED = new Set<ExposureState>(['off', 'reachable', 'readable', 'refused', 'impostor']);

test('every state is said in plain words, with what it means and what to do; dark and still answering loudly, and an old try proves nothing', async ({
  page,
  pda,
}) => {
  test.setTimeout(90_000);
  const answering = await answerExposure(page, exposureOf('off'));
  await open(page, pda);
  for (const [state, { title, says }] of Object.entries(STATES) as [ExposureState, { title: string; says: string }][]) {
    await tellExposure(pda, answering, exposureOf(state, MORE[state]));
    await expect(now(page).getByRole('heading', { name: title })).toBeVisible();
    await expect(now(page)).toContainText(says.replaceAll(/(\d) /gu, '$1\u00A0'));
    if (COLOURED.has(state)) await expectAccessible(page, `state ${state}`);
    // Nobody is sent to a stranger, nor to whoever has the name.
    const isOurs = state !== 'off' && state !== 'impostor' && state !== 'refused';
    await expect(now(page).getByRole('button', { name: 'Open on a phone' })).toHaveCount(isOurs ? 1 : 0);
  }
  await expectAccessibleToo(page, 'impostor');

  const stillAnswers = { ...DARK, probe: { ...missed(''), reached: true, problem: null } };
  await tellExposure(pda, answering, exposureOf('dark', stillAnswers));
  await expect(page.getByRole('alert').filter({ hasText: 'A try from outside still got through' })).toBeVisible();
  await expectAccessible(page, 'dark, and still answering');
  const darkSince = new Date(Date.now() - 1000).toISOString();
  await tellExposure(pda, answering, exposureOf('dark', { ...DARK, darkSince }));
  await expect(page.getByText('It could not be tried from outside.')).toBeVisible();
  await expect(page.getByText('Proved')).toHaveCount(0);
});

const CERTIFICATES: Record<CertificateState, string> = {
  none: 'Not asked for yet',
  asking: 'Being asked for.',
  good: 'Good',
  renewing: 'A new one is being asked for',
  expired: 'Browsers refuse your address until there is a new one',
  notYet: 'Look whether its date and time are right',
  untrusted: 'Not trusted any more',
  failed: 'Nobody outside can reach your PDA without one',
};

test('every state of the certificate is said in plain words', async ({ page, pda }) => {
  test.setTimeout(60_000);
  const answering = await answerExposure(page, exposureOf('reachable'));
  await open(page, pda);
  const part = page.getByRole('region', { name: 'Certificate' });
  for (const [state, says] of Object.entries(CERTIFICATES) as [CertificateState, string][]) {
    const problem = state === 'failed' ? 'The authority gives no more this week' : null;
    await tellExposure(pda, answering, exposureOf('reachable', { certificate: { ...GOOD, state, problem } }));
    await expect(part).toContainText(says);
    if (problem !== null) await expect(part).toContainText(problem);
  }
  await expectAccessible(page, 'a certificate that was refused');
});

test('what is open to others is counted, and each leads to where it can be taken back', async ({ page, pda }) => {
  await answerExposure(page, exposureOf('reachable'));
  await open(page, pda);
  const list = page.getByRole('list', { name: 'What somebody outside could use' });
  await expect(list.getByRole('listitem')).toHaveCount(9);
  const leads = {
    '4 parts of your profile': '#/settings/profile',
    '3 public files': '#/files?show=public',
    '12 files given to people': '#/files?show=shared',
    '2 people with a password of their own': '#/settings/people',
    '1 other sign-in of yours': '#/settings/security',
    '4 applications with a key that works': '#/applications',
    '5 Data Debits that run': '#/sharing',
    '1 contract joined': '#/sharing/contracts',
  };
  for (const [what, place] of Object.entries(leads)) {
    const link = list.getByRole('link', { name: `Look: ${what.replace(' ', '\u00A0')}` });
    await expect(link).toHaveAttribute('href', place);
  }
  await list.getByRole('link', { name: 'Look: 3\u00A0public files' }).click();
  await expect(page).toHaveURL(/#\/files\?show=public$/u);
});

test('nothing given to others is said in one line', async ({ page, pda }) => {
  await answerExposure(page, exposureOf('off'));
  await open(page, pda);
  await expect(page.getByRole('list', { name: 'What somebody outside could use' }).getByRole('listitem')).toHaveCount(
    1,
  );
  await expect(page.getByText('Not open: your profile, public files, other sign-ins of yours, people,')).toBeVisible();
});

test('going dark shows the failed try from outside, and light undoes it', async ({ page, pda }) => {
  const answering = await answerExposure(page, exposureOf('reachable'));
  answering.on = {
    'go-dark': () => void (answering.now = exposureOf('dark', DARK)),
    'go-light': () => {
      answering.now = exposureOf('unproven', { probe: null });
      return undefined;
    },
    probe: () => {
      answering.now = exposureOf('reachable');
      return undefined;
    },
  };
  await open(page, pda);
  await now(page).getByRole('button', { name: 'Go dark' }).click();
  await expect(now(page).getByRole('heading', { name: 'Your PDA is dark' })).toBeVisible();
  await expect(now(page).getByText('Proved: a try from outside got nowhere')).toBeVisible();
  await expect(now(page)).toContainText('the connection was refused');
  await expect(now(page).getByRole('link', { name: 'Open it' })).toHaveCount(0);
  await expectAccessible(page, 'dark, with its proof');
  await now(page).getByRole('button', { name: 'Let visitors in again' }).click();
  await expect(now(page).getByRole('heading', { name: 'Ready, and not tried from outside yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await expect(now(page).getByRole('heading', { name: 'Anybody can reach your PDA' })).toBeVisible();
  expect(answering.sent).toEqual(['POST go-dark', 'POST go-light', 'POST probe']);
});

test('who is here by the public address is warned before going dark, and told what became of it', async ({
  page,
  pda,
}) => {
  await answerExposure(page, exposureOf('reachable', { address: pda.url }), {
    'go-dark': (route) => route.abort(),
  });
  await open(page, pda);
  await now(page).getByRole('button', { name: 'Go dark' }).click();
  const dialog = page.getByRole('dialog', { name: 'Go dark from outside' });
  await expect(dialog.getByRole('button', { name: 'Stay reachable' })).toBeFocused();
  await expectAccessible(page, 'dark from outside', DIALOG);
  await dialog.getByRole('button', { name: 'Go dark' }).click();
  await expect(page.getByText('You are shut out now')).toBeVisible();
});

test('a phone reads the address from the picture, in the dark too', async ({ page, pda, context }) => {
  test.setTimeout(60_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await answerExposure(page, exposureOf('reachable'));
  await open(page, pda);
  await now(page).getByRole('button', { name: 'Copy the address' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(ADDRESS);
  await expect(now(page).getByRole('link', { name: 'Open it' })).toHaveAttribute('href', ADDRESS);
  await now(page).getByRole('button', { name: 'Open on a phone' }).click();
  const code = page.getByRole('img', { name: `QR code of the address ${ADDRESS}` });
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

test('a name at a relay: what it means is said before, and terms that are known have to be agreed to', async ({
  page,
  pda,
}) => {
  const answering = await answerExposure(page, exposureOf('off'), {
    PUT: () => {
      answering.now = exposureOf('connecting', { certificate: null, probe: null });
      return undefined;
    },
  });
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await expect(page.getByRole('radio', { name: 'No public address' })).toBeFocused();
  // By keyboard alone.
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('radio', { name: 'A name at a relay' })).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Address of the relay')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByText('Write the address of the relay first.')).toBeVisible();
  await expect(page.getByText('Without that no certificate can be asked for.')).toBeVisible();
  await expectAccessible(page, 'the way, with its errors');
  await page.keyboard.type('pda.example');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Domain of its names')).toHaveValue('pda.example');
  await expect(
    page.getByText('Anybody on the internet can open the sign-in page at https://ada.pda.example'),
  ).toBeVisible();
  await expect(page.getByRole('link', { name: 'Read the terms' })).toHaveAttribute(
    'href',
    'https://authority.example/terms.pdf',
  );
  await page.keyboard.press('Tab');
  await page.keyboard.press('Space');
  await expectAccessible(page, 'the way to a relay');
  await page.getByRole('button', { name: 'Ask for this name' }).press('Enter');
  await expect(now(page).getByRole('heading', { name: 'On the way to the relay' })).toBeVisible();
  expect(answering.sent).toEqual([
    'PUT {"way":"tunnel","relay":"https://pda.example","domain":"pda.example","agreed":true}',
  ]);
  // The next state comes by itself.
  answering.now = exposureOf('reachable');
  await expect(now(page).getByRole('heading', { name: 'Anybody can reach your PDA' })).toBeVisible();
});

test('terms that nobody could know before are asked about when they are there', async ({ page, pda }) => {
  const certificate = { ...NO_CERTIFICATE, problem: 'Not agreed to.' };
  const waiting = exposureOf('certificate', { certificate, termsWait: true });
  const answering = await answerExposure(page, exposureOf('off', { terms: null }));
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('https://pda.example');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(page.getByText('Your PDA looks for them first')).toBeVisible();
  answering.on = { PUT: () => void (answering.now = waiting) };
  await page.getByRole('button', { name: 'Ask for this name' }).click();
  await expect(now(page).getByRole('heading', { name: 'The terms of the authority wait for you' })).toBeVisible();
  await expect(now(page).getByRole('link', { name: 'Read the terms' })).toBeVisible();
  await expectAccessible(page, 'terms to agree to');
  answering.on = { PUT: () => void (answering.now = exposureOf('certificate', MORE.certificate)) };
  await now(page).getByRole('button', { name: 'I agree to these terms' }).click();
  await expect(now(page).getByRole('heading', { name: 'Waiting for the certificate' })).toBeVisible();
  const sent = { way: 'tunnel', relay: 'https://pda.example', domain: 'pda.example', agreed: false };
  expect(answering.sent).toEqual([sent, { ...sent, agreed: true }].map((body) => `PUT ${JSON.stringify(body)}`));
});

test('a domain of this computer needs no certificate and no terms', async ({ page, pda }) => {
  const answering = await answerExposure(page, exposureOf('off'));
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await page.getByLabel('Address of the relay').fill('http://localhost:8080');
  await page.getByLabel('Domain of its names').fill('localhost');
  await expect(page.getByRole('checkbox')).toHaveCount(0);
  await expect(page.getByText('Only programs on this computer can open http://ada.localhost:8080.')).toBeVisible();
  await page.getByRole('button', { name: 'Ask for this name' }).click();
  await expect(notice(page, 'Your PDA asks the relay for its name')).toBeVisible();
  expect(answering.sent).toEqual([
    'PUT {"way":"tunnel","relay":"http://localhost:8080","domain":"localhost","agreed":false}',
  ]);
});

test('an address that one has anyway, and none again', async ({ page, pda }) => {
  const answering = await answerExposure(page, exposureOf('reachable'));
  await open(page, pda);
  await page.getByRole('button', { name: 'Change the way' }).click();
  await page.getByRole('radio', { name: 'An address that I have anyway' }).check();
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('Write the address first.')).toBeVisible();
  await page.getByLabel('Your address').fill('http://ada.example.org');
  await expect(page.getByText('everybody on the way can read what passes')).toBeVisible();
  await expectAccessible(page, 'an address without protection');
  await page.getByLabel('Your address').fill('ada.example.org/');
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(notice(page, 'Your PDA has this address now')).toBeVisible();
  await page.getByRole('button', { name: 'Change the way' }).click();
  await page.getByRole('radio', { name: 'No public address' }).check();
  await expect(page.getByText('Nobody outside can open it')).toBeVisible();
  await page.getByRole('button', { name: 'Close it to the outside' }).click();
  await expect(notice(page, 'Your PDA has no public address now')).toBeVisible();
  expect(answering.sent).toEqual(['PUT {"way":"own","publicUrl":"https://ada.example.org"}', 'PUT {"way":"none"}']);
});

test('an address of the owner names the port that the proxy points at, and a proxy that lets visitors pass as the owner is a loud warning', async ({
  page,
  pda,
}) => {
  await pda.configure({ publicUrl: 'https://ada.example.org' });
  await open(page, pda);
  await expect(page.getByText(/Point your proxy at http:\/\/127\.0\.0\.1:\d+/u)).toBeVisible();
  await expect(page.getByText('Visitors of your address can pass as you')).toHaveCount(0);
  const listener = 'http://127.0.0.1:4001';
  const probe = { ...missed(''), localAccess: true };
  await answerExposure(page, exposureOf('unreachable', { way: 'own', publicListener: listener, probe }));
  await page.reload();
  await expect(page.getByText('Visitors of your address can pass as you')).toContainText(listener);
  await expectAccessible(page, 'a proxy at the wrong port');
});

test('a way that config.json sets is shown, and not changed here', async ({ page, pda }) => {
  await answerExposure(page, exposureOf('reachable', { fixed: true }));
  await open(page, pda);
  await expect(page.getByText('This is set in config.json or on the command line')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Change the way' })).toHaveCount(0);
});

test('what fails is said, and what was typed is kept', async ({ page, pda }) => {
  const refused = {
    status: 400,
    json: { error: 'invalid_request', cause: 'This relay takes no more names.', requestId: 'r-1' },
  };
  const answering = await answerExposure(page, exposureOf('off'), { PUT: (route) => route.fulfill(refused) });
  await open(page, pda);
  await page.getByRole('button', { name: 'Choose a way' }).click();
  await page.getByRole('radio', { name: 'An address that I have anyway' }).check();
  await page.getByLabel('Your address').fill('https://ada.example.org');
  await page.getByRole('button', { name: 'Use this address' }).click();
  await expect(page.getByText('This relay takes no more names.')).toBeVisible();
  await expect(page.getByLabel('Your address')).toHaveValue('https://ada.example.org');
  await expectAccessible(page, 'a change that was refused');
  // Then the PDA does not answer at all.
  answering.on = {
    GET: (route) => route.fulfill({ status: 500, json: { error: 'internal_error', cause: '', requestId: 'r-2' } }),
  };
  await page.reload();
  await expect(page.getByRole('alert').filter({ hasText: 'r-2' })).toBeVisible();
  await expectAccessible(page, 'the address could not be loaded');
  answering.on = {};
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(now(page)).toBeVisible();
});

test('while it loads there are lines, and without the PDA what was known stays', async ({ page, pda }) => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answering = await answerExposure(page, exposureOf('reachable'), {
    GET: async (route) => {
      await held;
      await route.fulfill({ json: exposureOf('reachable') });
    },
  });
  await open(page, pda);
  await expect(page.locator('[aria-busy=true]')).toBeVisible();
  release();
  await expect(now(page)).toBeVisible();
  answering.on = { 'go-dark': (route) => route.abort() };
  await now(page).getByRole('button', { name: 'Go dark' }).click();
  await expect(now(page).getByRole('alert')).toContainText('Your PDA does not answer.');
  await expect(now(page).getByRole('button', { name: 'Go dark' })).toBeEnabled();
});

test('home says in one line whether anybody outside can reach it, and what is wrong with it', async ({ page, pda }) => {
  await pda.store('notes/ideas', [{ text: 'one' }]);
  const answering = await answerExposure(page, exposureOf('off'));
  await pda.enter(page);
  await expect(page.getByRole('link', { name: 'only this computer can reach it' })).toBeVisible();
  await tellExposure(pda, answering, exposureOf('reachable'));
  await expect(page.getByRole('link', { name: `Reachable at ${ADDRESS}` })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'All is well' })).toBeVisible();
  await tellExposure(pda, answering, exposureOf('impostor', MORE.impostor));
  await expect(page.getByRole('heading', { name: 'One thing needs you' })).toBeVisible();
  await page.getByRole('link', { name: 'Look: Somebody else answers at your address' }).click();
  await expect(page).toHaveURL(/#\/settings\/address$/u);
});
