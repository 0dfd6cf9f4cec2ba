import {
  type RemoteFunction,
  chooseFile,
  diaryEntries,
  enableFunction,
  exampleZip,
  installFunction,
  startRemoteFunction,
  runFunction,
  buildFunctionZip,
} from './functions.ts';
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
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

// Tests which data a function on a remote server receives and when, what the pages show if a function or the list of
// functions is not available, and the accessibility of the pages about functions.

const configOf = ({ baseUrl }: Pick<RemoteFunction, 'baseUrl'>) => ({
  functions: [{ id: 'weather', version: '1.0.0', baseUrl, namespace: 'weather', endpoint: 'days' }],
  development: { allowLoopback: true },
});

const testWithRemote = test.extend<{ remote: RemoteFunction }>({
  remote: async ({ pda }, use) => {
    const remote = await startRemoteFunction('weather', { namespace: 'weather', endpoint: 'days' });
    await pda.configure(configOf(remote));
    await use(remote);
    await remote.close();
  },
});

/** Waits until the PDA has fetched the description of the function. */
const waitForDescription = (pda: Pda) =>
  expect
    .poll(async () => ((await pda.call('GET', '/api/v2.6/she/function')) as unknown[]).length, { timeout: 60_000 })
    .toBe(1);

testWithRemote(
  'shows that data would leave the PDA before the owner turns on a remote function, then sends only the allowed field',
  async ({ page, pda, remote }) => {
    await pda.store('diary/entries', diaryEntries);
    await waitForDescription(pda);
    await pda.enter(page, '/functions');
    await expect(page.getByRole('link', { name: /Weather words/ })).toContainText(
      `Runs on ${remote.host}: the data it reads leaves this PDA`,
    );
    await page.getByRole('link', { name: /Weather words/ }).click();
    await expect(page.getByText(`The data it reads leaves this PDA: it runs on ${remote.host}`)).toBeVisible();
    await page.getByRole('link', { name: 'Turn on' }).click();
    await expect(page.getByText(`1 field of Entries would leave this PDA and be sent to ${remote.host}`)).toBeVisible();
    await expect(page.getByText('as long as the function is on')).toBeVisible();
    await expect(page.getByText('Planted beans in the garden')).toBeVisible();
    expect(remote.receivedBodies).toEqual([]);
    await page.getByRole('button', { name: `Turn on and send 1 field of Entries to ${remote.host}` }).click();
    await expect(notice(page, 'Weather words is on')).toBeVisible();

    await page.getByRole('button', { name: 'Run now' }).click();
    await expect(notice(page, 'Weather words has run')).toBeVisible();
    expect(remote.receivedBodies).toHaveLength(1);
    expect(remote.receivedBodies[0]).toContain('Planted beans');
    expect(remote.receivedBodies[0]).not.toContain('York');
    await page.getByRole('link', { name: 'View what was sent' }).click();
    await expect(page.getByRole('heading', { name: 'Access history' })).toBeVisible();
    await expect(page.getByRole('link', { name: /Function Weather words read/ })).toHaveCount(1);
    await expect(page.getByRole('link', { name: /You turned on the function/ })).toHaveCount(1);
  },
);

