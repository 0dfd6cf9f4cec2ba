import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CHUNK_MAX_BYTES } from '../../renderer/dashboard/api/files/upload-rate.ts';
import { chooseFiles, dropFiles, holdChunks, listFiles, png, sha256, writeLargeFile, writeToDisk } from './files.ts';
import { expect, expectAccessible, notice, test, thoroughTest } from './pda.ts';

test('uploads a chosen file, previews it, and downloads it unchanged', async ({ page, pda }, info) => {
  const picture = png();
  const path = await writeToDisk(info.outputPath('in', 'garden.png'), picture);
  await pda.enter(page, '/files');
  await expect(page.getByRole('heading', { name: 'No files yet' })).toBeVisible();
  await chooseFiles(page, 'Upload files', path);
  await expect(notice(page, '1 file uploaded')).toBeVisible();
  await page.getByRole('row', { name: 'garden.png' }).click();
  const drawer = page.getByRole('dialog', { name: 'File' });
  await expect(drawer.getByRole('img', { name: 'Preview of garden.png' })).toBeVisible();
  await expect(drawer).toContainText(sha256(picture));
  await expect(drawer).toContainText('Only you');
  await page.reload();
  await expect(drawer).toContainText('garden.png');
  const downloadStarted = page.waitForEvent('download');
  await drawer.getByRole('button', { name: 'Download' }).click();
  const download = await downloadStarted;
  expect(download.suggestedFilename()).toBe('garden.png');
  expect(sha256(await readFile(await download.path()))).toBe(sha256(picture));
  await page.goBack();
  await expect(drawer).toBeHidden();
});

thoroughTest('uses a dropped folder as source and its subfolders as tags', async ({ page, pda }, info) => {
  const folder = info.outputPath('photos');
  await writeToDisk(join(folder, '2024', 'Rome', 'forum.png'), png(200, 80, 40));
  await writeToDisk(join(folder, '2024', 'list.txt'), 'one\ntwo\n');
  await writeToDisk(join(folder, '.DS_Store'), 'nothing of mine');
  const letter = await writeToDisk(info.outputPath('letter.txt'), 'Dear Ada');
  await pda.enter(page, '/files');
  await expect(page.getByRole('heading', { name: 'No files yet' })).toBeVisible();
  await dropFiles(page, [folder, letter]);
  // This notification appears before the uploads start and disappears after a few seconds.
  await expect(notice(page, 'skipped')).toContainText('1\u00A0system file');
  await expect(notice(page, '3 files uploaded')).toBeVisible();
  expect(
    (await listFiles(pda, '?sort=name&order=ascending')).map(({ file: { name, source, tags } }) => ({
      name,
      source,
      tags,
    })),
  ).toEqual([
    { name: 'forum.png', source: 'photos', tags: ['2024', 'Rome'] },
    { name: 'letter.txt', source: 'uploads', tags: undefined },
    { name: 'list.txt', source: 'photos', tags: ['2024'] },
  ]);
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '4');
});

thoroughTest('uploads a chosen folder, and a file into the filtered source', async ({ page, pda }, info) => {
  const folder = info.outputPath('scans');
  await writeToDisk(join(folder, 'tax', 'a.txt'), 'a');
  await writeToDisk(join(folder, 'b.txt'), 'b');
  await pda.enter(page, '/files');
  await chooseFiles(page, 'Upload folder', folder);
  await expect(notice(page, '2 files uploaded')).toBeVisible();
  await page.getByLabel('Source', { exact: true }).selectOption('scans');
  await expect(page).toHaveURL(/source=scans/);
  await chooseFiles(page, 'Upload files', await writeToDisk(info.outputPath('c.txt'), 'c'));
  await expect(notice(page, '1 file uploaded')).toBeVisible();
  await expect(page.getByRole('grid')).toHaveAttribute('aria-rowcount', '4');
  expect((await listFiles(pda, '?source=scans')).map(({ file }) => file.name).toSorted()).toEqual([
    'a.txt',
    'b.txt',
    'c.txt',
  ]);
});

