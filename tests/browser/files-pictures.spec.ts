import { jpegWithExif } from '../support/exif-pictures.ts';
import { uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, thoroughTest } from './pda.ts';

const BERLIN = { latitude: 52.52, longitude: 13.405 };
const SYDNEY = { latitude: -33.85, longitude: 151.21 };

thoroughTest('shows pictures by month, and one at a time with the keyboard', async ({ page, pda }) => {
  const upload = (name: string, taken?: string) =>
    uploadContent(pda, jpegWithExif({ ...(taken === undefined ? {} : { taken }), maker: 'Canon' }), { name });
  await upload('march.jpg', '2024:03:01 12:00:00');
  await upload('late-march.jpg', '2024:03:31 23:59:00');
  await upload('december.jpg', '2024:12:24 18:00:00');
  await upload('undated.jpg');
  await uploadContent(pda, 'Dear Ada', { name: 'letter.txt' });
  await pda.enter(page, '/files');
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Gallery').click();
  await expect(page).toHaveURL(/files\?view=gallery$/);
  const grid = page.getByRole('grid', { name: 'Files' });
  await expect(grid.getByRole('rowheader')).toHaveText(['December 2024', 'March 2024', 'No date taken']);
  await expect(grid.getByRole('gridcell')).toHaveText([/^december/, /^late-march/, /^march/, /^undated/]);
  await expectAccessible(page, 'the gallery');

  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const viewer = page.getByRole('dialog', { name: 'Picture' });
  await expect(viewer.getByRole('heading', { name: 'late-march.jpg' })).toBeVisible();
  await expect(viewer.getByText('31 March 2024 at 23:59')).toBeVisible();
  const picture = viewer.getByRole('img', { name: 'late-march.jpg' });
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(8);
  await expectAccessible(page, 'a picture', DIALOG);
  await page.keyboard.press('ArrowRight');
  await expect(viewer.getByRole('heading', { name: 'march.jpg', exact: true })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect(viewer.getByRole('heading', { name: 'december.jpg' })).toBeVisible();
  const previousButton = viewer.getByRole('button', { name: 'Previous picture' });
  await expect(previousButton).toBeDisabled();
  await previousButton.focus();
  await page.keyboard.press('ArrowRight');
  await expect(page).toHaveURL(/picture=\w*late-march/);
  await page.keyboard.press('Escape');
  await expect(viewer).toBeHidden();
  await expect(grid).toBeFocused();
  await page.keyboard.press('Enter');
  await viewer.getByRole('button', { name: 'Details' }).click();
  await expect(page.getByRole('dialog', { name: 'File' })).toContainText('late-march.jpg');
});

thoroughTest('reports that a picture was deleted if its address is opened', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, jpegWithExif({ maker: 'Canon' }), { name: 'wall.jpg' });
  await pda.fetchText('DELETE', `/api/v2.6/files/file/${fileId}`);
  await pda.enter(page, `/files?view=gallery&picture=${fileId}`);
  await expect(page.getByRole('dialog', { name: 'Picture' })).toContainText('This file was deleted');
});