testWithRemote('a dry run sends nothing before a second step is confirmed', async ({ page, pda, remote }) => {
  await pda.store('diary/entries', diaryEntries);
  await waitForDescription(pda);
  await pda.enter(page, '/functions/weather/dry-run');
  await expect(page.getByText(`Nothing is sent to ${remote.host} until you confirm it`)).toBeVisible();
  await page.getByRole('button', { name: 'Prepare input' }).click();
  await expect(page.getByText(`Nothing was sent to ${remote.host}, and nothing was saved`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Prepared input' })).toContainText('Planted beans in the garden');
  expect(remote.receivedBodies).toEqual([]);
  await page.getByRole('button', { name: /^Send 3.records/ }).click();
  const dialog = page.getByRole('dialog', { name: `Send this data to ${remote.host}` });
  await expect(dialog).toContainText('This cannot be undone');
  await expect(dialog.getByRole('button', { name: 'Send nothing' })).toBeFocused();
  await dialog.getByRole('button', { name: 'Send data' }).click();
  await expect(page.getByText(`This data was sent to ${remote.host}, and nothing was saved`)).toBeVisible();
  await expect(page.getByRole('region', { name: 'Output', exact: true })).toContainText('"words": 1');
  expect(remote.receivedBodies).toHaveLength(1);
  expect(await pda.call('GET', '/api/v2.6/data/weather/days')).toEqual([]);
});

const thoroughTestWithRemote = IS_THOROUGH_RUN ? testWithRemote : testWithRemote.skip;

thoroughTestWithRemote('a dry run sends only the input that is shown', async ({ page, pda, remote }) => {
  await pda.store('diary/entries', diaryEntries);
  await waitForDescription(pda);
  await enableFunction(pda, 'weather');
  await runFunction(pda, 'weather');
  await pda.store('diary/entries', { text: 'Sowed the peas', mood: 5, place: 'York' });
  await pda.enter(page, '/functions/weather/dry-run');
  await page.getByRole('button', { name: 'Prepare input' }).click();
  const sendButton = page.getByRole('button', { name: /^Send 1.record/ });
  await expect(sendButton).toBeVisible();
  await page.getByText('All data it may read').click();
  await expect(page.getByRole('radio', { name: 'All data it may read' })).toBeChecked();
  await expect(sendButton).toHaveCount(0);
  await page.getByText('New data').click();
  await sendButton.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send data' }).click();
  await expect(page.getByText(`This data was sent to ${remote.host}, and nothing was saved`)).toBeVisible();
  expect(remote.receivedBodies.at(-1)).toContain('Sowed the peas');
  expect(remote.receivedBodies.at(-1)).not.toContain('Planted beans');
});

test.describe('an unreachable function', () => {
  test.use({ config: configOf({ baseUrl: 'http://127.0.0.1:9' }) });
  thoroughTest('is shown as not available, with the reason', async ({ page, pda }) => {
    await pda.enter(page, '/functions');
    await expect(page.getByRole('link', { name: /weather/ })).toContainText('Not available');
    await page.getByRole('link', { name: /weather/ }).click();
    await expect(page.getByText('This function is not available')).toBeVisible();
    await expect(page.getByText('Your PDA requested its description from 127.0.0.1:9.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Turn on' })).toHaveCount(0);
    await expectAccessible(page, 'not available');
  });
});

thoroughTest(
  'shows that the list of functions could not be loaded, and reloads it with "Try again"',
  async ({ page, pda }) => {
    let isFailing = true;
    // Live events would reload the list automatically.
    await page.route('**/owner/events', (route) => route.abort());
    await page.route('**/api/v2.6/owner/functions', async (route) => {
      if (!isFailing) return route.continue();
      const body = { error: 'internal_error', cause: 'It broke.', message: 'Internal Server Error', requestId: 'r1' };
      return route.fulfill({ status: 500, contentType: 'application/json', body: JSON.stringify(body) });
    });
    await pda.enter(page, '/functions');
    await expect(page.getByText('This could not be loaded')).toBeVisible();
    await expectAccessible(page, 'functions, not loaded');
    isFailing = false;
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect(page.getByText('No functions yet')).toBeVisible();
  },
);

test.describe('function pages', () => {
  thoroughTest(
    'have no axe violations without functions, after a refused installation, on the list, and for a failed function',
    async ({ page, pda }) => {
      await pda.enter(page, '/functions');
      await expect(page.getByText('No functions yet')).toBeVisible();
      await expectAccessible(page, 'no functions');
      await chooseFile(page, 'Install function', 'x.zip', Buffer.from('no zip'));
      await expect(page.getByText('x.zip was not installed')).toBeVisible();
      await expectAccessible(page, 'refused');
      await pda.store('diary/entries', diaryEntries);
      await installFunction(pda, exampleZip('keywords'));
      await installFunction(pda, buildFunctionZip({ id: 'broken', name: 'Broken', body: `throw new Error('No.');` }));
      await enableFunction(pda, 'broken');
      await runFunction(pda, 'broken').catch(() => undefined);
      await page.goto(`${pda.url}/#/functions`);
      await expect(page.getByText('Failed once')).toBeVisible();
      await expectAccessible(page, 'functions');
      await expectAccessibleInExtraVariants(page, 'functions');
      await page.goto(`${pda.url}/#/functions/broken`);
      await expect(page.getByText('This function failed once')).toBeVisible();
      await expectAccessible(page, 'a function that failed');
    },
  );

  thoroughTest('have no axe violations for a function, its consent, dry run and runs', async ({ page, pda }) => {
    await pda.store('diary/entries', diaryEntries);
    await installFunction(pda, exampleZip('keywords'));
    await pda.enter(page, '/functions/keywords/enable');
    await expect(page.getByText('Planted beans in the garden')).toBeVisible();
    await expectAccessible(page, 'consent');
    await page.goto(`${pda.url}/#/functions/keywords/dry-run`);
    await page.getByRole('button', { name: 'Run without saving' }).click();
    await expect(page.getByText('Nothing was saved', { exact: true })).toBeVisible();
    await expectAccessible(page, 'dry run');
    await enableFunction(pda, 'keywords');
    await runFunction(pda, 'keywords');
    await page.goto(`${pda.url}/#/functions/keywords`);
    await expect(page.getByRole('region', { name: 'Recent runs' }).getByRole('row')).toHaveCount(2);
    await expectAccessible(page, 'function');
    await expectAccessibleInExtraVariants(page, 'function');
    await page.getByRole('button', { name: 'Turn off' }).click();
    await expect(page.getByRole('dialog', { name: 'Turn off Keywords and mood' })).toBeVisible();
    await expectAccessible(page, 'turning off', DIALOG);
    await page.getByRole('button', { name: 'Keep it on' }).click();
    await page.goto(`${pda.url}/#/functions/keywords/runs`);
    await page.getByRole('row').nth(1).getByRole('link').click();
    await expect(
      page.getByRole('dialog', { name: 'Run' }).getByRole('heading', { name: 'Console output' }),
    ).toBeVisible();
    await expectAccessible(page, 'run', DIALOG);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expectAccessible(page, 'runs');
  });
});
