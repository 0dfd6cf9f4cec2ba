import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { _electron, expect, test, type ElectronApplication } from '@playwright/test';
import { bundleApp } from '../../build/app-bundle.ts';
import { findElectron } from '../../build/electron-binary.ts';
import { NAME, PASSWORD } from './pda.ts';
import { ROOT } from '../support/paths.ts';

const electronBinary = findElectron(ROOT, process.env);

test.skip(electronBinary.kind === 'missing', 'no Electron binary');

let home: string;
let app: ElectronApplication;
test.beforeEach(async () => {
  if (electronBinary.kind === 'missing') return;
  home = mkdtempSync(join(tmpdir(), 'desktop-'));
  const folder = await bundleApp(ROOT, join(home, 'app'));
  app = await _electron.launch({
    executablePath: electronBinary.executable,
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      `--user-data-dir=${join(home, 'user')}`,
      folder,
      '--home',
      join(home, 'pda'),
    ],
    cwd: ROOT,
  });
});
test.afterEach(async () => {
  if (electronBinary.kind === 'missing') return;
  await app.close();
  rmSync(home, { recursive: true, force: true });
});

interface NotificationRecorder {
  notifications: { title: string; press: (index: number) => void }[];
}

test('sets up a PDA, signs in, shows a notification of a request, denies the request, and shuts down', async () => {
  // Tests cannot click system notifications. This test records them instead of showing them.
  await app.evaluate(({ Notification }) => {
    const recorder: NotificationRecorder = { notifications: [] };
    Object.assign(globalThis, { recorder });
    Notification.isSupported = () => true;
    Notification.prototype.show = function show(this: Electron.Notification) {
      const press = (actionIndex: number): unknown => this.emit('action', { actionIndex });
      recorder.notifications.push({ title: this.title, press });
    };
  });

  const page = await app.firstWindow();
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByLabel('Name').fill(NAME);
  await page.getByRole('button', { name: 'Use this name' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up my PDA' }).click();
  await page.getByRole('button', { name: 'Open my PDA' }).click();
  await page.getByRole('button', { name: `${NAME}: appearance, language and signing out` }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();

  const { origin } = new URL(page.url());
  const signInResponse = await fetch(`${origin}/users/access_token`, {
    headers: { username: NAME, password: encodeURIComponent(PASSWORD) },
  });
  const { accessToken } = (await signInResponse.json()) as { accessToken: string };
  const call = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${origin}/api/v2.6/${path}`, {
      method,
      headers: { 'x-auth-token': accessToken, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  };
  await call('POST', 'data-debit/lunch', {
    dataDebitKey: 'lunch',
    bundle: {
      name: 'lunch',
      bundle: { e: { endpoints: [{ endpoint: 'calendar/events', mapping: { name: 'name' } }] } },
    },
    start: new Date(Date.now() - 1000).toISOString(),
    period: 30 * 86_400,
    purpose: 'Lunch.',
    cancelAtPeriodEnd: true,
    termsUrl: 'https://lunch.example/terms',
    requestClientName: 'Lunch',
    requestClientUrl: 'https://lunch.example/',
    requestClientLogoUrl: 'https://lunch.example/logo.png',
  });
  const readTitles = (): Promise<string[]> =>
    app.evaluate(() =>
      (globalThis as unknown as { recorder: NotificationRecorder }).recorder.notifications.map(({ title }) => title),
    );
  await expect.poll(readTitles).toEqual(['“Lunch” (lunch.example) asks for data']);

  if (process.platform === 'linux') {
    // Notifications have no buttons on Linux, so the owner decides through the API.
    await call('POST', 'data-debit/lunch/reject');
  } else {
    await app.evaluate(() =>
      (globalThis as unknown as { recorder: NotificationRecorder }).recorder.notifications[0]?.press(0),
    );
  }
  await expect.poll(() => call('GET', 'data-debit/lunch')).toMatchObject({ state: 'rejected' });

  const exit = new Promise((resolve) => app.process().once('exit', resolve));
  await app.evaluate((electron) => electron.app.quit());
  await exit;
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
});