thoroughTest('shows pictures on a map and as a list, without a request to another host', async ({ page, pda }) => {
  const externalRequests: string[] = [];
  page.context().on('request', (request) => {
    if (!request.url().startsWith(pda.url) && !/^(?:data|blob):/u.test(request.url()))
      externalRequests.push(request.url());
  });
  for (const name of ['gate.jpg', 'tower.jpg']) await uploadContent(pda, jpegWithExif({ place: BERLIN }), { name });
  await uploadContent(pda, jpegWithExif({ place: SYDNEY }), { name: 'opera.jpg' });
  await uploadContent(pda, jpegWithExif({ maker: 'Canon' }), { name: 'plain.jpg' });
  await expect.poll(() => pda.call('GET', '/api/v2.6/owner/files/map/extent')).toMatchObject({ pictures: 3 });
  await pda.enter(page, '/files');
  await page.getByRole('radiogroup', { name: 'View' }).getByText('Map').click();
  await expect(page).toHaveURL(/files\?view=map$/);
  await expect(page.getByRole('heading', { name: '3 pictures on the map' })).toBeVisible();
  await expect(page.getByText('1 of 4\u00A0pictures has no place.')).toBeVisible();
  await expect(page.locator('[aria-busy]').filter({ has: page.locator('canvas') })).toHaveAttribute(
    'aria-busy',
    'false',
  );
  await expectAccessible(page, 'the map of pictures');

  await page.getByRole('button', { name: 'Show as list' }).click();
  const places = page.getByRole('table').getByRole('row');
  await expect(places).toHaveText([/^Place/, /^52\.52°\sN, 13\.405°\sE, near Berlin2/, /^opera\.jpg33\.85°\sS/]);
  await page.getByRole('button', { name: 'Show 2 pictures' }).click();
  const place = page.getByRole('region', { name: /^2\spictures at 52\.52/ });
  await expect(place.getByRole('listitem')).toHaveText(['tower.jpg', 'gate.jpg']);
  await expectAccessible(page, 'the pictures at a place');
  await place.getByRole('button', { name: 'gate.jpg' }).click();
  const viewer = page.getByRole('dialog', { name: 'Picture' });
  await expect(viewer.getByRole('heading', { name: 'gate.jpg' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(viewer).toBeHidden();
  await page.getByRole('button', { name: 'Open picture' }).click();
  await expect(viewer.getByRole('heading', { name: 'opera.jpg' })).toBeVisible();
  await expect(viewer.getByRole('button', { name: 'Next picture' })).toBeDisabled();
  expect(externalRequests).toEqual([]);
});

thoroughTest('shows the date and place of a picture, and warns before it is shared', async ({ page, pda }) => {
  const data = { taken: '2024:03:01 12:00:00', place: BERLIN, maker: 'Apple', model: 'iPhone 15' };
  const fileId = await uploadContent(pda, jpegWithExif(data), { name: 'wall.jpg' });
  await uploadContent(pda, jpegWithExif({ maker: 'Canon' }), { name: 'plain.jpg' });
  await pda.enter(page, `/files?file=${fileId}`);
  const drawer = page.getByRole('dialog', { name: 'File' });
  await expect(drawer.getByText('1 March 2024 at 12:00')).toBeVisible();
  await expect(drawer.getByText('Apple iPhone 15')).toBeVisible();
  const place = drawer.getByRole('region', { name: 'Place', exact: true });
  await expect(place).toContainText(/52\.52°\sN, 13\.405°\sE, near Berlin/);
  await expect(place.locator('[aria-busy]')).toHaveAttribute('aria-busy', 'false');
  await expectAccessible(page, 'a picture with a place', DIALOG);
  await drawer.getByRole('button', { name: 'Share', exact: true }).click();
  const placeNotice = page.getByText('This picture contains the place where it was taken.');
  await expect(placeNotice).toBeVisible();
  await expectAccessible(page, 'sharing a picture with a place', DIALOG);

  await page.goto(`${pda.url}/#/files`);
  await page.getByRole('checkbox', { name: 'Select wall.jpg' }).check();
  await page.getByRole('checkbox', { name: 'Select plain.jpg' }).check();
  await page.getByRole('button', { name: 'Share 2 files with a link' }).click();
  const warning = 'One of these 2 pictures contains the place where it was taken.';
  const linkDialog = page.getByRole('dialog', { name: 'Link to 2 files' });
  await expect(linkDialog.getByText(warning)).toBeVisible();
  await linkDialog.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Invite person to 2 files' }).click();
  const inviteDialog = page.getByRole('dialog', { name: 'Invite person to 2 files' });
  await expect(inviteDialog.getByText(warning)).toBeVisible();
  await inviteDialog.getByRole('button', { name: 'Cancel' }).click();
  await page.goto(`${pda.url}/#/files?folder=test`);
  await page.getByRole('button', { name: 'Share with a link' }).click();
  const folderDialog = page.getByRole('dialog', { name: 'Share the folder test' });
  await expect(folderDialog.getByText(warning)).toBeVisible();

  await page.goto(`${pda.url}/#/timeline`);
  const day = page.getByRole('region', { name: '1 March 2024' });
  await expect(day.getByText('Near Berlin')).toBeVisible();
  await expectAccessible(page, 'the timeline with a picture');
  await day.getByRole('button', { name: 'Open picture: wall.jpg' }).click();
  await expect(page.getByRole('dialog', { name: 'Picture' })).toContainText('wall.jpg');
  await page.keyboard.press('Escape');
  await expect(day.getByRole('button', { name: 'Open picture: wall.jpg' })).toBeFocused();
});
