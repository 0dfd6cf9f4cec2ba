import { uploadContent } from './files.ts';
import { DIALOG, expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

test('shares a file with a person, lists their access, and stops sharing with one click', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
  await pda.call('POST', '/users/user', { name: 'Grace', password: 'a long enough password' });
  const signInResponse = await fetch(`${pda.url}/users/access_token`, {
    headers: { username: 'Grace', password: encodeURIComponent('a long enough password') },
  });
  const { accessToken } = (await signInResponse.json()) as { accessToken: string };
  const fetchContent = () =>
    fetch(`${pda.url}/api/v2.6/files/content/${fileId}`, { headers: { 'x-auth-token': accessToken } });
  const refusedStatus = (await fetchContent()).status;
  expect(refusedStatus).toBeGreaterThanOrEqual(400);
  await pda.enter(page, `/files?file=${fileId}`);
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await expect(page).toHaveURL(/share=1/);
  const dialog = page.getByRole('dialog', { name: 'Share letter.txt' });
  await dialog.getByLabel('Person', { exact: true }).selectOption('Grace');
  await dialog.getByLabel('See that it exists').check();
  await dialog.getByRole('button', { name: 'Share with Grace' }).click();
  await expect(notice(page, 'Grace can see that it exists')).toBeVisible();
  expect((await fetchContent()).status).toBeGreaterThanOrEqual(400);
  await dialog.getByLabel('Person', { exact: true }).selectOption('Grace');
  await dialog.getByLabel('Open it').check();
  await dialog.getByRole('button', { name: 'Share with Grace' }).click();
  await expect(notice(page, 'Grace can open it')).toBeVisible();
  await expectAccessible(page, 'sharing', DIALOG);
  expect(await (await fetchContent()).text()).toBe('Dear Grace');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  const drawer = page.getByRole('dialog', { name: 'File' });
  await expect(drawer.getByText('Can open it')).toBeVisible();
  await expect(drawer.getByRole('link', { name: 'A guest, Grace, downloaded letter.txt' })).toBeVisible();
  await drawer.getByRole('link', { name: 'Open in access history' }).click();
  await expect(page.getByRole('link', { name: 'A guest, Grace, downloaded letter.txt' })).toBeVisible();
  await page.getByRole('link', { name: 'One record' }).click();
  await drawer.getByRole('button', { name: 'Stop sharing with Grace' }).click();
  await expect(notice(page, 'Stopped sharing with Grace')).toBeVisible();
  await expect(drawer.getByText('Only you')).toBeVisible();
  expect((await fetchContent()).status).toBe(refusedStatus);
  await notice(page, 'Stopped sharing with Grace').getByRole('button', { name: 'Undo' }).click();
  await expect(drawer.getByText('Can open it')).toBeVisible();
  expect((await fetchContent()).status).toBe(200);
});

thoroughTest('serves a public link without sign-in until sharing is stopped', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'For everybody', { name: 'poster.txt' });
  await pda.enter(page, `/files?file=${fileId}&share=1`);
  const dialog = page.getByRole('dialog', { name: 'Share poster.txt' });
  await expect(dialog).toContainText('Anyone can read it there without signing in, until you stop sharing it.');
  await dialog.getByRole('button', { name: 'Make public' }).click();
  await expect(notice(page, 'The file is public')).toBeVisible();
  const link = (await dialog.locator('code').first().textContent()) ?? '';
  await expect(dialog.getByRole('button', { name: 'Copy link' })).toBeVisible();
  expect(await (await fetch(link)).text()).toBe('For everybody');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('row', { name: 'poster.txt' })).toContainText('Public');
  await page.getByRole('combobox', { name: 'Who can see it' }).selectOption('public');
  // Until the filtered list has loaded, the old list is shown, and its rows could be replaced during the click.
  await expect(page.getByText('1\u00A0file found')).toBeVisible();
  // Clicks the start of the row, because a notification may cover the rest.
  await page.getByRole('row', { name: 'poster.txt' }).click({ position: { x: 60, y: 12 } });
  await page.getByRole('button', { name: 'Stop sharing the file publicly' }).click();
  await expect(notice(page, 'The file is no longer public')).toBeVisible();
  expect((await fetch(link)).status).toBeGreaterThanOrEqual(400);
});

test('never runs the content of a file', async ({ page, pda }) => {
  const script = "window.top.document.title='taken';window.top.taken=true;alert('taken')";
  const hostileFiles = [
    {
      name: 'page.html',
      content: `<html><body onload="${script}"><script>${script}</script><h1>hello</h1></body></html>`,
    },
    {
      name: 'picture.svg',
      content: `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"><script>${script}</script></svg>`,
    },
    { name: 'picture.png', content: `<svg xmlns="http://www.w3.org/2000/svg" onload="${script}"></svg>` },
    { name: 'paper.pdf', content: `<html><script>${script}</script></html>` },
    { name: '"><img src=x onerror=alert(1)>.txt', content: `<img src=x onerror="${script}">` },
  ];
  let dialogCount = 0;
  page.on('dialog', (dialog) => {
    dialogCount += 1;
    void dialog.dismiss();
  });
  await pda.enter(page, '/files');
  for (const { name, content } of hostileFiles) {
    const fileId = await uploadContent(pda, content, {
      name,
      title: `<b onmouseover="${script}">${name}</b>`,
      description: `<script>${script}</script>`,
      tags: ['<i>tag</i>'],
    });
    await page.goto(`${pda.url}/#/files?file=${fileId}`);
    const drawer = page.getByRole('dialog', { name: 'File' });
    await expect(drawer.getByRole('link', { name: '<i>tag</i>' })).toBeVisible();
    await expect(drawer).toContainText(name);
    await expect(drawer.locator('iframe, object, embed, img')).toHaveCount(0);
    // The address of the file does not serve it as a page or a picture.
    const { file } = (await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`)) as {
      file: { contentUrl: string };
    };
    const response = await fetch(file.contentUrl);
    const type = response.headers.get('content-type') ?? '';
    expect(type).not.toMatch(/html|svg|xml|pdf|image/);
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
  }
  expect(dialogCount).toBe(0);
  expect(await page.evaluate(() => 'taken' in window)).toBe(false);
  await expect(page).not.toHaveTitle('taken');
});

thoroughTest('the form for a new link keeps its input if reloading the links fails', async ({ page, pda }) => {
  const fileId = await uploadContent(pda, 'Hello', { name: 'letter.txt' });
  await pda.enter(page, `/files?file=${fileId}&share=1`);
  const dialog = page.getByRole('dialog', { name: 'Share letter.txt' });
  await dialog.getByRole('button', { name: 'New link' }).click();
  await dialog.getByLabel('Name', { exact: true }).fill('For Grace');
  await page.route('**/owner/share-links', (route) => route.fulfill({ status: 500, json: {} }));
  const failedResponse = page.waitForResponse((response) => response.url().endsWith('/share-links'));
  // The change event of another file makes the page reload the links.
  await uploadContent(pda, 'Other', { name: 'other.txt' });
  await failedResponse;
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(dialog.getByLabel('Name', { exact: true })).toHaveValue('For Grace');
});