thoroughTest(
  'pauses an upload, and resumes it after a reload only if the same file is chosen',
  async ({ page, pda }, info) => {
    const { path, content } = await writeLargeFile(info.outputPath('in'));
    const release = await holdChunks(page, CHUNK_MAX_BYTES);
    await pda.enter(page, '/files');
    await chooseFiles(page, 'Upload files', path);
    // The upload continues on other pages, and every page shows it.
    await page.getByRole('link', { name: 'Home' }).click();
    const bar = page.getByRole('link', { name: /Uploading 1 of 1/ });
    await expect(bar).toContainText('33%');
    await bar.click();
    await expect(page.getByRole('progressbar', { name: 'Upload of film.bin' })).toBeVisible();
    await page.getByRole('button', { name: 'Pause film.bin' }).click();
    await expect(page.getByText('Uploads paused')).toBeVisible();
    await expect(page.getByText('Paused at 8\u00A0MB of 24\u00A0MB')).toBeVisible();
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Unfinished uploads' })).toBeVisible();
    await expect(page.getByText('8\u00A0MB uploaded')).toBeVisible();
    const chooseAgainButton = page.getByRole('button', { name: 'Choose film.bin again' });
    const chooseFileAgain = async (file: string) => {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), chooseAgainButton.click()]);
      await chooser.setFiles(file);
    };
    await chooseFileAgain(await writeToDisk(info.outputPath('other.bin'), 'another'));
    await expect(page.getByText('This is a different file.')).toBeVisible();
    release();
    // Removes the interception that holds chunks back. Otherwise, every chunk would also pass through the test process.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    const offsets: number[] = [];
    page.on('request', (request) => {
      const offset = new URL(request.url()).searchParams.get('offset');
      if (offset !== null) offsets.push(Number(offset));
    });
    await chooseFileAgain(path);
    await expect(page.getByText('1\u00A0file uploaded', { exact: true }).first()).toBeVisible({ timeout: 60_000 });
    expect(Math.min(...offsets)).toBe(CHUNK_MAX_BYTES);
    expect((await listFiles(pda)).map((file) => file.sha256)).toEqual([sha256(content)]);
    await page.getByRole('link', { name: 'film.bin' }).click();
    await expect(page.getByRole('dialog', { name: 'File' })).toContainText('Other: no preview');
  },
);

test('resumes an upload after a restart of the PDA and repeats only the aborted chunk', async ({ page, pda }, info) => {
  const { path, content } = await writeLargeFile(info.outputPath('in'));
  const offsets: number[] = [];
  let restart: Promise<void> | undefined;
  await page.route('**/upload?offset=*', async (route) => {
    const offset = Number(new URL(route.request().url()).searchParams.get('offset'));
    if (offset > 0 && restart === undefined) {
      restart = pda.configure({});
      await route.abort('connectionreset');
      return;
    }
    // A chunk sent during the shutdown may be stored in part. This test does not cover that.
    await restart;
    offsets.push(offset);
    await route.continue();
  });
  await pda.enter(page, '/files');
  await chooseFiles(page, 'Upload files', path);
  await expect(notice(page, '1 file uploaded')).toBeVisible({ timeout: 60_000 });
  // Only the aborted chunk is repeated. Later chunks are smaller on slow machines.
  expect(offsets.slice(0, 2)).toEqual([0, CHUNK_MAX_BYTES]);
  const steps = [...offsets.slice(1), content.length].map((offset, index) => offset - (offsets[index] ?? 0));
  expect(steps.every((step) => step > 0 && step <= CHUNK_MAX_BYTES)).toBe(true);
  expect((await listFiles(pda)).map((file) => file.sha256)).toEqual([sha256(content)]);
});

