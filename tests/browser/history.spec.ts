import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { acme, callAs, hello, setUpApplication, steps, signInApplication } from './applications.ts';
import { DIALOG, type Pda, expect, expectAccessible, test, thoroughTest } from './pda.ts';

const applications = [acme, hello];
test.use({ config: { applications, development: { allowLoopback: true } } });
const VALUES_PATH = '/api/v2.6/data-debit/app-acme/values';

/** Stores records. As Acme, reads all steps and a Data Debit, and tries a forbidden read. @returns the token of Acme */
async function readAsAcme(pda: Pda): Promise<string> {
  await pda.store('fitness/steps', steps);
  await pda.store('health/pulse', [{ bpm: 62 }]);
  await setUpApplication(pda, 'acme');
  const token = await signInApplication(pda, 'acme');
  expect((await callAs(pda, token, '/api/v2.6/data/fitness/steps')).status).toBe(200);
  expect((await callAs(pda, token, VALUES_PATH)).status).toBe(200);
  expect((await callAs(pda, token, '/api/v2.6/data/health/pulse')).status).toBe(403);
  return token;
}

test('describes each request in a sentence, with the reason for a refusal, and groups anonymous requests', async ({
  page,
  pda,
}) => {
  await readAsAcme(pda);
  for (let call = 0; call < 3; call += 1) await callAs(pda, '', '/api/v2.6/data/fitness/steps');
  await pda.enter(page, '/history');
  const entries = page.getByRole('main').getByRole('listitem');
  await expect(
    entries.filter({ hasText: /Acme Steps read 3.records of Steps, entire records, under your consent of/ }),
  ).toHaveCount(1);
  await expect(
    entries.filter({ hasText: /Acme Steps read 3.records of Steps, 2.fields, under your consent of/ }),
  ).toHaveCount(1);
  await expect(entries.filter({ hasText: 'Acme Steps tried to read Pulse, refused: no permission' })).toHaveCount(1);
  await expect(
    entries.filter({ hasText: 'Anonymous visitors sent a request without a valid key, refused 3 times' }),
  ).toHaveCount(1);
  await expect(page.getByRole('heading', { name: 'Today' })).toBeVisible();
});

