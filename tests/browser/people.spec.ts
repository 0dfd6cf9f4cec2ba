import type { Page } from '@playwright/test';
import { DIALOG, NAME, PASSWORD, type Pda, expect, expectAccessible, test, thoroughTest } from './pda.ts';

const PERSON_PASSWORD = 'a quiet meadow in the north';

interface AddedUser {
  userId: string;
}

const addPerson = (pda: Pda, name: string, fields: Record<string, string> = {}): Promise<AddedUser> =>
  pda.call('POST', '/users/user', { name, password: PERSON_PASSWORD, ...fields }) as Promise<AddedUser>;

async function trySignIn(pda: Pda, name: string, password: string): Promise<number> {
  const headers = { username: encodeURIComponent(name), password: encodeURIComponent(password) };
  return (await fetch(`${pda.url}/users/access_token`, { headers })).status;
}

const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'People' }).getByRole('listitem').filter({ hasText: name });

async function chooseAction(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

thoroughTest('adds a person with a generated password, who can sign in with it', async ({ page, pda, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await pda.enter(page, '/settings/security');
  await page.getByRole('link', { name: 'People' }).click();
  await expect(page.getByRole('heading', { name: 'No people yet' })).toBeVisible();
  await page.getByRole('button', { name: 'Add person' }).click();
  await expect(page).toHaveURL(/add=1/);
  const dialog = page.getByRole('dialog', { name: 'Add person' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expect(dialog.getByText('Enter a password.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Grace');
  await dialog.getByLabel('Email').fill('grace@example.org');
  await dialog.getByRole('button', { name: 'Generate password' }).click();
  await expect(dialog.getByText('Very hard to guess')).toBeVisible();
  const password = await dialog.locator('code').innerText();
  expect(password).toMatch(/^(?:[a-z2-9]{4}-){4}[a-z2-9]{4}$/);
  await dialog.getByRole('button', { name: 'Add person' }).click();

  const confirmation = page.getByRole('dialog', { name: 'Grace can sign in now' });
  await expect(confirmation.getByText(password)).toBeVisible();
  await expect(confirmation.getByText(pda.url)).toBeVisible();
  await expect(confirmation.getByText('Only this computer can reach your PDA at the moment')).toBeVisible();
  await confirmation.getByRole('button', { name: 'Copy password' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(password);
  await confirmation.getByRole('button', { name: 'Done' }).click();
  await expect(confirmation).toHaveCount(0);
  await expect(page.getByText(password)).toHaveCount(0);
  await expect(page).not.toHaveURL(/add=1/);
  await expect(rowOf(page, 'Grace')).toContainText('grace@example.org');
  await expect(rowOf(page, 'Grace')).toContainText('Has not signed in yet');

  expect(await trySignIn(pda, 'grace', password)).toBe(200);
  await page.reload();
  await expect(rowOf(page, 'Grace')).toContainText('Last seen');
});

thoroughTest('shows why a person cannot be added, and keeps the input', async ({ page, pda }) => {
  await addPerson(pda, 'Grace');
  await pda.enter(page, '/settings/people?add=1');
  const dialog = page.getByRole('dialog', { name: 'Add person' });
  await dialog.getByLabel('Name').fill('GRACE');
  await dialog.getByLabel('Email').fill('invalid');
  await dialog.getByLabel('Password', { exact: true }).fill('password');
  await expect(dialog.getByText('Guessed')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(dialog.getByText('Enter a valid email address.')).toBeVisible();
  await dialog.getByLabel('Email').fill('grace@example.org');
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(dialog.getByText('This password is too easy to guess.')).toBeVisible();
  await dialog.getByLabel('Password', { exact: true }).fill(PERSON_PASSWORD);
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(dialog.getByText('This name is taken.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Grace Hopper');
  await dialog.getByLabel('Name').press('Enter');
  await expect(page.getByRole('dialog', { name: 'Grace Hopper can sign in now' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'Grace Hopper')).toContainText('grace@example.org');
});

thoroughTest('changes the name and the email address of a person', async ({ page, pda }) => {
  await addPerson(pda, 'Grace', { email: 'grace@example.org' });
  await pda.enter(page, '/settings/people');
  await chooseAction(page, 'Grace', 'Name and email');
  const dialog = page.getByRole('dialog', { name: 'Name and email of Grace' });
  await dialog.getByLabel('Name').fill('Hopper');
  await dialog.getByLabel('Email').fill('');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, 'Hopper')).toHaveCount(1);
  await expect(rowOf(page, 'Hopper')).not.toContainText('grace@example.org');
});

test('blocks and unblocks a person, and deletes one after a confirmation', async ({ page, pda }) => {
  await addPerson(pda, 'Grace');
  await addPerson(pda, 'Alan');
  await pda.enter(page, '/settings/people');
  await chooseAction(page, 'Grace', 'Block');
  await expect(page.getByText('Grace is blocked')).toBeVisible();
  await expect(rowOf(page, 'Grace')).toContainText('Blocked');
  expect(await trySignIn(pda, 'Grace', PERSON_PASSWORD)).toBe(401);
  await chooseAction(page, 'Grace', 'Unblock');
  await expect(page.getByText('Grace can sign in again')).toBeVisible();
  expect(await trySignIn(pda, 'Grace', PERSON_PASSWORD)).toBe(200);

  await chooseAction(page, 'Grace', 'Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete Grace' });
  await expect(dialog).toContainText('They lose all access to what you shared with them.');
  await expect(dialog.getByRole('button', { name: 'Keep person' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, 'Grace')).toHaveCount(1);
  await chooseAction(page, 'Grace', 'Delete');
  await dialog.getByRole('button', { name: 'Delete person' }).click();
  await expect(dialog).toHaveCount(0);
  await expect(rowOf(page, 'Grace')).toHaveCount(0);
  await expect(rowOf(page, 'Alan')).toHaveCount(1);
  expect(await trySignIn(pda, 'Grace', PERSON_PASSWORD)).toBe(401);
});

thoroughTest('renames a person by keyboard', async ({ page, pda }) => {
  await addPerson(pda, 'Grace');
  await pda.enter(page, '/settings/people');
  await page.getByRole('button', { name: 'Actions for Grace' }).focus();
  await page.keyboard.press('Enter');
  // The menu takes the focus once it is open.
  await expect(page.locator('[role=menu]:focus, [role=menu] :focus')).toHaveCount(1);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Name and email' })).toBeFocused();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Name and email of Grace' });
  await expect(dialog.getByLabel('Name')).toBeFocused();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Hopper');
  await page.keyboard.press('Enter');
  await expect(rowOf(page, 'Hopper')).toHaveCount(1);
  await expect(page.getByRole('button', { name: 'Actions for Hopper' })).toBeFocused();
});

thoroughTest(
  'shows the name of a person in the access history, even after the person was deleted',
  async ({ page, pda }) => {
    await pda.store('notes/ideas', { text: 'one' });
    const { userId } = await addPerson(pda, 'Grace');
    const headers = { username: 'Grace', password: encodeURIComponent(PERSON_PASSWORD) };
    const reply = await fetch(`${pda.url}/users/access_token`, { headers });
    const token = reply.headers.get('x-auth-token') ?? '';
    await fetch(`${pda.url}/api/v2.6/data/sources`, { headers: { 'x-auth-token': token } });
    await pda.enter(page, '/settings/security');
    await expect(page.getByRole('button', { name: /End the session: Grace, / })).toBeVisible();
    await page.goto(`${pda.url}/#/settings/people`);
    await chooseAction(page, 'Grace', 'Access history');
    await expect(page).toHaveURL(new RegExp(`user=${userId}`));
    await expect(page.getByRole('link', { name: 'A guest, Grace, signed in' })).toBeVisible();
    await expect(page.getByText('A guest, Grace, tried to read your data, refused: no permission')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Remove: Grace' })).toBeVisible();
    await page.getByRole('link', { name: 'A guest, Grace, signed in' }).click();
    await expect(
      page.getByRole('dialog', { name: 'Access' }).getByRole('link', { name: 'All by Grace' }),
    ).toBeVisible();
    await page.goto(`${pda.url}/#/`);
    await expect(page.getByRole('link', { name: /^Grace .*1 refused/ })).toBeVisible();

    await pda.call('PUT', `/users/user/${userId}/delete`);
    await page.goto(`${pda.url}/#/history?user=${userId}`);
    await page.reload();
    await expect(page.getByRole('link', { name: 'A guest, Grace, signed in' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Remove: Deleted person' })).toBeVisible();
  },
);

thoroughTest('refuses a person at the dashboard sign-in and leaves no session', async ({ page, pda }) => {
  await addPerson(pda, 'Grace');
  await page.goto(`${pda.url}/#/sign-in`);
  await page.getByLabel('Name').fill('Grace');
  await page.getByLabel('Password', { exact: true }).fill(PERSON_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('This dashboard is for the owner only.')).toBeVisible();
  await expect(page.getByRole('heading', { name: `Sign in to ${NAME}` })).toBeVisible();
  await expectAccessible(page, 'sign-in of a person');
  expect(
    await page.evaluate(() => sessionStorage.getItem('pda-token') ?? localStorage.getItem('pda-token')),
  ).toBeNull();
  const sessions = (await pda.call('GET', '/api/v2.6/owner/sessions')) as { kind: string }[];
  expect(sessions.filter(({ kind }) => kind === 'user')).toEqual([]);
  // The owner can sign in on this page.
  await page.getByLabel('Name').fill(NAME);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('Password', { exact: true }).press('Enter');
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
});

thoroughTest('shows that the list could not be loaded, and retries', async ({ page, pda }) => {
  await addPerson(pda, 'Grace');
  let isBroken = true;
  // Live events would reload the list automatically.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route('**/users/user', (route) => (isBroken ? route.abort() : route.continue()));
  await pda.enter(page, '/settings/people');
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(rowOf(page, 'Grace')).toHaveCount(1);
});

thoroughTest(
  'does not describe a person as removed if the list of people could not be loaded',
  async ({ page, pda }) => {
    const { userId } = await addPerson(pda, 'Grace');
    await page.route('**/users/user', (route) => route.fulfill({ status: 500, json: {} }));
    await pda.enter(page, `/files?visibleTo=${userId}`);
    await expect(page.getByRole('main').getByRole('alert')).toBeVisible();
    await expect(page.getByText('a removed person')).toHaveCount(0);
  },
);

thoroughTest('axe reports no violations on the people page', async ({ page, pda }) => {
  await pda.enter(page, '/settings/people');
  await expect(page.getByRole('heading', { name: 'No people yet' })).toBeVisible();
  await expectAccessible(page, 'no people');
  await page.getByRole('button', { name: 'Add person' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add person' });
  await dialog.getByRole('button', { name: 'Generate password' }).click();
  await expect(dialog.getByText('Generated just now:')).toBeVisible();
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(dialog.getByText('Enter a name.')).toBeVisible();
  await expectAccessible(page, 'adding', DIALOG);
  await dialog.getByLabel('Name').fill('Grace');
  await dialog.getByRole('button', { name: 'Add person' }).click();
  await expect(page.getByRole('dialog', { name: 'Grace can sign in now' })).toBeVisible();
  await expectAccessible(page, 'handing over', DIALOG);
  await page.keyboard.press('Escape');
  await addPerson(pda, 'Alan');
  await chooseAction(page, 'Grace', 'Block');
  await expect(rowOf(page, 'Grace')).toContainText('Blocked');
  await page.reload();
  await expect(rowOf(page, 'Alan')).toHaveCount(1);
  await expectAccessible(page, 'people');
  await chooseAction(page, 'Grace', 'Delete');
  await expect(page.getByRole('dialog', { name: 'Delete Grace' })).toBeVisible();
  await expectAccessible(page, 'deleting', DIALOG);
});
