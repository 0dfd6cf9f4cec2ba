import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { calculateJwkThumbprint, compactVerify, createLocalJWKSet, EmbeddedJWK } from 'jose';
import { ownerDebitSchema } from '../../server/wire/debits.ts';
import { Acme, acmeConfig, createProposal, storeSampleRecords, twoFieldsBundle } from './consent.ts';
import { pause } from '../support/server-process.ts';
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

test.use({ config: acmeConfig });

async function grantAccess(pda: Pda, overrides: Record<string, unknown> = {}): Promise<Acme> {
  await storeSampleRecords(pda);
  const acme = await Acme.signIn(pda);
  await acme.request('acme/days', overrides);
  await pda.call('GET', '/api/v2.6/data-debit/acme/days/enable');
  return acme;
}

const stopButton = (page: Page) => page.getByRole('button', { name: /^Stop sharing/ });

test('lists readers with their data, the end of their access, and their last read', async ({ page, pda }) => {
  const acme = await grantAccess(pda);
  await pda.enter(page, '/sharing');
  await expect(page.getByText('One recipient can see some of your data.')).toBeVisible();
  await expect(page.getByText('Can see entire records of Sleep, and 3\u00A0fields of Activity')).toBeVisible();
  await expect(page.getByText(/^Until .*, then it ends$/)).toBeVisible();
  await expect(page.getByText('Never read')).toBeVisible();
  await acme.readValues('acme/days');
  await acme.readValues('acme/days');
  await page.reload();
  await expect(page.getByText(/Last read just now/)).toBeVisible();
  await expect(page.getByText(/read 2.times/)).toBeVisible();
  await page.getByRole('link', { name: 'Acme Health', exact: true }).click();
  await expect(page).toHaveURL(/#\/sharing\/acme\/days$/);
  await expect(page.getByText(/2.times, 8.records in total/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'View access history' })).toHaveAttribute(
    'href',
    '#/history?debit=acme%2Fdays',
  );
});

