import { anApplication } from '../support/applications.ts';
import { uploadContent } from './files.ts';
import { expect, expectAccessible, test } from './pda.ts';

/** The Sharing page lists every reader: applications, everyone, people and the public profile. */

test.use({
  config: {
    applications: [
      anApplication({ id: 'walks', roles: [{ role: 'namespaceread', detail: 'fitness' }], info: { name: 'Walks' } }),
    ],
  },
});

test('lists public and shared files and the public profile', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'open to all', { name: 'open.txt' });
  await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
  await pda.call('PUT', '/api/v2.6/owner/profile', { name: 'Ada' });
  await pda.call('PUT', '/api/v2.6/owner/profile/public', { field: 'name', public: true });
  await pda.enter(page, '/sharing');
  const others = page.getByRole('region', { name: 'Everyone, people and functions' });
  await expect(others.getByRole('link', { name: 'Public profile' })).toBeVisible();
  await expectAccessible(page, 'every reader');
  await others.getByRole('link', { name: /^1.public file$/ }).click();
  await expect(page).toHaveURL(/#\/files\?show=public$/);
  await expect(page.getByText('open.txt')).toBeVisible();
});

test('stops an application in its row', async ({ page, pda }) => {
  await pda.call('GET', '/api/v2.6/applications/walks/setup');
  await pda.enter(page, '/sharing');
  await page.getByRole('button', { name: 'Stop Walks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop Walks' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
});
