import {
  type Elsewhere,
  choose,
  diary,
  enable,
  exampleZip,
  install,
  startElsewhere,
  trigger,
  writtenZip,
} from './functions.ts';
import { DIALOG, type Pda, expect, expectAccessible, expectAccessibleToo, notice, test } from './pda.ts';

/** Functions that run elsewhere: what leaves, and when. And that nobody is shut out of any of these pages. */

test.describe.configure({ timeout: 60_000 });

const registered = ({ baseUrl }: Pick<Elsewhere, 'baseUrl'>) => ({
  functions: [{ id: 'weather', version: '1.0.0', baseUrl, namespace: 'weather', endpoint: 'days' }],
  development: { allowLoopback: true },
});

const withElsewhere = test.extend<{ far: Elsewhere }>({
  far: async ({ pda }, use) => {
    const far = await startElsewhere('weather', { namespace: 'weather', endpoint: 'days' });
    await pda.configure(registered(far));
    await use(far);
    await far.close();
  },
});

/** It is asked what it is when the PDA starts. */
const known = (pda: Pda) =>
  expect
    .poll(async () => ((await pda.call('GET', '/api/v2.6/she/function')) as unknown[]).length, { timeout: 20_000 })
    .toBe(1);

withElsewhere('says aloud that what it reads leaves, before it is turned on', async ({ page, pda, far }) => {
  await pda.store('diary/entries', diary);
  await known(pda);
  await pda.enter(page, '/functions');
  await expect(page.getByRole('link', { name: /Weather words/ })).toContainText(
    `Runs at ${far.host}: what it reads leaves this PDA`,
  );
  await page.getByRole('link', { name: /Weather words/ }).click();
  await expect(page.getByText(`What it reads leaves this PDA: it runs at ${far.host}`)).toBeVisible();
  await page.getByRole('link', { name: 'Turn on' }).click();
  await expect(page.getByText(`1 field of Entries would leave this PDA, to ${far.host}`)).toBeVisible();
  await expect(page.getByText('as long as it is on')).toBeVisible();
  await expect(page.getByText('Planted beans in the garden')).toBeVisible();
  expect(far.received).toEqual([]);
  await page.getByRole('button', { name: `Turn on, sending 1 field of Entries to ${far.host}` }).click();
  await expect(notice(page, 'Weather words is on')).toBeVisible();

  await page.getByRole('button', { name: 'Run now' }).click();
  await expect(notice(page, 'Weather words has run')).toBeVisible();
  expect(far.received).toHaveLength(1);
  expect(far.received[0]).toContain('Planted beans');
  expect(far.received[0]).not.toContain('York');
  await page.getByRole('link', { name: 'What was sent' }).click();
  await expect(page.getByRole('heading', { name: 'Access history' })).toBeVisible();
  await expect(page.getByRole('link', { name: /weather|Weather words/ })).toHaveCount(1);
});

withElsewhere('a dry run sends nothing before a second step', async ({ page, pda, far }) => {
  await pda.store('diary/entries', diary);
  await known(pda);
  await pda.enter(page, '/functions/weather/dry-run');
  await expect(page.getByText(`Nothing is sent to ${far.host} before you say so`)).toBeVisible();
  await page.getByRole('button', { name: 'Put together what would be sent' }).click();
  await expect(page.getByText(`Nothing was sent to ${far.host}, and nothing was saved`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'What it would get' })).toContainText('Planted beans in the garden');
  expect(far.received).toEqual([]);
  await page.getByRole('button', { name: /^Send these 3.records/ }).click();
  const dialog = page.getByRole('dialog', { name: `Send this to ${far.host}` });
  await expect(dialog).toContainText('That cannot be taken back');
  await expect(dialog.getByRole('button', { name: 'Send nothing' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Send it' }).click();
  await expect(page.getByText(`This was sent to ${far.host}. Nothing was saved`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'What it answered' })).toContainText('"words": 1');
  expect(far.received).toHaveLength(1);
  expect(await pda.call('GET', '/api/v2.6/data/weather/days')).toEqual([]);
});

test.describe('one that cannot be reached', () => {
  test.use({ config: registered({ baseUrl: 'http://127.0.0.1:9' }) });
  test('is not available, and says why', async ({ page, pda }) => {
    await pda.enter(page, '/functions');
    await expect(page.getByRole('link', { name: /weather/ })).toContainText('Not available');
    await page.getByRole('link', { name: /weather/ }).click();
    await expect(page.getByText('It is not available')).toBeVisible();
    await expect(page.getByText('127.0.0.1:9 was asked what it is.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Turn on' })).toHaveCount(0);
    await expectAccessible(page, 'not available');
  });
});