thoroughTest('reports an automatic renewal on Home, with a link to stop it', async ({ page, pda }) => {
  await grantAccess(pda, { period: 1, cancelAtPeriodEnd: false });
  // Waits until the period has ended. A restarted PDA processes due renewals first.
  await pause(1500);
  await pda.configure(acmeConfig);
  await pda.enter(page);
  const renewalEntry = page.getByRole('listitem').filter({ hasText: 'The permission for Acme Health was renewed' });
  await expect(renewalEntry).toContainText('as you agreed, and continues until you stop sharing');
  await renewalEntry.getByRole('link', { name: 'View: The permission for Acme Health was renewed' }).click();
  await expect(page).toHaveURL(/#\/sharing\/acme\/days$/);
  await page
    .getByRole('button', { name: /^Stop sharing/ })
    .first()
    .click();
  await expect(notice(page, 'Acme Health can no longer read this data')).toBeVisible();
  await page.goto(`${pda.url}/#/`);
  await expect(page.getByText('All is well')).toBeVisible();
  await expect(renewalEntry).toHaveCount(0);
});

thoroughTest('shows who can see what as a map with links and as a table', async ({ page, pda }) => {
  await grantAccess(pda);
  await pda.enter(page, '/sharing');
  const map = page.getByRole('group', { name: 'Map of who can see what' });
  await expect(map.getByRole('link', { name: /Acme Health\s*Consent\s+can see Activity and Sleep/ })).toBeVisible();
  await map.getByRole('link', { name: /fitness\s*Activity and Sleep\s+can be seen by Acme Health/ }).click();
  await expect(page).toHaveURL(/#\/data\?find=fitness%2F$/);
  await page.goBack();
  // The Data page also has a view named Table.
  await expect(map.getByRole('link', { name: /Acme Health\s*Consent\s+can see Activity and Sleep/ })).toBeVisible();
  await page.getByText('Table', { exact: true }).click();
  const table = page.getByRole('table', { name: 'Who can see what' });
  await expect(table.getByRole('row', { name: /fitness\/sleep/ })).toContainText(
    'Entire records, including fields added later',
  );
  await expect(table.getByRole('row', { name: /fitness\/activity/ })).toContainText('3\u00A0fields');
  await expect(page).toHaveURL(/view=table/);
});

thoroughTest('pauses a consent until a chosen day, and resumes it manually', async ({ page, pda }) => {
  await grantAccess(pda);
  await pda.enter(page, '/sharing/acme/days');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Pause…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Pause sharing with Acme Health' });
  await dialog.getByLabel('For how long').selectOption({ index: 1 });
  await expectAccessible(page, 'pause of a consent', DIALOG);
  await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect(notice(page, 'Sharing with Acme Health is paused')).toBeVisible();
  await expect(page.getByRole('heading', { name: /^Acme Health cannot see .* at the moment$/ })).toBeVisible();
  await expectAccessible(page, 'paused consent');
  const readActive = async () =>
    ((await pda.call('GET', '/api/v2.6/data-debit/acme/days')) as { active: boolean }).active;
  expect(await readActive()).toBe(false);
  await page.goto(`${pda.url}/#/sharing`);
  const pausedRegion = page.getByRole('region', { name: 'Not shared at the moment' });
  await expect(pausedRegion.getByRole('listitem').getByText(/^Paused until /)).toBeVisible();
  await expect(page.getByText('You are not sharing anything.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Shared now' })).toHaveCount(0);
  await expectAccessible(page, 'list with a paused consent');
  await page.getByRole('button', { name: 'Resume now: Acme Health' }).click();
  await expect(notice(page, 'Acme Health can read again')).toBeVisible();
  const sharedRegion = page.getByRole('region', { name: 'Shared now' });
  await expect(sharedRegion.getByText(/^Until .*, then it ends$/)).toBeVisible();
  expect(await readActive()).toBe(true);
});

test('stops sharing with one click, shows the refused request, and shares again', async ({ page, pda }) => {
  const acme = await grantAccess(pda);
  await pda.enter(page, '/sharing');
  expect((await acme.readValues('acme/days')).status).toBe(200);
  await stopButton(page).click();
  await expect(notice(page, 'Acme Health can no longer read this data')).toBeVisible();
  await expect(notice(page, 'Your PDA made the same request just now: 400 Bad Request')).toBeVisible();
  expect((await acme.readValues('acme/days')).status).toBe(400);
  await expect(page.getByRole('heading', { name: 'Ended or declined' })).toBeVisible();

  await page.getByRole('link', { name: 'View proof' }).click();
  await expect(page.getByRole('heading', { name: 'Proof that sharing has ended' })).toBeVisible();
  await expect(page.getByText('GET /api/v2.6/data-debit/acme/days/values')).toBeVisible();
  await expect(page.getByText('400 Bad Request: refused')).toBeVisible();
  await expect(page.getByText('"data_debit_not_enabled"')).toBeVisible();
  await expect(page.getByText('"Data Debit acme/days not enabled"')).toBeVisible();
  await page.evaluate(() => {
    location.hash = '/history';
  });
  await expect(page.getByText(/checked a consent: its requester gets no data/).first()).toBeVisible();
  await page.goBack();

  await page.getByRole('button', { name: 'Share again' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Share again with Acme Health');
  await expect(page.getByRole('heading', { name: 'Preview of the shared data' })).toBeVisible();
  expect((await acme.readValues('acme/days')).status).toBe(400);
  await page.getByRole('button', { name: /^Share entire records of Sleep.* until/ }).click();
  await expect(notice(page, 'Acme Health can read this data again')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'What it can see' })).toBeVisible();
  expect((await acme.readValues('acme/days')).status).toBe(200);
});

thoroughTest(
  'changes the fields and the end of a running consent in one step, and changes them back',
  async ({ page, pda }) => {
    const acme = await grantAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
    await pda.enter(page, '/sharing/acme/days');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Change what Acme Health can see');
    await page.getByRole('switch', { name: 'Steps' }).click();
    await page.getByRole('combobox', { name: 'For how long' }).selectOption('7');
    await page.getByRole('button', { name: /^Share 1.field .* until/ }).click();
    await expect(notice(page, 'You changed what Acme Health can see')).toBeVisible();
    expect(JSON.stringify((await acme.readValues('acme/days')).body)).not.toContain('steps');
    const history = page.getByRole('region', { name: 'History of permissions' });
    await expect(history.getByText('No longer Steps of Activity')).toBeVisible();

    // The switches show the allowed fields, and all requested fields can be allowed again.
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await expect(page.getByRole('switch', { name: 'Steps' })).not.toBeChecked();
    await page.getByRole('switch', { name: 'Steps' }).click();
    await page.getByRole('combobox', { name: 'For how long' }).selectOption('requested');
    await page.getByRole('button', { name: /^Share 2.fields .* until/ }).click();
    await expect(page.getByRole('heading', { name: 'What it can see' })).toBeVisible();
    expect(JSON.stringify((await acme.readValues('acme/days')).body)).toContain('steps');
  },
);

thoroughTest('rejects a change to a consent that was changed in the meantime', async ({ page, pda }) => {
  const path = '/api/v2.6/owner/debits/acme/days';
  const changeThroughApi = async (change: { end?: string }) => {
    const { lastGranted } = ownerDebitSchema.parse(await pda.call('GET', path));
    await pda.call('POST', `${path}/change`, { permissionId: lastGranted?.permissionId, ...change });
  };
  const acme = await grantAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
  await pda.enter(page, '/sharing/acme/days');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await page.getByRole('switch', { name: 'Steps' }).click();
  await page.route('**/owner/debits/acme/days/change', async (route) => {
    await changeThroughApi({ end: new Date(Date.now() + 3_600_000).toISOString() });
    await route.continue();
  });
  await page.getByRole('button', { name: /^Share 1.field .* until/ }).click();
  await expect(notice(page, 'This consent was changed in the meantime')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'What it can see' })).toBeVisible();
  expect(JSON.stringify((await acme.readValues('acme/days')).body)).toContain('steps');

  // A change through the API also closes the open form.
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Change what Acme Health can see');
  await changeThroughApi({});
  await expect(page.getByRole('heading', { name: 'What it can see' })).toBeVisible();
});

