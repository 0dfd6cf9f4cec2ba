import { addAuthenticator } from './authenticator.ts';
import { type Pda, expect, expectPlainPageAccessible, test, thoroughTest } from './pda.ts';

// The guest uses the PDA at localhost, where browsers allow passkeys without HTTPS.

async function inviteGrace(pda: Pda): Promise<string> {
  const body = { name: 'Grace', days: 7, fileIds: [] };
  const { path } = (await pda.call('POST', '/api/v2.6/owner/invitations', body)) as { path: string };
  return `http://localhost:${new URL(pda.url).port}${path}`;
}

test('a guest accepts an invitation with a passkey, signs in with it, adds another and deletes the account', async ({
  page,
  pda,
  browser,
}) => {
  const address = await inviteGrace(pda);
  const scriptlessContext = await browser.newContext({ javaScriptEnabled: false });
  const scriptlessPage = await scriptlessContext.newPage();
  await scriptlessPage.goto(address);
  await expect(scriptlessPage.getByLabel('Repeat the password')).toBeVisible();
  await expect(scriptlessPage.getByRole('button', { name: 'Create my account with a passkey' })).toBeHidden();
  await scriptlessContext.close();

  const { session, authenticatorId } = await addAuthenticator(page);
  await page.goto(address);
  const acceptButton = page.getByRole('button', { name: 'Create my account with a passkey' });
  await expect(acceptButton).toBeVisible();
  await expectPlainPageAccessible(page, 'invitation with passkeys');
  await acceptButton.click();
  await expect(page.getByRole('heading', { name: 'Shared with you' })).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page.getByText('You are signed out.')).toBeVisible();
  await expectPlainPageAccessible(page, 'sign-in with passkeys');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Shared with you' })).toBeVisible();

  await page.getByRole('link', { name: 'Account' }).click();
  await expectPlainPageAccessible(page, 'account with a passkey');
  await page.getByRole('link', { name: /^Remove / }).click();
  await expect(page.getByRole('heading', { name: 'This passkey cannot be removed' })).toBeVisible();
  await page.getByRole('link', { name: 'Back to the account' }).click();
  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Name of the passkey')).toHaveValue(/ on /);
  await expectPlainPageAccessible(page, 'new passkey of a guest');
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await expect(page.getByText('This device already has a passkey for your account.')).toBeVisible();
  await session.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId });
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Create passkey' }).click();
  await expect(page.getByText('The passkey was added.')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Remove / })).toHaveCount(2);

  await page.getByRole('button', { name: 'Delete my account' }).click();
  await expect(page.getByText('Your account was deleted.')).toBeVisible();
});

thoroughTest('the passkey button stays disabled once the form has been submitted', async ({ page, pda }) => {
  const address = await inviteGrace(pda);
  await addAuthenticator(page);
  await page.goto(address);
  let postCount = 0;
  await page.route('**', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    postCount += 1;
    // Without content, the browser stays on the page.
    return route.fulfill({ status: 204 });
  });
  const acceptButton = page.getByRole('button', { name: 'Create my account with a passkey' });
  await acceptButton.click();
  await expect.poll(() => postCount).toBe(1);
  await expect(acceptButton).toBeDisabled({ timeout: 5000 });
});
