import { dataSetPath, expect, expectAccessible, expectAccessibleInExtraVariants, notice, thoroughTest } from './pda.ts';

thoroughTest(
  'publishes a profile field only with its switch, and previews the public profile',
  async ({ page, pda, browser }) => {
    const anonymousPage = await browser.newPage({ javaScriptEnabled: false });
    const openProfile = async () => (await anonymousPage.goto(`${pda.url}/profile`))?.status();
    await pda.enter(page, '/settings/profile');
    await expect(page.getByText('Nothing. Your profile page says')).toBeVisible();
    expect(await openProfile()).toBe(404);
    await expect(anonymousPage.getByRole('heading', { name: 'Nothing to see here' })).toBeVisible();
    await expectAccessible(page, 'profile, empty');

    await page.getByLabel('Name', { exact: true }).fill('Ada L.');
    await page.getByLabel('What you do', { exact: true }).fill('Analyst <b>of engines</b>');
    await page.getByLabel('Website', { exact: true }).fill('nowhere');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByText('Enter a complete address')).toBeVisible();
    await page.getByLabel('Website', { exact: true }).fill('https://ada.example/');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect(notice(page, 'The same fields are public as before')).toBeVisible();
    expect(await openProfile()).toBe(404);

    /** Clicks the track of the switch, because the input itself has no size. */
    const toggle = (name: string) => page.locator(`input[role=switch][aria-label="Public: ${name}"] + *`).click();
    const preview = page.frameLocator('iframe[title="Your profile as anonymous visitors see it"]');
    await expect(page.getByRole('switch', { name: 'Public: Phone' })).toBeDisabled();
    await toggle('Name');
    await expect(preview.getByRole('heading', { name: 'Ada L.' })).toBeVisible();
    await toggle('What you do');
    await expect(preview.getByText('Analyst <b>of engines</b>')).toBeVisible();
    await expect(preview.getByText('ada.example')).toHaveCount(0);

    // The browser re-encodes the chosen photo, which stays private until its switch is turned on.
    const chooserOpened = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Choose photo' }).click();
    await (await chooserOpened).setFiles(dataSetPath('ffox.png'));
    await expect(page.getByAltText('Your photo')).toBeVisible();
    // Otherwise the browser would ignore a second choice of this file, for example after its removal.
    await expect(page.locator('input[type=file]')).toHaveValue('');
    await expect(preview.getByRole('img')).toHaveCount(0);
    await toggle('Photo');
    await expect(preview.getByRole('img', { name: 'Photo of Ada L.' })).toBeVisible();
    await expectAccessible(page, 'profile, in part public');
    await expectAccessibleInExtraVariants(page, 'profile, in part public');

    expect(await openProfile()).toBe(200);
    await expect(anonymousPage.getByRole('heading', { name: 'Ada L.' })).toBeVisible();
    const photo = anonymousPage.getByRole('img', { name: 'Photo of Ada L.' });
    expect(await photo.evaluate((picture: HTMLImageElement) => picture.naturalWidth)).toBeGreaterThan(10);
    await page.goto(`${pda.url}/#/settings/address`);
    await expect(page.getByText('3 profile fields')).toBeVisible();
    await page.goto(`${pda.url}/#/history`);
    await expect(page.getByText(/anonymous visitor.* read/i).first()).toBeVisible();

    await page.goto(`${pda.url}/#/settings/profile`);
    for (const name of ['Name', 'What you do', 'Photo']) {
      await toggle(name);
      await expect(page.getByRole('switch', { name: `Public: ${name}` })).not.toBeChecked();
    }
    expect(await openProfile()).toBe(404);
    await anonymousPage.close();
  },
);

thoroughTest('the form shows changes made elsewhere in fields that the owner has not edited', async ({ page, pda }) => {
  await pda.enter(page, '/settings/profile');
  const name = page.getByLabel('Name', { exact: true });
  const profession = page.getByLabel('What you do', { exact: true });
  await expect(name).toHaveValue('');
  await pda.call('PUT', '/api/v2.6/owner/profile', { name: 'Ada L.', headline: 'Analyst' });
  await expect(name).toHaveValue('Ada L.');
  await profession.fill('Mathematician');
  await pda.call('PUT', '/api/v2.6/owner/profile', { name: 'Ada', headline: 'Analyst' });
  // The switch turns on once the page has loaded the changed profile.
  await pda.call('PUT', '/api/v2.6/owner/profile/public', { field: 'headline', public: true });
  await expect(page.getByRole('switch', { name: 'Public: What you do' })).toBeChecked();
  await expect(profession).toHaveValue('Mathematician');
  await expect(name).toHaveValue('Ada');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(notice(page, 'The same fields are public as before')).toBeVisible();
  await expect(profession).toHaveValue('Mathematician');
  await expect(name).toHaveValue('Ada');
});

thoroughTest('the form keeps text that is typed while it is being saved', async ({ page, pda }) => {
  const { promise: isTyped, resolve: continueSaving } = Promise.withResolvers<void>();
  await page.route('**/api/v2.6/owner/profile', async (route) => {
    if (route.request().method() === 'PUT') await isTyped;
    await route.continue();
  });
  await pda.enter(page, '/settings/profile');
  const about = page.getByRole('textbox', { name: 'About you' });
  await about.fill('Lives in London.');
  await page.getByRole('button', { name: 'Save' }).click();
  await about.fill('Lives in London. Likes engines.');
  continueSaving();
  await expect(notice(page, 'The same fields are public as before')).toBeVisible();
  await expect(about).toHaveValue('Lives in London. Likes engines.');
});