thoroughTest('never allows a changed request when sharing again', async ({ page, pda }) => {
  const acme = await grantAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
  await pda.enter(page, '/sharing');
  await stopButton(page).click();
  await expect(notice(page, 'Acme Health can no longer read this data')).toBeVisible();
  await acme.requestChange('acme/days', {
    bundle: { name: 'acme-2', bundle: { all: { endpoints: [{ endpoint: 'diary/pages' }] } } },
  });
  await notice(page, 'Acme Health can no longer read this data').getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Acme Health asks for entire records of Pages');
  expect((await acme.readValues('acme/days')).status).toBe(400);
});

thoroughTest(
  'does not allow a request that arrives while the owner shares again, but shows it',
  async ({ page, pda }) => {
    const acme = await grantAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
    await pda.enter(page, '/sharing');
    await stopButton(page).click();
    await expect(notice(page, 'Acme Health can no longer read this data')).toBeVisible();
    await page.route('**/data-debit/acme/days/enable?*', async (route) => {
      await acme.requestChange('acme/days', {
        bundle: { name: 'acme-2', bundle: { all: { endpoints: [{ endpoint: 'diary/pages' }] } } },
      });
      await route.continue();
    });
    const enableResponse = page.waitForResponse('**/data-debit/acme/days/enable?*');
    await notice(page, 'Acme Health can no longer read this data').getByRole('button', { name: 'Undo' }).click();
    expect((await enableResponse).status()).toBe(409);
    await expect(notice(page, 'This request changed while you were reading')).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Acme Health asks for entire records of Pages');
    expect((await acme.readValues('acme/days')).status).toBe(400);
  },
);

thoroughTest(
  'sets a renewing consent to stop at the end of its period, and then to continue',
  async ({ page, pda }) => {
    const acme = await grantAccess(pda, { cancelAtPeriodEnd: false });
    await pda.enter(page, '/sharing/acme/days');
    await expect(page.getByText(/^Until you stop sharing; renews /)).toBeVisible();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: /^Stop at the end of this period: / }).click();
    await expect(page.getByText(/^Stops .*, as you chose\.$/).first()).toBeVisible();
    expect((await acme.readValues('acme/days')).status).toBe(200);
    await page.getByRole('button', { name: 'Keep sharing' }).click();
    await expect(notice(page, 'The consent for Acme Health continues')).toBeVisible();
    await expect(page.getByText(/^Until you stop sharing; renews /)).toBeVisible();
  },
);

thoroughTest(
  'the receipt verifies with its embedded key, and the page shows the key thumbprint',
  async ({ page, pda }) => {
    await grantAccess(pda);
    await pda.enter(page, '/sharing/acme/days');
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download signed receipt' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('receipt-acme-days.json');
    const savedReceipt = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      receipt: unknown;
      jws: string;
      jwks: string;
      thumbprint: string;
    };
    const keys = (await (await fetch(savedReceipt.jwks)).json()) as Parameters<typeof createLocalJWKSet>[0];
    const { payload, protectedHeader } = await compactVerify(savedReceipt.jws, createLocalJWKSet(keys));
    expect((await compactVerify(savedReceipt.jws, EmbeddedJWK)).payload).toEqual(payload);
    expect(await calculateJwkThumbprint(keys.keys[0] ?? {})).toBe(savedReceipt.thumbprint);
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await expect(receipt.getByText(savedReceipt.thumbprint, { exact: true })).toBeVisible();
    expect(protectedHeader.alg).toBe('RS256');
    expect(JSON.parse(new TextDecoder().decode(payload))).toEqual(savedReceipt.receipt);
    expect(JSON.stringify(savedReceipt.receipt)).toContain('acme/days');
    const [head, body, signature] = savedReceipt.jws.split('.');
    const forgedReceipt = `${head}.${Buffer.from(`${Buffer.from(body ?? '', 'base64url').toString()} `).toString('base64url')}.${signature}`;
    await expect(compactVerify(forgedReceipt, createLocalJWKSet(keys))).rejects.toThrow();
  },
);

