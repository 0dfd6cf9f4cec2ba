import { DIALOG, expect, expectAccessibleInExtraVariants, notice, test, type Pda, thoroughTest } from './pda.ts';

const LONG_TEXT =
  'We walked along the harbour until the lamps were lit, and talked about the boats that would leave in the morning.';

/** Stores a record and changes it twice. Returns its id. */
async function storeVersions(pda: Pda): Promise<string> {
  const [record] = (await pda.store('diary/days', [
    { mood: 'calm', place: { city: 'Kiel' }, tags: ['sea', 'walk'], text: LONG_TEXT },
  ])) as { recordId: string }[];
  for (const data of [
    {
      mood: 'calm',
      place: { city: 'Kiel' },
      tags: ['sea', 'evening', 'walk'],
      text: LONG_TEXT.replace('boats', 'ships'),
    },
    { mood: 'happy', place: { city: 'Kiel', quay: 3 }, tags: ['sea', 'evening', 'walk'] },
  ])
    await pda.call('PUT', '/api/v2.6/data', [{ endpoint: 'diary/days', recordId: record?.recordId, data }]);
  return record?.recordId ?? '';
}

test('compares record versions with the current one and each other, restores one and undoes the restoration', async ({
  page,
  pda,
}) => {
  const recordId = await storeVersions(pda);
  await pda.enter(page, `/data/record/${recordId}`);
  const drawer = page.getByRole('dialog', { name: 'Record' });
  const versions = drawer.getByRole('listitem').filter({ has: page.getByRole('time') });
  await expect(versions).toHaveCount(3);
  await expect(versions.first()).toContainText('Current version');

  const oldestVersion = versions.last();
  await oldestVersion.getByRole('button', { name: 'You' }).click();
  const differences = oldestVersion.locator('dl').first().locator('> div');
  await expect(differences).toHaveText([
    'Mood changedBefore: calmAfter: happy',
    'Place › Quay addedAfter: 3',
    'Tags › 2 addedAfter: evening',
    /^Text removedBefore: We walked along the harbour/u,
  ]);
  await expectAccessibleInExtraVariants(page, 'a compared version', DIALOG);
  await oldestVersion.getByLabel('Compare with').selectOption({ index: 1 });
  await expect(differences).toHaveCount(2);
  await expect(oldestVersion.locator('mark')).toHaveText(['boats', 'ships']);

  await oldestVersion.getByRole('button', { name: 'Restore this version' }).click();
  await expect(notice(page, 'Version restored')).toBeVisible();
  await expect(drawer.locator('dl').first()).toContainText('calm');
  await expect(versions).toHaveCount(4);
  await notice(page, 'Version restored').getByRole('button', { name: 'Undo' }).click();
  await expect(notice(page, 'Restoration undone')).toBeVisible();
  await expect(drawer.locator('dl').first()).toContainText('happy');
  await expect(versions).toHaveCount(5);
});

thoroughTest('sets how long versions are kept', async ({ page, pda }) => {
  const recordId = await storeVersions(pda);
  await pda.enter(page, '/settings/about');
  const daysInput = page.getByLabel('Days to keep earlier versions');
  await expect(daysInput).toHaveValue('30');
  await daysInput.fill('366');
  await expect(page.getByText('Enter a whole number from 0 to 365.')).toBeVisible();
  await daysInput.fill('60');
  await daysInput.press('Enter');
  await expect(notice(page, 'Earlier versions are kept for 60 days')).toBeVisible();
  await daysInput.fill('0');
  await daysInput.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete older versions' }).click();
  await expect(notice(page, 'Earlier versions are no longer kept')).toBeVisible();
  await expectAccessibleInExtraVariants(page, 'the setting');
  await page.goto(`${pda.url}/#/data/record/${recordId}`);
  await expect(page.getByRole('dialog')).toContainText('Earlier versions are not kept.');
});
