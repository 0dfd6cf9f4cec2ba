import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import decode from 'qr/decode.js';
import { findFreePort } from '../../server/platform/io/free-port.ts';
import { addAuthenticator } from './authenticator.ts';
import {
  DIALOG,
  NAME,
  PASSWORD,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  notice,
  waitForPort,
  thoroughTest,
} from './pda.ts';

const PAGE_PATH = '/settings/security';
const secondFactorRegion = (page: Page) => page.getByRole('region', { name: 'Second factor' });
const dialog = (page: Page) => page.getByRole('dialog');

/** Gives the PDA a public address: a name of this machine, which browsers treat as a secure context. */
async function openPublicAddress(pda: Pda): Promise<string> {
  const publicPort = await findFreePort();
  const url = `http://ada.localhost:${publicPort}`;
  await pda.configure({ publicUrl: url, publicPort });
  await waitForPort(publicPort);
  return url;
}

/** Returns the code of an authenticator app, `stepOffset` time steps of 30 s from now. */
function codeOf(secret: string, stepOffset = 0): string {
  return new TOTP({ secret }).generate({ timestamp: Date.now() + stepOffset * 30_000 });
}

/** Adds an authenticator app in the dashboard. Reads the secret from the QR code, like a phone. */
async function addAuthenticatorApp(page: Page): Promise<{ secret: string; codes: string[] }> {
  await secondFactorRegion(page).getByRole('button', { name: 'Add an app' }).click();
  await dialog(page).getByLabel('Your password').fill(PASSWORD);
  await dialog(page).getByRole('button', { name: 'Continue' }).click();
  const picture = dialog(page).getByRole('img', { name: 'QR code with the secret' });
  await expect(picture).toBeVisible();
  const { data, width, height } = await picture.evaluate(async (svg) => {
    const image = new Image();
    image.src = `data:image/svg+xml;base64,${btoa(new XMLSerializer().serializeToString(svg))}`;
    await image.decode();
    const canvas = new OffscreenCanvas(480, 480);
    const context = canvas.getContext('2d');
    if (context === null) throw new Error('no canvas');
    context.drawImage(image, 0, 0, 480, 480);
    return { data: [...context.getImageData(0, 0, 480, 480).data], width: 480, height: 480 };
  });
  const uri = new URL(decode({ data: Uint8Array.from(data), width, height }));
  const secret = uri.searchParams.get('secret') ?? '';
  expect(uri.href).toMatch(/^otpauth:\/\/totp\/Personal%20Data%20Account:ada\?/u);
  await expectAccessible(page, 'the secret of an app', DIALOG);
  const codeInput = dialog(page).getByLabel('Six-digit code from the app');
  await codeInput.fill('000000');
  await dialog(page).getByRole('button', { name: 'Confirm code' }).click();
  await expect(dialog(page)).toContainText('Wrong code.');
  await codeInput.fill(codeOf(secret));
  await dialog(page).getByRole('button', { name: 'Confirm code' }).click();
  return { secret, codes: await readRecoveryCodes(page) };
}

async function addAppThroughApi(pda: Pda): Promise<{ codes: string[] }> {
  const path = '/api/v2.6/owner/second-factor/app';
  const { secret } = (await pda.call('POST', path, { proof: { password: PASSWORD } })) as { secret: string };
  const { recoveryCodes } = (await pda.call('POST', `${path}/confirm`, { code: codeOf(secret) })) as {
    recoveryCodes: string[];
  };
  return { codes: recoveryCodes };
}

async function readRecoveryCodes(page: Page): Promise<string[]> {
  const codesDialog = page.getByRole('dialog', { name: 'Your recovery codes' });
  await expect(codesDialog.getByRole('listitem')).toHaveCount(10);
  const codes = await codesDialog.getByRole('listitem').allInnerTexts();
  await expectAccessible(page, 'recovery codes', DIALOG);
  await page.keyboard.press('Escape');
  await expect(codesDialog).toBeVisible();
  await codesDialog.getByRole('button', { name: 'I saved them' }).click();
  await expect(codesDialog).toBeHidden();
  return codes;
}

async function submitPassword(page: Page): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(NAME);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'ada: appearance, language and signing out' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
}

const codeField = (page: Page) => page.getByLabel(/^(?:Code from your authenticator app, or a r|R)ecovery code$/u);
const navigation = (page: Page) => page.getByRole('navigation').first();

