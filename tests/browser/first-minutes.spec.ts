import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { addAuthenticator } from './authenticator.ts';
import { NAME, PASSWORD, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';
import { ROOT } from '../support/paths.ts';

/** Maximum number of clicks and inputs from `npm start` to an approved Data Debit. */
const ACTIONS_MAX = 11;

/** Starts the PDA as in the README, in a separate home. Resolves when the setup URL is printed. */
async function startWithNpm(home: string): Promise<{ setupUrl: string; stop: () => Promise<void> }> {
  const child = spawn('npm', ['start', '--', '--home', home, '--port', '0', '--no-open'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, CI: '1' },
    // npm does not forward signals, so the whole process group is stopped.
    detached: true,
  });
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const setupUrl = await new Promise<string>((resolve, reject) => {
    let output = '';
    const readOutput = (chunk: Buffer) => {
      output += chunk.toString();
      const printedUrl = /^\s+(http:\S+setup\S+)$/m.exec(output)?.[1];
      if (printedUrl !== undefined) resolve(printedUrl);
    };
    child.stdout.on('data', readOutput);
    child.stderr.on('data', readOutput);
    child.once('exit', (code) => reject(new Error(`npm start exited with ${String(code)}:\n${output}`)));
  });
  return {
    setupUrl,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
      await exit;
    },
  };
}

/** Performs and counts the actions of a person. */
class ActionCounter {
  count = 0;
  private readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }
  async click(role: 'button' | 'link', name: string | RegExp): Promise<void> {
    this.count += 1;
    await this.page.getByRole(role, { name }).click();
  }
  async fill(label: string, text: string): Promise<void> {
    this.count += 1;
    await this.page.getByLabel(label, { exact: true }).fill(text);
  }
}