thoroughTest(
  'reports why an upload failed, continues the others, and leaves no trace of a cancelled one',
  async ({ page, pda }, info) => {
    const smallFiles = await Promise.all(
      ['a.txt', 'b.txt', 'c.txt'].map((name) => writeToDisk(info.outputPath('in', name), `text of ${name}`)),
    );
    const { path } = await writeLargeFile(info.outputPath('in'));
    await page.route('**/api/v2.6/files/upload', async (route) => {
      if (!(route.request().postData() ?? '').includes('b.txt')) return route.continue();
      return route.fulfill({
        status: 413,
        contentType: 'application/json',
        body: JSON.stringify({
          error: 'too_large',
          message: '',
          cause: 'There is not enough space for it.',
          requestId: 'r-1',
        }),
      });
    });
    await holdChunks(page, CHUNK_MAX_BYTES);
    await pda.enter(page, '/files');
    await chooseFiles(page, 'Upload files', [...smallFiles, path]);
    await page.getByRole('link', { name: /Uploading 3 of 4/ }).click();
    await expect(page.getByText('There is not enough space for it.')).toBeVisible();
    await expect(page.getByRole('link', { name: 'c.txt' })).toBeVisible();
    await expectAccessible(page, 'running, failed and completed uploads');
    await page.getByRole('button', { name: 'Cancel film.bin' }).click();
    await expect(page.getByText('1\u00A0file could not be uploaded')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel all' }).click();
    await expect(page.getByText('2\u00A0files uploaded', { exact: true }).first()).toBeVisible();
    await expect.poll(() => listFiles(pda, '?show=unfinished')).toEqual([]);
    expect((await listFiles(pda)).map(({ file }) => file.name).toSorted()).toEqual(['a.txt', 'c.txt']);
  },
);

thoroughTest(
  'renders only some of many small files while they are uploaded and listed',
  async ({ page, pda }, info) => {
    const folder = info.outputPath('many');
    for (let index = 0; index < 120; index += 1)
      await writeToDisk(join(folder, `note ${String(index).padStart(4, '0')}.txt`), `n ${index}`);
    // Holds back all uploads, because the link to the uploads disappears when all are done.
    const release = await holdChunks(page, 0);
    await pda.enter(page, '/files');
    await chooseFiles(page, 'Upload folder', folder);
    await page.getByRole('link', { name: 'Data', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'Data', exact: true })).toBeVisible();
    await page.getByRole('link', { name: /^Uploading/ }).click();
    await expect(page.getByRole('heading', { name: 'Uploads', exact: true })).toBeVisible();
    // Only the next few of the waiting files are rendered.
    expect(await page.getByRole('listitem').count()).toBeLessThan(60);
    release();
    await expect(page.getByText('120\u00A0files uploaded', { exact: true }).first()).toBeVisible({
      timeout: 60_000,
    });
    await page.goto(`${pda.url}/#/files?sort=name&at=100`);
    await expect(page.getByText('note 0099.txt')).toBeVisible();
    expect(await page.getByRole('row').count()).toBeLessThan(60);
  },
);

thoroughTest('shows files added to the watched folder, and reports files removed from it', async ({ page, pda }) => {
  const { folder } = (await pda.call('GET', '/api/v2.6/owner/files/summary')) as { folder: string };
  await pda.enter(page, '/files');
  await expect(page.getByText(folder)).toBeVisible();
  await writeToDisk(join(folder, 'plans', 'house.txt'), 'four walls');
  await page.getByRole('row', { name: 'house.txt' }).click();
  const drawer = page.getByRole('dialog', { name: 'File' });
  await expect(drawer).toContainText('The folder on this computer');
  await expect(drawer).toContainText(join(folder, 'plans', 'house.txt'));
  await rm(join(folder, 'plans', 'house.txt'));
  await expect(drawer).toContainText('This file was deleted');
  await page.goto(`${pda.url}/#/files/deleted`);
  await expect(page.getByRole('listitem').filter({ hasText: 'house.txt' })).toContainText(
    'Removed from the folder on this computer',
  );
  await expect(page.getByRole('button', { name: 'Restore' })).toHaveCount(0);
});
