import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Locator, Page } from '@playwright/test';
import { Acme, DAY_S } from './consent.ts';
import { drawLandscape } from './drawings.ts';
import { mockExposure, exposureOf } from './exposure.ts';
import { uploadContent } from './files.ts';
import { exampleZip } from './functions.ts';
import { type Config, type Pda, expect, notice, test } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

// Takes the screenshots of the user guide in one test. `npm run pictures` writes them. Thorough test runs take the same
// steps without writing, so that the guide describes existing pages only.

const PICTURES_FOLDER = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const IS_WRITING = process.env['PDA_PICTURES'] !== undefined;
const WINDOW_SIZE = { width: 1120, height: 760 };
const DAY_MS = DAY_S * 1000;

const config: Config = {
  applications: [
    {
      id: 'acme',
      kind: { kind: 'App', url: 'https://acme.example/' },
      info: {
        version: '1.0.0',
        published: true,
        name: 'Acme Health',
        headline: 'How your days and your nights go together',
        description: { text: 'Acme Health compares how much you move with how you sleep.' },
        graphics: { logo: { normal: '' } },
        termsUrl: 'https://acme.example/terms',
        dataUsePurpose: 'To compare your days with your nights.',
      },
      developer: { id: 'acme', name: 'Acme', url: 'https://acme.example/' },
      permissions: { rolesGranted: [{ role: 'datadebit' }, { role: 'namespacewrite', detail: 'acme' }] },
      setup: { kind: 'External', url: 'https://acme.example/signed-in' },
      status: { kind: 'Internal', compatibility: '1.0.0' },
    },
  ],
};

test.use({
  config,
  viewport: WINDOW_SIZE,
  deviceScaleFactor: 2,
  colorScheme: 'light',
  locale: 'en-GB',
  timezoneId: 'Europe/London',
});

const dateDaysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
const wave = (day: number, min: number, max: number): number =>
  Math.round(min + ((Math.sin(day * 1.7) + Math.sin(day * 0.6) + 2) / 4) * (max - min));

const STEPS = Array.from({ length: 90 }, (_, day) => ({ day: dateDaysAgo(90 - day), steps: wave(day, 3100, 12_400) }));
const NIGHTS = Array.from({ length: 60 }, (_, day) => ({
  night: dateDaysAgo(60 - day),
  minutes: wave(day + 3, 340, 510),
  notes: day % 3 === 0 ? 'woke up early' : 'slept well',
}));

const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//A calendar//EN',
  ...['Dentist', 'Choir', 'Lunch by the river', 'Parents’ evening'].flatMap((summary, index) => [
    'BEGIN:VEVENT',
    `UID:${index}@calendar.example`,
    `DTSTART:${dateDaysAgo(40 - index * 9).replaceAll('-', '')}T1${index}0000Z`,
    `DTEND:${dateDaysAgo(40 - index * 9).replaceAll('-', '')}T1${index}4500Z`,
    `SUMMARY:${summary}`,
    'END:VEVENT',
  ]),
  'END:VCALENDAR',
  '',
].join('\r\n');

const request = {
  dataDebitKey: 'acme/days-and-nights',
  bundle: {
    name: 'days-and-nights',
    bundle: {
      days: { endpoints: [{ endpoint: 'fitness/steps', mapping: { day: 'data.day', steps: 'data.steps' } }] },
      nights: { endpoints: [{ endpoint: 'fitness/sleep', mapping: { night: 'data.night', minutes: 'data.minutes' } }] },
    },
  },
  period: 30 * DAY_S,
  purpose: 'Shows how your days and your nights go together.',
  cancelAtPeriodEnd: true,
  termsUrl: 'https://acme.example/terms',
  requestClientName: 'Acme Health',
  requestClientUrl: 'https://acme.example/',
  requestClientLogoUrl: 'https://acme.example/logo.png',
};

const screenshotNames: string[] = [];
type Area = { x: number; y: number; width: number; height: number };

/**
 * Registers a picture and, if pictures are written, takes a screenshot of a part of the page. `crop` is relative to the
 * upper left corner of the page.
 */
async function takePicture(page: Page, name: string, crop: Partial<Area> = {}): Promise<void> {
  const { x, y, width, height } = { x: 0, y: 0, ...WINDOW_SIZE, ...crop };
  screenshotNames.push(`${name}.webp`);
  if (!IS_WRITING) return;
  await page.setViewportSize({ ...WINDOW_SIZE, height: y + height });
  await expect(page.locator('.mantine-Skeleton-root')).toHaveCount(0);
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.mouse.move(0, 0);
  // Hides notifications of the previous step.
  const hidingStyle = await page.addStyleTag({ content: '.mantine-Notifications-root { display: none }' });
  await page.evaluate(async () => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 88,
    clip: { x, y, width, height, scale: 2 },
  });
  await session.detach();
  await writeFile(join(PICTURES_FOLDER, `${name}.webp`), Buffer.from(data, 'base64'));
  await hidingStyle.evaluate((style) => style.parentNode?.removeChild(style));
  await page.setViewportSize(WINDOW_SIZE);
}