test('loads example data after npm start, reviews and allows a Data Debit, and removes the example data', async ({
  page,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'pda-first-'));
  const startMs = performance.now();
  const server = await startWithNpm(join(folder, 'pda'));
  try {
    const actions = new ActionCounter(page);
    await page.goto(server.setupUrl);
    await actions.click('button', 'Begin');
    await actions.fill('Name', NAME);
    await actions.click('button', 'Use this name');
    await actions.fill('Password', PASSWORD);
    await actions.click('button', 'Set up my PDA');
    await actions.click('button', 'Continue');
    await expect(page.getByRole('heading', { name: 'A second copy' })).toBeFocused();
    await actions.click('button', 'Later');
    await actions.click('button', 'Only this computer');
    await actions.click('button', 'Try with example data');
    await expect(page.getByText('Your PDA contains example data')).toBeVisible();
    await actions.click('link', 'View request');
    await expect(page.getByRole('heading', { name: 'Walk Report (example)' })).toBeVisible();
    await actions.click('button', /^Allow 3.fields until/);
    await expect(notice(page, 'Walk Report (example) can see what you allowed')).toBeVisible();

    const seconds = (performance.now() - startMs) / 1000;
    test
      .info()
      .annotations.push({ type: 'measured', description: `${seconds.toFixed(1)} s, ${actions.count} actions` });
    expect(actions.count).toBeLessThanOrEqual(ACTIONS_MAX);
    // The example data fills the pages, and can be removed.
    await page.getByRole('link', { name: 'Timeline' }).first().click();
    await expect(page.getByRole('heading', { name: 'Timeline', level: 1 })).toBeVisible();
    await expect(page.getByText('(example)').first()).toBeVisible();
    await page.getByRole('link', { name: 'Home' }).first().click();
    await page.getByRole('button', { name: 'Remove example data' }).click();
    await page.getByRole('button', { name: 'Remove all example data' }).click();
    await expect(notice(page, 'All example data has been removed')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
  } finally {
    await server.stop();
    // npm exits before the server that it started.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
});

thoroughTest(
  'npm start prints an address that supports passkeys, and the setup can keep the owner signed in',
  async ({ page, context }) => {
    const folder = await mkdtemp(join(tmpdir(), 'pda-first-'));
    const server = await startWithNpm(join(folder, 'pda'));
    try {
      const { origin, hostname } = new URL(server.setupUrl);
      expect(hostname).toBe('localhost');
      await page.goto(server.setupUrl);
      await page.getByRole('button', { name: 'Begin' }).click();
      await page.getByLabel('Name').fill(NAME);
      await page.getByRole('button', { name: 'Use this name' }).click();
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByLabel('Stay signed in on this computer').check();
      await page.getByRole('button', { name: 'Set up my PDA' }).click();
      await expect(page.getByRole('heading', { name: `${NAME} is set up` })).toBeVisible();

      // The session outlives its tab.
      const laterTab = await context.newPage();
      await page.close();
      await addAuthenticator(laterTab);
      await laterTab.goto(`${origin}/#/settings/security`);
      await laterTab.getByRole('button', { name: 'Add a passkey' }).click();
      const dialog = laterTab.getByRole('dialog');
      await dialog.getByLabel('Your password').fill(PASSWORD);
      await dialog.getByLabel('Name of the passkey').fill('laptop');
      await dialog.getByRole('button', { name: 'Continue' }).click();
      await expect(laterTab.getByRole('dialog', { name: 'Your recovery codes' })).toBeVisible();
    } finally {
      await server.stop();
      // npm exits before the server that it started.
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
    }
  },
);

thoroughTest('a step after the setup can be done, skipped, dismissed or opened later', async ({ page, newPda }) => {
  const folder = await mkdtemp(join(tmpdir(), 'pda-copies-'));
  await page.goto(newPda.setupUrl);
  await page.getByRole('button', { name: 'Begin' }).click();
  await page.getByLabel('Name').fill(NAME);
  await page.keyboard.press('Enter');
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Set up my PDA' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { name: 'A second copy' })).toBeVisible();
  await expect(page).not.toHaveURL(/code=/);
  await expectAccessible(page, 'the step for backups');
  // Reloading the page loses nothing.
  await page.reload();
  await page.getByLabel('Folder on this computer').fill(folder);
  await page.getByLabel('Backup passphrase', { exact: true }).fill('nine green bottles on a wall');
  await page.getByRole('button', { name: 'Use this folder' }).click();
  const keyDialog = page.getByRole('dialog');
  // Hashing the passphrase is slow by design.
  await expect(keyDialog.getByRole('button', { name: 'Print' })).toBeVisible();
  await keyDialog.getByRole('button', { name: 'I saved it' }).click();
  await expect(page.getByText('You have chosen a backup folder.')).toBeVisible();
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('button', { name: 'Only this computer' })).toBeVisible();
  await expectAccessible(page, 'the step for the address');
  await page.getByRole('button', { name: 'Only this computer' }).click();
  await expect(page.getByRole('button', { name: 'Start without data' })).toBeVisible();
  await expectAccessible(page, 'the step for data');
  await page.getByRole('button', { name: 'Start without data' }).click();

  // Completed steps are not shown; the others have one line each, which can be dismissed.
  const todoRegion = page.getByRole('region', { name: 'Still to do' });
  await expect(todoRegion.getByRole('link')).toHaveCount(3);
  await expect(todoRegion.getByText('Choose a folder for backups')).toHaveCount(0);
  await todoRegion.getByRole('button', { name: 'Dismiss: Give your PDA a public address' }).click();
  await expect(todoRegion.getByRole('link')).toHaveCount(2);
  await page.reload();
  await expect(todoRegion.getByRole('link')).toHaveCount(2);
  await expectAccessible(page, 'home, with what is still to do');
  await todoRegion.getByRole('link', { name: 'Fill in your profile' }).click();
  await expect(page.getByRole('heading', { name: 'Profile', level: 1 })).toBeVisible();
  // The first backup may still be running.
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
});
