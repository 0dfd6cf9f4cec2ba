import type { Page } from '@playwright/test';
import { acme as acmeSteps, hello } from './applications.ts';
import { Acme, acmeConfig, storeSampleRecords } from './consent.ts';
import { png, uploadContent } from './files.ts';
import {
  diaryEntries,
  enableFunction,
  exampleZip,
  installFunction,
  runFunction,
  buildFunctionZip,
} from './functions.ts';
import { type Pda, expect } from './pda.ts';

// Paths of the pages of the dashboard, and sample data, for tests that visit all pages.

export const EVERY_PAGE_CONFIG = { applications: [...acmeConfig.applications, { ...acmeSteps, id: 'steps' }, hello] };

const GUEST_ID = '019bc186-de00-4000-8937-015a1f841fa9';

/** Stores sample data for most pages in a PDA that was started with `EVERY_PAGE_CONFIG`. */
export async function storeSampleData(pda: Pda): Promise<{ recordId: string; linkId: string }> {
  await storeSampleRecords(pda);
  const records = (await pda.store('vega/movies', [
    { Title: 'Zoom', 'US Gross': 93, Distributor: 'Sony Pictures', url: 'https://films.example/zoom' },
    { Title: 'Zodiac', 'US Gross': 94, Distributor: 'Sony Pictures', url: 'https://films.example/zodiac' },
  ])) as { recordId: string }[];
  await pda.store('diary/entries', diaryEntries);
  await pda.store('notes/notes', { text: '# Shopping\n\n- [ ] *oat* milk\n- bread', tags: ['home'] });
  await pda.call('DELETE', `/api/v2.6/data?records=${records[1]?.recordId ?? ''}`);
  const fileId = await uploadContent(pda, png(), { name: 'lake.png' });
  await uploadContent(pda, 'some words', { name: 'words.txt' });
  const { linkId } = (await pda.call('POST', '/api/v2.6/owner/share-links', {
    name: 'Pictures of the lake',
    fileIds: [fileId],
    password: 'a blue boat',
    opensMax: 10,
  })) as { linkId: string };
  await pda.call('POST', '/users/user', { name: 'Ida', password: 'a long enough password of Ida', userId: GUEST_ID });
  await pda.call('GET', `/api/v2.6/files/allowAccess/${fileId}/${GUEST_ID}?content=true`);
  await pda.call('POST', '/api/v2.6/owner/invitations', { name: 'Grace', days: 7, fileIds: [fileId] });
  const requester = await Acme.signIn(pda);
  await requester.request('asked');
  await requester.request('agreed');
  await pda.call('GET', '/api/v2.6/data-debit/agreed/enable');
  await requester.readValues('agreed');
  await pda.call('GET', '/api/v2.6/applications/steps/setup');
  await installFunction(pda, exampleZip('keywords'));
  await installFunction(
    pda,
    buildFunctionZip({ id: 'counts', body: 'return [{ namespace: "counts", endpoint: "made", data: [] }];' }),
  );
  await enableFunction(pda, 'counts');
  await runFunction(pda, 'counts');
  return { recordId: records[0]?.recordId ?? '', linkId };
}

/**
 * Returns the paths of the pages that the signed-in owner can open, except those of a single import or Offer. Add new
 * pages here.
 */
export const pathsOfEveryPage = ({ recordId, linkId }: { recordId: string; linkId: string }): readonly string[] => [
  '/',
  '/?activity=table',
  '/requests',
  '/requests/asked',
  '/requests/offers',
  '/sharing',
  '/sharing?view=table',
  '/sharing/agreed',
  '/sharing/links',
  '/sharing/contracts',
  `/sharing/guests/${GUEST_ID}`,
  `/sharing/links/${linkId}`,
  '/data',
  '/data/endpoint/vega/movies',
  '/data/endpoint/vega/movies?view=json',
  '/data/endpoint/vega/movies?facets=1&filters=%5B%7B%22is%22%3A%22filled%22%2C%22field%22%3A%22Title%22%7D%5D&by=Title&dir=up',
  `/data/record/${recordId}`,
  '/data/notes',
  '/data/deleted',
  '/data/imports',
  '/files',
  '/files?view=gallery',
  '/files?view=map',
  '/files/deleted',
  '/files/uploads',
  '/files/space',
  '/timeline',
  '/applications',
  '/applications/acme',
  '/applications/hello',
  '/applications/hello/setup',
  '/applications/steps/view',
  '/functions',
  '/functions/counts',
  // This function is off. The page redirects if the function is enabled.
  '/functions/keywords/enable',
  '/functions/counts/dry-run',
  '/functions/counts/runs',
  '/history',
  '/history/messages',
  '/settings/security',
  '/settings/profile',
  '/settings/address',
  '/settings/backup',
  '/settings/people',
  '/settings/network',
  '/settings/move',
  '/settings/erase',
  '/settings/api',
  '/settings/about',
];

/** Navigates without reloading the document, and waits until the page has rendered. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((targetPath) => {
    if (location.hash === `#${targetPath}`) return;
    const previousElements = new WeakSet(document.querySelectorAll('#content *'));
    Object.assign(window, {
      hasNewContent: () =>
        [...document.querySelectorAll('#content *')].some((element) => !previousElements.has(element)),
    });
    location.hash = targetPath;
  }, path);
  await page.waitForFunction(() => (window as unknown as { hasNewContent?: () => boolean }).hasNewContent?.() ?? true);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('.mantine-Skeleton-root, [aria-busy=true]')).toHaveCount(0);
}
