import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { type RunningNetwork, startNetwork } from '../../server/network/network.ts';
import { findFreePort } from '../../server/platform/io/free-port.ts';
import { startDatabaseHost } from '../../server/platform/postgres/server-client.test-support.ts';
import { DIALOG, expect, expectAccessible, notice, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';
import { ROOT } from '../support/paths.ts';

// The network as an owner sees it: the servers run as processes, the exchange and the contracts service on a real
// PostgreSQL, and the examples act as the other members.

interface Sandbox {
  network: RunningNetwork;
  /** Runs an example until it exits. @returns its output */
  runExample(file: string, ...args: string[]): Promise<string>;
  /** Address of the example application. */
  appUrl: string;
}

const environmentOf = ({ exchange, contracts, domain, pdas, passwords, seed }: RunningNetwork, appPort: number) => ({
  ...process.env,
  EXCHANGE: exchange.url,
  CONTRACTS: contracts.url,
  PDA_DOMAIN: domain,
  ...Object.fromEntries(pdas.map(({ name, password }) => [`${name.toUpperCase()}_PASSWORD`, password])),
  MARKETPLACE_PASSWORD: passwords.marketplace,
  PLUGS_PASSWORD: passwords.plugs,
  PLUG_NAME: seed?.plug,
  PLUG_PASSWORD: 'chosen by its maker',
  CONTRACT_ID: seed?.contract.id,
  CONTRACT_TOKEN: seed?.contract.token,
  PORT: String(appPort),
});

async function createDatabases(server: string): Promise<{ exchange: string; contracts: string }> {
  const client = new Client({ connectionString: `${server}/postgres` });
  await client.connect();
  for (const name of ['exchange', 'contracts']) await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return { exchange: `${server}/exchange`, contracts: `${server}/contracts` };
}

const test = base.extend<{ sandbox: Sandbox }>({
  // oxlint-disable-next-line no-empty-pattern -- Playwright reads the required fixtures from this pattern
  sandbox: async ({}, use) => {
    const home = await mkdtemp(join(tmpdir(), 'pda-network-browser-'));
    const databaseHost = startDatabaseHost();
    const { url = '' } = await databaseHost.send('start');
    const network = await startNetwork({
      home,
      port: 0,
      databases: await createDatabases(url),
      pdas: ['ada', 'bea'].map((name) => ({ name, owner: name })),
    });
    const appPort = await findFreePort();
    const start = (file: string, args: readonly string[]): ChildProcess & { stdout: NodeJS.ReadableStream } =>
      spawn(process.execPath, [join(ROOT, 'examples', file), ...args], {
        env: environmentOf(network, appPort),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const app = start('app/app.ts', []);
    await new Promise((resolve) => app.stdout.once('data', resolve));
    await use({
      network,
      appUrl: `http://127.0.0.1:${appPort}/`,
      runExample: (file, ...args) => text(start(file, args).stdout),
    });
    app.kill();
    await network.close();
    await databaseHost.close();
    await rm(home, { recursive: true, force: true });
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

thoroughTest(
  'an owner signs in to an app, takes part in an Offer, connects a Data Plug, and joins and leaves a contract',
  async ({ page, sandbox }) => {
    const { network, runExample, appUrl } = sandbox;
    const [ada] = network.pdas;
    if (ada === undefined) throw new Error('the network has no PDA');

    // The app redirects to Ada's PDA and stores her entries there.
    await page.goto(appUrl);
    await page.getByLabel('Your PDA').fill(ada.host);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in to ada to continue to Walkabout' })).toBeVisible();
    await expect(page).toHaveURL(new RegExp(`^${ada.url}/`, 'u'));
    await page.getByLabel('Password', { exact: true }).fill(ada.password);
    await page.getByRole('button', { name: 'Sign in and continue' }).click();
    await expect(page.getByText('Read everything in walkabout, including future records')).toBeVisible();
    await page.getByRole('button', { name: 'Allow and continue to Walkabout' }).click();
    await expect(page.getByText(`Signed in with ${ada.host}`)).toBeVisible();
    await page.getByRole('textbox').fill('to the lighthouse');
    await page.getByRole('button', { name: 'I walked there' }).click();
    await expect(page.getByRole('listitem')).toHaveText('to the lighthouse');

    // Bea takes part from her PDA; Ada decides in her dashboard, where she is still signed in.
    await runExample('sandbox/person.ts', 'bea', 'claims', 'walks');
    await runExample('sandbox/person.ts', 'bea', 'allows', 'walks');
    await page.goto(`${ada.url}/#/requests/offers`);
    await page.getByRole('link', { name: 'A map of walks' }).click();
    await expect(page.getByText('Taking part shares nothing yet')).toBeVisible();
    await expectAccessible(page, 'an offer');
    await page.getByRole('button', { name: 'Take part' }).click();
    await expect(notice(page, 'You are taking part in “A map of walks”')).toBeVisible();
    expect(await runExample('marketplace/offer.ts', 'collect', 'walks')).toBe('claimed: 2, confirmed: 1\n');
    await page
      .getByRole('region', { name: 'Your decision' })
      .getByRole('button', { name: /^Allow/u })
      .click();
    await expect(notice(page, 'can see what you allowed')).toBeVisible();
    const collect = () => runExample('marketplace/offer.ts', 'collect', 'walks');
    await expect.poll(collect, { timeout: 60_000 }).toContain('claimed: 2, confirmed: 2');
    const collectedText = await collect();
    expect(collectedText).toContain(`${ada.host}: {"conditions":{"walks":true},"bundle":{"days":[`);
    expect(collectedText).toContain('"data":{"day":"2026-03-03","steps":11920}');
    expect(collectedText).not.toContain('canal');

    // A Data Plug and a contract are set up like any other application.
    await runExample('plug/plug.ts', 'register');
    for (const [id, name] of [
      ['pedometer', 'Pedometer'],
      ['walking-study', 'Walking study'],
    ] as const) {
      await page.goto(`${ada.url}/#/applications/${id}/setup`);
      await page.getByRole('button', { name: `Set up ${name} with these rights` }).click();
      await expect(page.getByRole('button', { name: `Stop ${name}` })).toBeVisible();
    }
    await expect.poll(() => runExample('plug/plug.ts', 'push', 'ada')).toMatch(/^ada: \d+ steps\n$/u);
    const readStudy = () => runExample('contract-developer/study.ts');
    await expect.poll(readStudy, { timeout: 60_000 }).toBe('PDAs joined: 1\nada: 8058\n');

    // Ada sees the contract that she joined among the readers, and leaves it.
    await page.goto(`${ada.url}/#/sharing`);
    const readers = page.getByRole('region', { name: 'Shared now' }).getByRole('listitem');
    await expect(readers.filter({ hasText: 'Walking study' })).toContainText('Contract');
    await page.goto(`${ada.url}/#/sharing/contracts`);
    const contractItem = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Walking study' }) });
    await expect(contractItem.getByText('Joined', { exact: true })).toBeVisible();
    await expectAccessible(page, 'contracts');
    await contractItem.getByRole('button', { name: 'Leave Walking study' }).click();
    await expectAccessible(page, 'leaving a contract', DIALOG);
    await page.getByRole('dialog').getByRole('button', { name: 'Leave contract' }).click();
    await expect(notice(page, 'You left Walking study')).toBeVisible();
    await expect.poll(readStudy, { timeout: 60_000 }).toBe('PDAs joined: 0\n');
  },
);