thoroughTest(
  'adds an authenticator app, requires it from outside and accepts recovery codes instead',
  async ({ page, pda }) => {
    const url = await openPublicAddress(pda);
    await pda.enter(page, PAGE_PATH);
    await expect(secondFactorRegion(page)).toContainText('Only your password protects your PDA');
    // Browsers accept passkeys for names only: at the IP address, a link to the name replaces the button.
    await expect(secondFactorRegion(page)).toContainText('You cannot add a passkey at 127.0.0.1');
    await expect(secondFactorRegion(page)).toContainText(`Open your PDA at http://localhost:${new URL(pda.url).port}`);
    await expect(secondFactorRegion(page).getByRole('button', { name: 'Add a passkey' })).toHaveCount(0);

    await secondFactorRegion(page).getByRole('button', { name: 'Add an app' }).click();
    await dialog(page).getByRole('button', { name: 'Continue' }).click();
    await expect(dialog(page)).toContainText('Enter your password');
    await dialog(page).getByLabel('Your password').fill('wrong');
    await dialog(page).getByRole('button', { name: 'Continue' }).click();
    await expect(dialog(page)).toContainText('Wrong password');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();

    const { secret, codes } = await addAuthenticatorApp(page);
    await expect(secondFactorRegion(page)).toContainText(
      'Signing in from outside requires your password and the second factor',
    );
    await expect(secondFactorRegion(page)).toContainText('10\u00A0codes left');
    await expectAccessibleInExtraVariants(page, 'second factor on');

    const otherContext = await page.context().browser()?.newContext();
    const phone = await otherContext?.newPage();
    if (phone === undefined) throw new Error('no second browser');
    await phone.goto(`${url}/#/sign-in`);
    await submitPassword(phone);
    await expect(codeField(phone)).toBeFocused();
    await expectAccessibleInExtraVariants(phone, 'the second step');
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await expect(phone.getByText('Enter a code')).toBeVisible();
    await codeField(phone).fill('000000');
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await expect(phone.getByText('this page does not say which')).toBeVisible();
    await expectAccessible(phone, 'the second step, refused');
    await phone.getByRole('button', { name: 'Back to password' }).click();
    await submitPassword(phone);
    await codeField(phone).fill(codeOf(secret, 1));
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await expect(navigation(phone)).toBeVisible();
    // Home reports a wrong code that was entered with the right password.
    await expect(phone.getByText('Your password was entered once with a wrong second factor')).toBeVisible({
      timeout: 60_000,
    });

    await signOut(phone);
    await submitPassword(phone);
    await codeField(phone).fill(codes[0] ?? '');
    await phone.getByRole('button', { name: 'Sign in' }).click();
    await expect(phone.getByText('A recovery code was used; 9 left')).toBeVisible();
    await expectAccessible(phone, 'a recovery code on the home page');
    await phone.goto(`${url}/#${PAGE_PATH}`);
    await secondFactorRegion(phone).getByRole('button', { name: 'All of that was me' }).click();
    await expect(secondFactorRegion(phone).getByRole('button', { name: 'All of that was me' })).toHaveCount(0);

    // A change from outside also requires a code.
    await secondFactorRegion(phone).getByRole('button', { name: 'Turn off' }).click();
    await dialog(phone).getByLabel('Your password').fill(PASSWORD);
    await dialog(phone).getByRole('button', { name: 'Turn off' }).click();
    await expect(dialog(phone)).toContainText('Enter a code');
    await dialog(phone).getByLabel('Code from your app').fill('000000');
    await dialog(phone).getByRole('button', { name: 'Turn off' }).click();
    await expect(dialog(phone)).toContainText('Wrong password or second factor');
    await expectAccessible(phone, 'a proof that was wrong', DIALOG);
    await dialog(phone)
      .getByLabel('Code from your app')
      .fill(codes[1] ?? '');
    await dialog(phone).getByRole('button', { name: 'Turn off' }).click();
    await expect(notice(phone, 'Second factor turned off')).toBeVisible();
    await expect(secondFactorRegion(page)).toContainText('Only your password protects your PDA');
    await otherContext?.close();
  },
);