thoroughTest('keeps filters in the address, and removes one or all of them', async ({ page, pda }) => {
  await readAsAcme(pda);
  await pda.enter(page, '/history');
  await expect(page.getByRole('link', { name: 'You set up this PDA' })).toHaveCount(1);
  await page.getByLabel('Who').selectOption({ label: 'Acme Steps' });
  await expect(page).toHaveURL(/application=acme/);
  await expect(page.getByRole('link', { name: 'You set up this PDA' })).toHaveCount(0);
  await page.getByLabel('Outcome').selectOption('Refused');
  await expect(page).toHaveURL(/outcome=refused/);
  const entries = page.getByRole('main').locator('li').filter({ hasText: 'Acme Steps' }).filter({ hasText: 'refused' });
  await expect(entries).toHaveCount(1);
  await expect(page.getByText('Acme Steps read')).toHaveCount(0);
  // The address restores the filters.
  await page.reload();
  await expect(page.getByText('tried to read Pulse')).toBeVisible();
  await expect(page.getByText('Acme Steps read')).toHaveCount(0);
  await page.getByRole('button', { name: 'Remove: Refused only' }).click();
  await expect(page.getByText('Acme Steps read').first()).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/outcome=refused/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL(/#\/history$/);

  await page.goto(`${pda.url}/#/history?debit=app-acme`);
  await expect(page.getByText('3 records of Steps')).toHaveCount(1);
  await page.getByLabel('Until').fill('2020-01-01');
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible();
});

thoroughTest('opens an entry with its records and consent at its own address', async ({ page, pda }) => {
  await readAsAcme(pda);
  await pda.enter(page, '/history?debit=app-acme');
  await page.getByRole('link', { name: 'Acme Steps read 3 records' }).click();
  const drawer = page.getByRole('dialog', { name: 'Access' });
  await expect(drawer).toContainText('date, count');
  await expect(drawer).toContainText('GET /api/v2.6/data-debit/*key/values');
  await expect(drawer.getByRole('listitem').filter({ hasText: 'fitness/steps' })).toHaveCount(4);
  await expect(page).toHaveURL(/row=\d+/);
  await page.reload();
  await expect(drawer.getByText('Allowed (200)')).toBeVisible();
  await drawer.getByRole('link', { name: 'Data Debit Acme Steps' }).click();
  await expect(page).toHaveURL(/#\/sharing\/app-acme/);
  await page.goBack();
  // The drawer handles keys once it has the focus.
  await expect(drawer.locator(':focus')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(drawer).toHaveCount(0);
  await expect(page).not.toHaveURL(/row=/);
});

thoroughTest('links records to their access history entries, and back', async ({ page, pda }) => {
  const token = await readAsAcme(pda);
  const pulse = '/data/endpoint/health/pulse';
  await pda.enter(page, pulse);
  await page.getByRole('grid').getByText('62', { exact: true }).click();
  const record = page.getByRole('dialog', { name: 'Record' });
  await expect(record.getByText('No one else has accessed this.')).toBeVisible();

  await page.goto(`${pda.url}/#/data/endpoint/fitness/steps`);
  await page.getByRole('grid').getByText('2 Mar 2026', { exact: true }).click();
  await expect(record.getByRole('link', { name: /Acme Steps read 3 records.*2 fields/ })).toBeVisible();
  // A new read appears without a reload.
  await callAs(pda, token, '/api/v2.6/data/fitness/steps?take=2');
  await expect(record.getByRole('link', { name: 'Acme Steps read 2 records' })).toBeVisible();
  await record.getByRole('link', { name: 'Open in access history' }).click();
  await expect(page).toHaveURL(/history\?record=/);
  // The two reads of entire records are grouped.
  await expect(page.getByRole('link', { name: 'Acme Steps read' })).toHaveCount(1);
  await page.getByRole('button', { name: /Acme Steps read 5.records of Steps, 2.times/ }).click();
  await expect(page.getByRole('link', { name: 'Acme Steps read' })).toHaveCount(3);
  await page.getByRole('link', { name: 'Acme Steps read 2 records' }).click();
  await page.getByRole('dialog', { name: 'Access' }).locator('li a code').nth(1).click();
  await expect(record).toContainText('2 Mar 2026');
});

thoroughTest('reports a record without readers and keeps entries of deleted records', async ({ page, pda }) => {
  await readAsAcme(pda);
  await pda.enter(page, '/history?record=01900000-0000-7000-8000-000000000000');
  await expect(page.getByRole('heading', { name: 'No one else has accessed this' })).toBeVisible();
  await pda.call('POST', '/api/v2.6/owner/deletions', { endpoint: 'fitness/steps' });
  await page.goto(`${pda.url}/#/history?debit=app-acme`);
  await page.getByRole('link', { name: 'Acme Steps read 3 records' }).click();
  await expect(page.getByRole('dialog', { name: 'Access' }).getByText('since deleted')).toHaveCount(3);
});

thoroughTest('groups alike entries of a day, and pages through a group', async ({ page, pda }) => {
  const token = await readAsAcme(pda);
  for (let call = 0; call < 60; call += 1) await callAs(pda, token, '/api/v2.6/data/fitness/steps?take=1');
  await pda.enter(page, '/history?application=acme');
  const group = page.getByRole('button', { name: /Acme Steps read 63.records of Steps, 61.times/ });
  await expect(group).toHaveAttribute('aria-expanded', 'false');
  await expect(page.getByText('Start of the history.')).toBeVisible();
  await group.click();
  const reads = page.getByRole('link', { name: /Acme Steps read .* of Steps, entire records/ });
  await expect(reads).toHaveCount(50);
  await page.getByRole('button', { name: 'Show earlier entries' }).click();
  await expect(reads).toHaveCount(61);
  await expectAccessible(page, 'open group');
  await group.click();
  await expect(reads).toHaveCount(0);
});

thoroughTest('finds entries by words and exports them', async ({ page, pda }) => {
  await readAsAcme(pda);
  await pda.enter(page, '/history');
  await page.getByRole('searchbox', { name: 'Search people, applications, data and files' }).fill('acme pulse');
  await expect(page).toHaveURL(/search=acme/);
  await expect(page.getByText('Acme Steps read')).toHaveCount(0);
  await expect(page.getByText('tried to read Pulse')).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'As a table (CSV)' }).click();
  const stream = await (await download).createReadStream();
  const lines = (await text(stream)).trimEnd().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain('health/pulse');
});

test.describe('outgoing messages', () => {
  let receiver: Server;
  let status = 503;
  const receivedBodies: string[] = [];
  test.beforeEach(async () => {
    status = 503;
    receivedBodies.length = 0;
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on('end', () => {
        if (status === 200) receivedBodies.push(body);
        // `retry-after` prevents an automatic retry before the one by the owner.
        response.writeHead(status, { 'retry-after': '3600' });
        response.end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });
  test.afterEach(() => new Promise<void>((resolve) => receiver.close(() => resolve())));

  const requestData = async (pda: Pda, key: string): Promise<void> => {
    const { port } = receiver.address() as AddressInfo;
    await pda.call('POST', `/api/v2.6/data-debit/${key}`, {
      dataDebitKey: key,
      bundle: { name: `bundle-${key}`, bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
      start: new Date().toISOString(),
      period: 86_400,
      purpose: 'To see',
      cancelAtPeriodEnd: true,
      termsUrl: 'https://far.example/terms',
      requestClientName: 'Far Away',
      requestClientUrl: 'https://far.example/',
      requestClientLogoUrl: 'https://far.example/logo.png',
      requestClientCallbackUrl: `http://127.0.0.1:${port}/callback`,
    });
  };

  thoroughTest('shows undelivered messages with the reason, retries and discards them', async ({ page, pda }) => {
    await requestData(pda, 'dd-one');
    await pda.enter(page, '/history');
    await page.getByRole('link', { name: 'Outgoing messages' }).click();
    await expect(page.getByText('A Data Debit was received')).toBeVisible();
    await expect(page.getByText('Last error: The receiver answered 503.')).toBeVisible();
    status = 200;
    await page.getByRole('button', { name: /^Retry now: A Data Debit was received/ }).click();
    await expect(page.getByRole('heading', { name: 'No outgoing messages' })).toBeVisible();
    expect(receivedBodies).toHaveLength(1);
    expect(receivedBodies[0]).toContain('dd-one');

    status = 503;
    await requestData(pda, 'dd-two');
    await page.getByRole('button', { name: /^Discard: A Data Debit was received/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Discard this message' });
    await expect(dialog.getByRole('button', { name: 'Keep' })).toBeFocused();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await expect(page.getByRole('heading', { name: 'No outgoing messages' })).toBeVisible();
    expect(await pda.call('GET', '/api/v2.6/owner/outbox')).toEqual([]);
  });

  thoroughTest('axe reports no violations in outgoing messages', async ({ page, pda }) => {
    await requestData(pda, 'dd-one');
    await pda.enter(page, '/history/messages');
    await expect(page.getByText('Last error')).toBeVisible();
    await expectAccessible(page, 'messages');
  });
});

thoroughTest('axe reports no violations in the history', async ({ page, pda }) => {
  await readAsAcme(pda);
  await pda.enter(page, '/history?application=acme&from=2026-01-01');
  await expect(page.getByText('Acme Steps read').first()).toBeVisible();
  await expectAccessible(page, 'history');
  await page.getByRole('link', { name: 'Acme Steps read' }).first().click();
  await expect(page.getByRole('dialog', { name: 'Access' })).toBeVisible();
  await expectAccessible(page, 'entry', DIALOG);
  await page.goto(`${pda.url}/#/history?contract=none`);
  await expect(page.getByRole('heading', { name: 'No matching entries' })).toBeVisible();
  await expectAccessible(page, 'no matching entries');
});
