import { anApplication } from '../support/applications.ts';
import { uploadContent } from './files.ts';
import { expect, expectAccessible, test } from './pda.ts';

/** The Sharing page lists every reader: applications, people, share links, everyone and the public profile. */

const USER = { name: 'grace', password: 'a long enough password of grace' };

test.use({
  config: {
    applications: [
      anApplication({ id: 'walks', roles: [{ role: 'namespaceread', detail: 'fitness' }], info: { name: 'Walks' } }),
    ],
  },
});

test('lists people, links, public files and the profile, shows what each sees, and stops each', async ({
  page,
  pda,
}) => {
  const fileId = await uploadContent(pda, 'open to all', { name: 'open.txt' });
  const sharedId = await uploadContent(pda, 'for grace', { name: 'shared.txt' });
  await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
  const { userId } = (await pda.call('POST', '/users/user', USER)) as { userId: string };
  await pda.call('GET', `/api/v2.6/files/allowAccess/${sharedId}/${userId}?content=true`);
  await pda.call('POST', '/api/v2.6/owner/share-links', { name: 'Trip', fileIds: [sharedId], viewOnly: false });
  await pda.call('PUT', '/api/v2.6/owner/profile', { name: 'Ada' });
  await pda.call('PUT', '/api/v2.6/owner/profile/public', { field: 'name', public: true });
  await pda.enter(page, '/sharing');
  const otherReaders = page.getByRole('region', { name: 'People, links, everyone and functions' });
  await expect(otherReaders.getByRole('listitem')).toHaveCount(4);
  await expect(otherReaders.getByText('Can open 1 file', { exact: true })).toBeVisible();
  await expectAccessible(page, 'every reader');

  await otherReaders.getByRole('link', { name: 'grace' }).click();
  await expect(page.getByText('These are the files that grace can see, including your public files.')).toBeVisible();
  await expect(page.getByText('open.txt')).toBeVisible();
  await expect(page.getByText('shared.txt')).toBeVisible();
  await page.goBack();

  for (const [name, submit] of [
    ['grace', 'Stop sharing'],
    [/share link/, 'Revoke all'],
    [/public file/, 'Make private'],
    ['Public profile', 'Make private'],
  ] as const) {
    await otherReaders.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: /^Stop/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: submit }).click();
    await expect(otherReaders.getByText(name)).toHaveCount(0);
  }
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
});

test('stops an application in its row', async ({ page, pda }) => {
  await pda.call('GET', '/api/v2.6/applications/walks/setup');
  await pda.enter(page, '/sharing');
  await page.getByRole('button', { name: 'Stop Walks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop Walks' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
});