thoroughTest('lists reduced and changed permissions in the history', async ({ page, pda }) => {
  const acme = await grantAccess(pda, { bundle: { name: 'acme-1', bundle: twoFieldsBundle } });
  await acme.requestChange('acme/days');
  const { waiting } = (await pda.call('GET', '/api/v2.6/owner/debits/acme/days')) as { waiting: string };
  await pda.call('POST', '/api/v2.6/owner/debits/acme/days/grant', {
    permissionId: waiting,
    narrowing: { drop: [{ property: 'nights', entry: 0 }], keep: [] },
  });
  await pda.enter(page, '/sharing/acme/days');
  const historyRegion = page.getByRole('region', { name: 'History of permissions' });
  await expect(historyRegion.getByText('Allowed, running')).toBeVisible();
  await expect(historyRegion.getByText('Replaced by a newer one')).toBeVisible();
  await expect(historyRegion.getByText(/^Entire records of Sleep \(fitness\/sleep\)/)).toBeVisible();
  await expect(historyRegion.getByText('Resting pulse of Activity (fitness/activity).')).toBeVisible();
});

thoroughTest('permanently removes a consent after a confirmation', async ({ page, pda }) => {
  const acme = await grantAccess(pda);
  await pda.enter(page, '/sharing/acme/days');
  await page.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove it' }).click();
  await expect(notice(page, 'Consent for Acme Health removed')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
  expect((await acme.readValues('acme/days')).status).toBeGreaterThanOrEqual(400);
});

thoroughTest('shows an ended consent without a reload', async ({ page, pda }) => {
  await grantAccess(pda);
  await pda.enter(page, '/sharing');
  await expect(stopButton(page)).toBeVisible();
  await pda.call('GET', '/api/v2.6/data-debit/acme/days/disable');
  await expect(page.getByText('You stopped sharing just now')).toBeVisible();
  await expect(stopButton(page)).toHaveCount(0);
});

test.describe('sharing pages', () => {
  thoroughTest(
    'have no axe violations on the list, the map, the table, and for a running, ended or missing consent',
    async ({ page, pda }) => {
      await pda.enter(page, '/sharing');
      await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
      await expectAccessible(page, 'nothing shared');
      const acme = await grantAccess(pda, { cancelAtPeriodEnd: false });
      await pda.call('POST', '/api/v2.6/data-debit/nosy', { ...createProposal('nosy'), requestClientName: 'Nosy' });
      await pda.call('POST', '/api/v2.6/data-debit/nosy/reject');
      await acme.requestChange('acme/days', { bundle: { name: 'acme-2', bundle: twoFieldsBundle } });
      await page.goto(`${pda.url}/#/sharing`);
      await expect(page.getByRole('link', { name: 'Asks for a change' })).toBeVisible();
      await expectAccessible(page, 'sharing');
      await expectAccessibleInExtraVariants(page, 'sharing');
      await page.goto(`${pda.url}/#/sharing?view=table`);
      await expect(page.getByRole('table', { name: 'Who can see what' })).toBeVisible();
      await expectAccessible(page, 'sharing as a table');
      await page.goto(`${pda.url}/#/sharing/acme/days`);
      const sharedRegion = page.getByRole('region', { name: 'Shared now' });
      await expect(sharedRegion.getByText('12\u202F000', { exact: true })).toBeVisible();
      await expectAccessible(page, 'a consent');
      await expectAccessibleInExtraVariants(page, 'a consent');
      await page.getByRole('button', { name: 'More actions' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await expect(page.getByRole('dialog', { name: 'Remove the consent for Acme Health' })).toBeVisible();
      await expectAccessible(page, 'removing', DIALOG);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Stop sharing' }).click();
      await expect(page.getByText('400 Bad Request: refused')).toBeVisible();
      await expectAccessible(page, 'an ended consent');
      await expectAccessibleInExtraVariants(page, 'an ended consent');
      await page.goto(`${pda.url}/#/sharing/no/where`);
      await expect(page.getByRole('heading', { name: 'Consent not found' })).toBeVisible();
      await expectAccessible(page, 'no consent');
    },
  );
});