/** Returns a link in the sidebar. Pages can contain links with the same text. */
const sidebarLink = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });

const csvOf = (records: readonly Record<string, unknown>[]): Buffer =>
  Buffer.from(`${[Object.keys(records[0] ?? {}), ...records.map(Object.values)].join('\n')}\n`);

async function importData(page: Page, pda: Pda): Promise<void> {
  await sidebarLink(page, 'Data').click();
  await page
    .getByRole('link', { name: /^Import/u })
    .first()
    .click();
  await page
    .getByLabel('Choose file')
    .setInputFiles({ name: 'calendar.ics', mimeType: 'text/calendar', buffer: Buffer.from(CALENDAR) });
  await expect(page.getByRole('heading', { name: /^Calendar: .*4.events/u })).toBeVisible();
  await takePicture(page, 'import-found');
  await page
    .getByRole('button', { name: /^Discard/u })
    .first()
    .click();
  await expect(page).toHaveURL(/#\/data\/imports$/u);
  await page.getByLabel('Choose file').setInputFiles({ name: 'steps.csv', mimeType: 'text/csv', buffer: csvOf(STEPS) });
  const endpointField = page.getByRole('combobox', { name: 'Store in' });
  await endpointField.fill('fitness/steps');
  await page.keyboard.press('Escape');
  await takePicture(page, 'import-preview', { height: 900 });
  await page.getByRole('button', { name: 'Import', exact: true }).click();
  await expect(page.getByRole('heading', { name: '90 records added' })).toBeVisible();
  await takePicture(page, 'import-done', { height: 520 });
  await pda.store('fitness/sleep', NIGHTS);
  await pda.store(
    'diary/days',
    ['A walk along the river', 'Bread and cheese with friends', 'The first tomatoes'].map((text, day) => ({
      source: 'diary',
      date: {
        iso: new Date(Date.now() - day * DAY_MS).toISOString(),
        unix: Math.floor(Date.now() / 1000) - day * DAY_S,
      },
      types: ['note'],
      title: { text },
    })),
  );
  await page.getByRole('link', { name: 'Open records' }).click();
  await expect(page.getByRole('grid')).toBeVisible();
  await takePicture(page, 'records');
  await sidebarLink(page, 'Timeline').click();
  await expect(page.getByText('A walk along the river')).toBeVisible();
  await takePicture(page, 'timeline');
}

async function reviewApplication(page: Page): Promise<void> {
  await sidebarLink(page, 'Applications').click();
  await page.getByRole('link', { name: 'Acme Health' }).first().click();
  await page.getByRole('link', { name: 'Set up Acme Health' }).click();
  await expect(page.getByRole('button', { name: /^Allow|^Set up|^Connect/u }).first()).toBeVisible();
  await takePicture(page, 'application', { height: 900 });
}

async function allowRequest(page: Page, acme: Acme): Promise<void> {
  const reply = await acme.call('POST', `/api/v2.6/data-debit/${request.dataDebitKey}`, {
    ...request,
    start: new Date().toISOString(),
  });
  expect(reply.status).toBe(201);
  await sidebarLink(page, 'Home').click();
  await expect(page.getByText('Acme Health is waiting for your decision')).toBeVisible();
  await expect(page.getByRole('img', { name: /records added/u }).getByText('Added')).toBeVisible();
  await takePicture(page, 'home', { height: 900 });
  await page
    .getByRole('link', { name: /^Requests/u })
    .first()
    .click();
  await expect(page.getByRole('link', { name: /Review and decide/u })).toBeVisible();
  await takePicture(page, 'requests', { height: 560 });
  await page.getByRole('link', { name: /Review and decide/u }).click();
  const allowButton = page.getByRole('button', { name: /^Allow/u });
  await expect(allowButton).toBeVisible();
  await takePicture(page, 'request', { height: 1180 });
  await allowButton.click();
  await expect(notice(page, 'Acme Health can see what you allowed')).toBeVisible();
}

async function stopSharing(page: Page, acme: Acme): Promise<void> {
  expect((await acme.readValues(request.dataDebitKey)).status).toBe(200);
  await sidebarLink(page, 'Sharing').click();
  await expect(page.getByText('One recipient can see some of your data.')).toBeVisible();
  await takePicture(page, 'sharing');
  await page.getByRole('button', { name: /^Stop sharing/u }).click();
  await expect(notice(page, 'Acme Health can no longer read this data')).toBeVisible();
  expect((await acme.readValues(request.dataDebitKey)).status).toBe(400);
  await page.getByRole('link', { name: 'View proof' }).click();
  await expect(page.getByRole('heading', { name: 'Proof that sharing has ended' })).toBeVisible();
  await takePicture(page, 'stopped', { height: 900 });
  await sidebarLink(page, 'Access history').click();
  await expect(page.getByRole('link', { name: /Acme Health read/u }).first()).toBeVisible();
  await takePicture(page, 'history', { height: 820 });
}

async function visitFiles(page: Page, pda: Pda): Promise<void> {
  const names = ['river', 'hills', 'garden', 'harbour', 'first-snow'];
  await Promise.all(
    names.map(async (name, index) =>
      uploadContent(pda, await drawLandscape(page, index), { name: `${name}.png`, source: 'photos', tags: ['walks'] }),
    ),
  );
  const letterId = await uploadContent(pda, 'Dear all,\n\nthe garden is ready for summer.\n', {
    name: 'letter.txt',
    source: 'letters',
  });
  await sidebarLink(page, 'Files').click();
  await page.getByText('Grid', { exact: true }).first().click();
  await expect(page.getByText('letter.txt').first()).toBeVisible();
  await takePicture(page, 'files');
  await page.goto(`${pda.url}/#/files?file=${letterId}&share=1`);
  const dialog = page.getByRole('dialog', { name: 'Share letter.txt' });
  await dialog.getByLabel('Person', { exact: true }).selectOption('Grace');
  await takePicture(page, 'share-file', { height: 820 });
  await page.keyboard.press('Escape');
}

async function installFunction(page: Page, pda: Pda): Promise<void> {
  await page.goto(`${pda.url}/#/functions`);
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Install function' }).first().click();
  await (
    await chooser
  ).setFiles({ name: 'activity-summary.zip', mimeType: 'application/zip', buffer: exampleZip('activity-summary') });
  await page
    .getByRole('link', { name: /^Review and turn on|^Turn on/u })
    .first()
    .click();
  await expect(page.getByRole('button', { name: /^Turn on and let it read/u })).toBeVisible();
  await takePicture(page, 'function', { height: 980 });
}

async function visitSettings(page: Page, pda: Pda): Promise<void> {
  await page.goto(`${pda.url}/#/settings/backup`);
  await page.getByLabel('Folder on this computer').fill('/media/ada/disk/backups');
  await takePicture(page, 'backup-folder', { height: 900 });
  await page.goto(`${pda.url}/#/settings/profile`);
  await page.getByLabel('Name', { exact: true }).fill('Ada');
  await page.getByLabel('What you do', { exact: true }).fill('I walk, and write down where');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(notice(page, 'Saved')).toBeVisible();
  const nameSwitch = page.getByRole('switch', { name: 'Public: Name' });
  await nameSwitch.click({ force: true });
  await expect(nameSwitch).toBeChecked();
  await takePicture(page, 'profile', { height: 1000 });
  await page.goto(`${pda.url}/#/settings/move`);
  await expect(page.getByRole('heading', { name: 'Export everything' })).toBeVisible();
  await takePicture(page, 'move', { height: 900 });
  await page.goto(`${pda.url}/#/settings/security`);
  await expect(page.getByRole('region', { name: 'Second factor' })).toBeVisible();
  await takePicture(page, 'second-factor', { height: 1000 });
  await page.goto(`${pda.url}/#/settings/erase`);
  await page.getByRole('combobox', { name: 'Source' }).fill('diary');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('region', { name: 'Will be erased' })).toBeVisible();
  await takePicture(page, 'erase', { height: 1100 });
  await mockExposure(page, exposureOf('off'));
  await page.goto(`${pda.url}/#/settings/address`);
  await page.getByRole('button', { name: 'Choose a connection' }).click();
  await page.getByRole('radio', { name: 'A name at a relay' }).check();
  await takePicture(page, 'address-choose', { height: 980 });
  await page.unrouteAll();
  await mockExposure(page, exposureOf('reachable'));
  await page.reload();
  await expect(page.getByRole('button', { name: 'Go dark' })).toBeVisible();
  await takePicture(page, 'address', { height: 900 });
}