thoroughTest('adds a passkey at the public address, signs in with it and removes it', async ({ page, pda }) => {
  const url = await openPublicAddress(pda);
  const { session, authenticatorId } = await addAuthenticator(page);
  await page.goto(`${url}/#/sign-in`);
  await submitPassword(page);
  await expect(navigation(page)).toBeVisible();
  await page.goto(`${url}/#${PAGE_PATH}`);

  await secondFactorRegion(page).getByRole('button', { name: 'Add a passkey' }).click();
  await dialog(page).getByLabel('Your password').fill(PASSWORD);
  await dialog(page).getByRole('button', { name: 'Continue to your device' }).click();
  await expect(dialog(page)).toContainText('Enter a name');
  await dialog(page).getByLabel('Name of the passkey').fill('laptop');
  await expectAccessible(page, 'a passkey is added', DIALOG);
  await dialog(page).getByRole('button', { name: 'Continue to your device' }).click();
  await readRecoveryCodes(page);
  await expect(secondFactorRegion(page).getByRole('list', { name: 'Passkeys' })).toContainText('laptop');
  await expect(secondFactorRegion(page)).toContainText('Never used');
  await expectAccessible(page, 'a passkey in the settings');

  await signOut(page);
  await submitPassword(page);
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await expectAccessible(page, 'the second step with a passkey');
  // The authenticator can no longer verify the user.
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(page.getByText('No passkey responded')).toBeVisible();
  await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
  await page.getByRole('button', { name: 'Use a passkey' }).click();
  await expect(navigation(page)).toBeVisible();

  await page.goto(`${url}/#${PAGE_PATH}`);
  await expect(secondFactorRegion(page)).not.toContainText('Never used');
  await secondFactorRegion(page).getByRole('button', { name: 'Rename the passkey laptop' }).click();
  await dialog(page).getByLabel('Name of the passkey').fill('');
  await dialog(page).getByRole('button', { name: 'Save name' }).click();
  await expect(dialog(page)).toContainText('Enter a name');
  await expectAccessible(page, 'a passkey is renamed', DIALOG);
  await dialog(page).getByLabel('Name of the passkey').fill('old laptop');
  await page.keyboard.press('Enter');
  await expect(secondFactorRegion(page).getByRole('list', { name: 'Passkeys' })).toContainText('old laptop');

  // Changing the password from outside also requires the second factor.
  const passwordRegion = page.getByRole('region', { name: 'Password' });
  await passwordRegion.getByLabel('Current password').fill(PASSWORD);
  await passwordRegion.getByLabel('New password').fill(PASSWORD);
  await passwordRegion.getByRole('button', { name: 'Change password' }).click();
  await expect(passwordRegion.getByText('Enter a code or use a passkey.')).toBeVisible();
  await expectAccessible(page, 'a new password with a second factor');
  await passwordRegion.getByRole('button', { name: 'Use a passkey instead' }).click();
  await expect(notice(page, 'Password changed.')).toBeVisible();
  await expect(passwordRegion.getByLabel('Current password')).toHaveValue('');

  await secondFactorRegion(page).getByRole('button', { name: 'Remove the passkey old laptop' }).click();
  await expect(dialog(page)).toContainText('It is your last app or passkey');
  await dialog(page).getByLabel('Your password').fill(PASSWORD);
  await dialog(page).getByRole('button', { name: 'Use a passkey instead' }).click();
  await expect(notice(page, 'Removed')).toBeVisible();
  await expect(secondFactorRegion(page)).toContainText('Only your password protects your PDA');
});

thoroughTest(
  'asks for the second factor when signing in to an application, and on this machine once enabled',
  async ({ page, pda }) => {
    const url = await openPublicAddress(pda);
    const { codes } = await addAppThroughApi(pda);
    await pda.enter(page, PAGE_PATH);
    await secondFactorRegion(page).getByRole('switch', { name: 'Ask on the computer that runs your PDA too' }).click();
    await dialog(page).getByLabel('Your password').fill(PASSWORD);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await expect(secondFactorRegion(page)).toContainText('including on the computer that runs your PDA');

    const otherContext = await page.context().browser()?.newContext();
    const otherPage = await otherContext?.newPage();
    if (otherPage === undefined) throw new Error('no second browser');
    await otherPage.goto(`${url}/#/pdalogin?name=unknown&redirect=https%3A%2F%2Fapp.example%2F`);
    await submitPassword(otherPage);
    await codeField(otherPage).fill(codes[0] ?? '');
    await expectAccessible(otherPage, 'the second step of an application');
    await otherPage.getByRole('button', { name: 'Sign in' }).click();
    await expect(codeField(otherPage)).toHaveCount(0);
    await expect(otherPage.getByRole('heading', { level: 1 })).toBeVisible();

    await otherPage.goto(`${pda.url}/#/sign-in`);
    await submitPassword(otherPage);
    await codeField(otherPage).fill(codes[1] ?? '');
    await otherPage.getByRole('button', { name: 'Sign in' }).click();
    await expect(navigation(otherPage)).toBeVisible();
    await otherContext?.close();
  },
);

thoroughTest('shows an error if a notice could not be marked as seen', async ({ page, pda }) => {
  await page.route('**/owner/second-factor', async (route) => {
    const response = await route.fetch();
    const factor = (await response.json()) as { news: object };
    const news = { ...factor.news, wrongTries: 2, lastWrongTry: '2026-03-01T12:00:00.000Z' };
    await route.fulfill({ response, json: { ...factor, news } });
  });
  await page.route('**/owner/second-factor/seen', (route) => route.abort());
  await pda.enter(page, PAGE_PATH);
  await secondFactorRegion(page).getByRole('button', { name: 'That was me' }).click();
  await expect(notice(page, 'The action failed')).toBeVisible();
});
