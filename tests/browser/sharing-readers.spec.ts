import { anApplication } from '../support/applications.ts';
import { uploadContent } from './files.ts';
import { expect, expectAccessible, test, thoroughTest } from './pda.ts';

// Tests how the Sharing page and Home list applications, contracts, people, share links and public access.

const USER = { name: 'grace', password: 'a long enough password of grace' };
const LINKS_PATH = '/api/v2.6/owner/share-links';

const walks = anApplication({
  id: 'walks',
  roles: [{ role: 'namespaceread', detail: 'fitness' }],
  info: { name: 'Walks' },
});
const study = anApplication({
  id: 'study',
  roles: [{ role: 'namespaceread', detail: 'fitness' }],
  info: { name: 'Study' },
});

test.use({ config: { applications: [walks, { ...study, kind: { ...study.kind, kind: 'Contract' } }] } });

thoroughTest(
  'lists people, links, public files and the profile, previews what guests and visitors see, and stops all of them',
  async ({ page, pda }) => {
    const fileId = await uploadContent(pda, 'open to all', { name: 'open.txt' });
    const sharedId = await uploadContent(pda, 'for grace', { name: 'shared.txt' });
    // The PDA has files but no records.
    await pda.enter(page);
    const summary = page.getByRole('region', { name: 'Who can see what' });
    await expect(summary.getByText('Only you can see your data.')).toBeVisible();

    await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
    const { userId } = (await pda.call('POST', '/users/user', USER)) as { userId: string };
    await pda.call('GET', `/api/v2.6/files/allowAccess/${sharedId}/${userId}?content=true`);
    await pda.call('POST', LINKS_PATH, { name: 'Trip', fileIds: [sharedId], viewOnly: false });
    await pda.call('PUT', '/api/v2.6/owner/profile', { name: 'Ada' });
    await pda.call('PUT', '/api/v2.6/owner/profile/public', { field: 'name', public: true });
    await expect(summary.getByRole('listitem')).toHaveText([/^Public files/, /^Public profile/, /^Trip/, /^grace/]);
    await expect(summary.getByText('Only you can see your data.')).toHaveCount(0);

    await summary.getByRole('link', { name: 'Open Sharing' }).click();
    await expect(page.getByText('Some of your data is public, and 2 recipients can see more.')).toBeVisible();
    const readers = page.getByRole('region', { name: 'Shared now' });
    // All have equally wide access, so public access and links come before people.
    await expect(readers.getByRole('listitem')).toHaveText([/^Public files/, /^Public profile/, /^Trip/, /^grace/]);
    await expect(readers.getByText('Can open 1 file', { exact: true })).toBeVisible();
    const map = page.getByRole('group', { name: 'Map of who can see what' });
    await expect(map.getByRole('list', { name: 'Who' }).getByRole('listitem')).toHaveCount(4);
    await expect(
      map.getByRole('link', { name: /^Files\s+can be seen by Public files, Trip and \P{L}*grace/u }),
    ).toBeVisible();
    await expect(map.getByRole('link', { name: /^Public profile\s+can be seen by Public profile$/ })).toBeVisible();
    await expectAccessible(page, 'every reader');

    const popupOpened = page.waitForEvent('popup');
    await readers.getByRole('link', { name: 'View as guest' }).click();
    const preview = await popupOpened;
    await expect(preview.getByRole('heading', { level: 1 })).toHaveText(/^What \P{L}*grace\P{L}* sees$/u);
    const guestPages = preview.frameLocator('iframe');
    await guestPages.getByRole('link', { name: 'View: shared.txt' }).click();
    await expect(guestPages.getByRole('heading', { name: 'shared.txt' })).toBeVisible();
    await expect(preview).toHaveTitle(/^shared\.txt · What /);
    await expect(preview.locator('iframe')).toHaveAttribute('title', /^shared\.txt · What /);
    await expect(guestPages.getByRole('link', { name: 'Open: shared.txt' })).toHaveAttribute('href', /^\/storage\//);
    await preview.close();

    const linkPopupOpened = page.waitForEvent('popup');
    await readers.getByRole('link', { name: 'View as visitor: Trip' }).click();
    const linkPreview = await linkPopupOpened;
    await expect(linkPreview.getByRole('heading', { level: 1 })).toHaveText('What visitors of Trip see');
    const linkPage = linkPreview.frameLocator('iframe');
    await expect(linkPage.getByRole('heading', { name: 'Trip' })).toBeVisible();
    await expect(linkPreview).toHaveTitle(/^Trip · What visitors of /);
    await expect(linkPage.getByRole('link', { name: 'Open: shared.txt' })).toHaveAttribute('href', /^\/storage\//);
    await linkPreview.close();

    await readers.getByRole('link', { name: 'grace', exact: true }).click();
    await expect(page.getByText(/These are the files that \P{L}*grace\P{L}* sees after signing in/u)).toBeVisible();
    await expect(page.getByText('shared.txt')).toBeVisible();
    await expect(page.getByText('open.txt')).toHaveCount(0);
    await page.goBack();

    for (const [name, submit] of [
      ['grace', 'Stop sharing'],
      ['Trip', 'Revoke'],
      ['Public files', 'Make private'],
      ['Public profile', 'Make private'],
    ] as const) {
      await readers.getByRole('button', { name: `Stop: ${name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: submit, exact: true }).click();
      await expect(readers.getByText(name, { exact: true })).toHaveCount(0);
    }
    await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
  },
);

thoroughTest('reports an incomplete list if a part of it could not be loaded', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'for a trip', { name: 'trip.txt' });
  await pda.call('POST', LINKS_PATH, { name: 'Trip', fileIds: [fileId], viewOnly: false });
  await page.route(`**${LINKS_PATH}`, (route) =>
    route.fulfill({ status: 500, json: { error: 'internal_error', cause: '', requestId: 'r-1' } }),
  );
  await pda.enter(page, '/sharing');
  const alert = page.getByRole('alert').filter({ hasText: 'This list may be incomplete' });
  await expect(alert).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toHaveCount(0);
  await expect(page.getByText('You are not sharing anything.')).toHaveCount(0);
  await page.unroute(`**${LINKS_PATH}`);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(
    page.getByRole('region', { name: 'Shared now' }).getByRole('link', { name: 'Trip', exact: true }),
  ).toBeVisible();
  await expect(alert).toHaveCount(0);
});

test('stops an application and a contract from their rows', async ({ page, pda }) => {
  for (const id of ['walks', 'study']) await pda.call('GET', `/api/v2.6/applications/${id}/setup`);
  await pda.enter(page, '/sharing');
  const readers = page.getByRole('region', { name: 'Shared now' });
  // The contract is listed once, and not as its application as well.
  await expect(readers.getByRole('listitem')).toHaveText([/Study\s*Contract/, /Walks\s*Application/]);
  await readers.getByRole('button', { name: 'Stop Study' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave contract' }).click();
  await expect(readers.getByRole('listitem')).toHaveCount(1);
  await readers.getByRole('button', { name: 'Stop Walks' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop Walks' }).click();
  await expect(page.getByRole('heading', { name: 'Nothing is shared' })).toBeVisible();
});
