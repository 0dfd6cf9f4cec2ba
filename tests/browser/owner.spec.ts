import { NAME, PASSWORD, expect, notice, test, thoroughTest } from './pda.ts';

test('a session that has ended leads to the sign-in page and then back to the previous page', async ({ page, pda }) => {
  await pda.store('notes/ideas', { text: 'one' });
  await pda.enter(page, '/data/endpoint/notes/ideas?view=json');
  await expect(page.getByText('"one"')).toBeVisible();
  // The page notices the sign-out when its event stream ends.
  await pda.call('POST', '/api/v2.6/owner/sign-out');
  await expect(page.getByRole('heading', { name: `Sign in to ${NAME}` })).toBeVisible();
  await expect(page.getByText('Your session has ended')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill('not this one');
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByText('Incorrect name or password.')).toBeVisible();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Ideas' })).toBeVisible();
  await expect(page.getByText('"one"')).toBeVisible();
});

thoroughTest('the device stays signed in only on request', async ({ page, pda, context }) => {
  const signIn = async (shouldStaySignedIn: boolean) => {
    await page.goto(`${pda.url}/#/sign-in`);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    if (shouldStaySignedIn) await page.getByLabel('Keep me signed in on this device').check();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
  };
  await signIn(false);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
  const secondPage = await context.newPage();
  await secondPage.goto(pda.url);
  await expect(secondPage.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await page.getByRole('button', { name: 'ada: appearance, language and signing out' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await expect(page.getByText('You are signed out.')).toBeVisible();
  await signIn(true);
  await secondPage.goto(pda.url);
  await secondPage.reload();
  await expect(secondPage.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
});

test('sessions can be listed and ended, and a new password ends all others', async ({ page, pda, browser }) => {
  await pda.enter(page, '/settings/security');
  const otherPage = await browser.newPage({
    userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1',
  });
  const signInOnOtherPage = async () => {
    await otherPage.goto(`${pda.url}/#/sign-in`);
    await otherPage.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await otherPage.getByRole('button', { name: 'Sign in' }).click();
    await expect(otherPage.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
  };
  await signInOnOtherPage();
  await page.reload();
  await page.getByRole('button', { name: 'End the session: Safari on iPhone' }).click();
  await expect(notice(page, '1 session ended')).toBeVisible();
  await otherPage.goto(`${pda.url}/#/settings/about`);
  // The URL changes first. Until then, the heading may still belong to the previous page.
  await expect(otherPage).toHaveURL(/#\/sign-in/);
  await expect(otherPage.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await signInOnOtherPage();

  await page.getByLabel('Current password').fill('wrong');
  await page.getByLabel('New password').fill('another horse, another battery');
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(page.getByText('This is not the current password.')).toBeVisible();
  await page.getByLabel('Current password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Change password' }).click();
  await expect(notice(page, 'Password changed.')).toBeVisible();
  await otherPage.goto(`${pda.url}/#/settings/about`);
  await expect(otherPage.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await otherPage.close();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Active sessions' })).toBeVisible();
});

test('the setup address works once, and only with its code', async ({ page, newPda }) => {
  await page.goto(`${newPda.url}/#/setup?code=guessed`);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByLabel('Name').fill(NAME);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up my PDA' }).click();
  await expect(page.getByText('The set-up code is wrong')).toBeVisible();
  await newPda.setUp();
  await page.goto(newPda.setupUrl);
  await page.reload();
  await expect(page.getByRole('heading', { name: 'This PDA is already set up' })).toBeVisible();
});

thoroughTest('the colour scheme can be chosen and persists', async ({ page, pda }) => {
  await pda.enter(page);
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'light');
  await page.getByRole('button', { name: 'ada: appearance, language and signing out' }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await page.reload();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
});

thoroughTest('the API documentation can be searched and shows how to send a request', async ({ page, pda }) => {
  await pda.enter(page, '/settings/api');
  await page.getByLabel('Find an operation').fill('sources');
  await page.getByRole('button', { name: /GET .*\/data\/sources/ }).click();
  await expect(page.getByText(`'${pda.url}/api/v2.6/data/sources'`)).toBeVisible();
  await expect(page).toHaveURL(/call=get/);
  await page.reload();
  await expect(page.getByText(`'${pda.url}/api/v2.6/data/sources'`)).toBeVisible();
});