test('a list that cannot be loaded says so, and is asked for again', async ({ page, pda }) => {
  let fails = true;
  // Live, it would be asked for again without being asked to.
  await page.route('**/owner/events', (route) => route.abort());
  await page.route('**/api/v2.6/owner/functions', async (route) => {
    if (!fails) return route.continue();
    const body = { error: 'internal_error', cause: 'It broke.', message: 'Internal Server Error', requestId: 'r1' };
    return route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify(body) });
  });
  await pda.enter(page, '/functions');
  await expect(page.getByText('This could not be loaded')).toBeVisible();
  await expectAccessible(page, 'functions, not loaded');
  fails = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('No functions yet')).toBeVisible();
});

test.describe('axe finds nothing', () => {
  test.describe.configure({ timeout: 180_000 });

  test('without functions, on the way in, and in a list of them', async ({ page, pda }) => {
    await pda.enter(page, '/functions');
    await expect(page.getByText('No functions yet')).toBeVisible();
    await expectAccessible(page, 'no functions');
    await choose(page, 'Install a function', 'x.zip', Buffer.from('no zip'));
    await expect(page.getByText('x.zip was not installed')).toBeVisible();
    await expectAccessible(page, 'refused');
    await pda.store('diary/entries', diary);
    await install(pda, exampleZip('keywords'));
    await install(pda, writtenZip({ id: 'broken', name: 'Broken', body: `throw new Error('No.');` }));
    await enable(pda, 'broken');
    await trigger(pda, 'broken').catch(() => undefined);
    await page.goto(`${pda.url}/#/functions`);
    await expect(page.getByText('Failed once')).toBeVisible();
    await expectAccessible(page, 'functions');
    await expectAccessibleToo(page, 'functions');
    await page.goto(`${pda.url}/#/functions/broken`);
    await expect(page.getByText('It failed once')).toBeVisible();
    await expectAccessible(page, 'a function that failed');
  });

  test('in a function, its consent, its dry run and its runs', async ({ page, pda }) => {
    await pda.store('diary/entries', diary);
    await install(pda, exampleZip('keywords'));
    await pda.enter(page, '/functions/keywords/enable');
    await expect(page.getByText('Planted beans in the garden')).toBeVisible();
    await expectAccessible(page, 'consent');
    await page.goto(`${pda.url}/#/functions/keywords/dry-run`);
    await page.getByRole('button', { name: 'Run it and save nothing' }).click();
    await expect(page.getByText('Nothing was saved', { exact: true })).toBeVisible();
    await expectAccessible(page, 'dry run');
    await enable(pda, 'keywords');
    await trigger(pda, 'keywords');
    await page.goto(`${pda.url}/#/functions/keywords`);
    await expect(page.getByRole('region', { name: 'What it did' }).getByRole('row')).toHaveCount(2);
    await expectAccessible(page, 'function');
    await expectAccessibleToo(page, 'function');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect(page.getByRole('dialog', { name: 'Turn off Keywords and mood' })).toBeVisible();
    await expectAccessible(page, 'turning off', DIALOG);
    await page.getByRole('button', { name: 'Leave it on' }).click();
    await page.goto(`${pda.url}/#/functions/keywords/runs`);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await expect(page.getByRole('dialog', { name: 'Run' }).getByText('What it wrote on its console')).toBeVisible();
    await expectAccessible(page, 'run', DIALOG);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expectAccessible(page, 'runs');
  });
});