(IS_THOROUGH_RUN || IS_WRITING ? test : test.skip)(
  'takes every picture of the user guide',
  async ({ page, newPda }) => {
    screenshotNames.length = 0;
    if (IS_WRITING) await mkdir(PICTURES_FOLDER, { recursive: true });
    await page.goto(newPda.setupUrl);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await takePicture(page, 'set-up', { x: 260, y: 90, width: 600, height: 580 });
    await newPda.setUp();
    await newPda.call('POST', '/users/user', { name: 'Grace', password: 'a long enough password' });
    // Leaves the page of the set-up, which would otherwise report that the set-up address has been used.
    await page.goto('about:blank');
    await newPda.enter(page);
    await expect(page.getByRole('heading', { name: 'Add your first data' })).toBeVisible();
    await takePicture(page, 'home-empty');
    await importData(page, newPda);
    await reviewApplication(page);
    const acme = await Acme.signIn(newPda);
    await allowRequest(page, acme);
    await stopSharing(page, acme);
    await visitFiles(page, newPda);
    await installFunction(page, newPda);
    await visitSettings(page, newPda);
    // The folder contains only the screenshots of this test.
    const pictureFiles = (await readdir(PICTURES_FOLDER)).filter((name) => name.endsWith('.webp'));
    expect(pictureFiles.toSorted()).toEqual(screenshotNames.toSorted());
  },
);
