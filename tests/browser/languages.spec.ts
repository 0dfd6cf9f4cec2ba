import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';
import * as de from '../../renderer/dashboard/messages/de.ts';
import * as en from '../../renderer/dashboard/messages/en.ts';
import { LANGUAGES, type Language } from '../../renderer/shared/format/languages.ts';
import { EVERY_PAGE_CONFIG, pathsOfEveryPage, storeSampleData, visit } from './every-page.ts';
import {
  NAME,
  PASSWORD,
  type Pda,
  expect,
  expectAccessible,
  expectAccessibleInExtraVariants,
  test,
  thoroughTest,
} from './pda.ts';
import { findTreeFaults, findWidthFaults, tabThrough } from './tree.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

// Checks every page of the dashboard in both languages: by keyboard, in the accessibility tree, with axe, and at three
// widths. Without `PDA_THOROUGH=1`, checks only a sixth of the pages, in German, at the narrowest width and not by
// keyboard. Most other tests are in English.

const SCREENSHOT_FOLDER = process.env['LANGUAGE_SHOTS'];
const WIDTHS_PX = [390, 1024, 1440];

/** Reports all problems instead of only the first. */
const softExpect = expect.configure({ soft: true });

/** Words that occur in nearly every English text and in no German one. */
const ENGLISH_WORDS = /\b(?:the|and|of|your|with|you|is|are|not|this|what|when|which|nothing)\b/u;
/** Words of English times and sizes. The page formats these from numbers, so no message catalogue contains them. */
const ENGLISH_TIMES =
  /\b(?:ago|just now|yesterday|today|tomorrow|bytes|(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day|(?:Jan|Febr)uary|Ma(?:rch|y)|Ju(?:ne|ly)|October|December)\b/u;
/** Pages whose content is in English in every language: the API documentation. */
const ENGLISH_PAGES = new Set(['/settings/api']);

test.describe.configure({ timeout: 600_000 });
test.use({ config: EVERY_PAGE_CONFIG });

interface OpenDashboard {
  page: Page;
  session: CDPSession;
  context: BrowserContext;
}

async function openDashboard(browser: Browser, pda: Pda, language: Language): Promise<OpenDashboard> {
  const locale = LANGUAGES[language].locale;
  const context = await browser.newContext({
    locale,
    viewport: { width: 1440, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  await pda.enter(page);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  return { page, session: await context.newCDPSession(page), context };
}

/** Returns the sentences of the page itself, without stored data and proper names. */
const readSentences = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('#content *')]
      .filter((candidate) => candidate.closest('code, pre, [role=grid], table, [lang], dd, svg') === null)
      .flatMap((element) => [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE))
      .map(({ textContent }) => (textContent ?? '').trim())
      .filter((text) => text.includes(' ')),
  );

async function takeScreenshot(page: Page, screen: string): Promise<void> {
  if (SCREENSHOT_FOLDER !== undefined)
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/${screen.replaceAll(/\W+/gu, '-')}.png`, fullPage: true });
}

async function expectFits(page: Page, screen: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    // Charts redraw shortly after the window is resized.
    await softExpect.poll(() => findWidthFaults(page), { message: `${screen}, ${width} wide` }).toEqual([]);
    await takeScreenshot(page, `${screen} ${width}`);
  }
}

const routeOf = (path: string): string => (path.split('?')[0] ?? '').replace(/[0-9a-f-]{36}/u, ':id');

/**
 * Pages that are reached through menus and tables, each of which is a single Tab stop. `journey-keyboard.spec.ts` and
 * the tests of these pages cover them.
 */
const PAGES_WITHOUT_LINK = new Set([
  '/data/deleted',
  '/data/notes',
  '/data/record/:id',
  '/files/deleted',
  '/files/uploads',
]);

/**
 * Follows all links that Tab reaches, starting at Home. Returns the routes that it found and the Tab stops without
 * visible focus. The tests of each page cover its buttons.
 */
async function followLinks(page: Page): Promise<{ routes: Set<string>; invisibleStops: string[] }> {
  const routes = new Set<string>(['/']);
  const invisibleStops: string[] = [];
  const queue = ['/'];
  for (let address = queue.shift(); address !== undefined; address = queue.shift()) {
    await visit(page, address);
    for (const { path, label, isFocusVisible } of await tabThrough(page)) {
      if (!isFocusVisible) invisibleStops.push(`${address}: ${label}`);
      if (path === '' || routes.has(routeOf(path))) continue;
      routes.add(routeOf(path));
      queue.push(path);
    }
  }
  return { routes, invisibleStops };
}

/** Fails if a route has a segment that occurs in none of the paths, which means that `pages` is incomplete. */
function expectPagesCoverRoutes(pages: readonly string[]): void {
  const routes = readFileSync(new URL('../../renderer/dashboard/routes.tsx', import.meta.url), 'utf8');
  const segments = [...routes.matchAll(/path: '([^/'][^']*)'/gu)].flatMap(([, path = '']) => path.split('/'));
  const knownSegments = new Set(pages.flatMap((address) => address.split(/[/?]/u)));
  expect(segments.filter((segment) => /^~?[a-z]/u.test(segment) && !knownSegments.has(segment))).toEqual([]);
}

async function checkPage(
  { page, session }: OpenDashboard,
  language: Language,
  path: string,
  screen: string,
): Promise<void> {
  await visit(page, path);
  await softExpect.poll(() => findTreeFaults(session), { message: screen }).toEqual([]);
  if (language === 'de' && !ENGLISH_PAGES.has(path)) {
    const englishSentences = (await readSentences(page)).filter((text) => ENGLISH_WORDS.test(text));
    expect.soft(englishSentences, screen).toEqual([]);
    expect.soft(await page.locator('#content').innerText(), screen).not.toMatch(ENGLISH_TIMES);
  }
  await expectFits(page, screen, IS_THOROUGH_RUN ? WIDTHS_PX : [390]);
  await expectAccessible(page, screen);
  await expectAccessibleInExtraVariants(page, screen);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** The pages are divided, because a single test would finish long after all others. */
const PART_INDEXES = [0, 1, 2, 3, 4, 5];

for (const language of ['de', 'en'] as const) {
  for (const partIndex of PART_INDEXES) {
    const testPart = language === 'de' && partIndex === 0 ? test : thoroughTest;
    testPart(`shows every page without faults: ${language}, part ${partIndex + 1}`, async ({ browser, pda }) => {
      const ids = await storeSampleData(pda);
      const pages = pathsOfEveryPage(ids);
      expectPagesCoverRoutes(pages);
      const dashboard = await openDashboard(browser, pda, language);
      await expect(dashboard.page.locator('html')).toHaveAttribute('lang', language);
      const pagesOfPart = pages.filter((_, index) => index % PART_INDEXES.length === partIndex);
      for (const address of pagesOfPart)
        await checkPage(dashboard, language, address, `${language} ${address.replace(ids.recordId, 'id')}`);
      await dashboard.context.close();
    });
  }

  thoroughTest(`reaches every page by keyboard: ${language}`, async ({ browser, pda }) => {
    const ids = await storeSampleData(pda);
    const { page, context } = await openDashboard(browser, pda, language);
    const { routes, invisibleStops } = await followLinks(page);
    expect.soft(invisibleStops, 'stops without visible focus').toEqual([]);
    const missedPages = pathsOfEveryPage(ids).filter(
      (address) => !routes.has(routeOf(address)) && !PAGES_WITHOUT_LINK.has(routeOf(address)),
    );
    expect.soft(missedPages, 'pages that the keyboard does not reach').toEqual([]);
    await context.close();
  });
}

test("uses the browser's language until another is chosen, and loads only the messages of languages in use", async ({
  browser,
  pda,
}) => {
  const context = await browser.newContext({ locale: 'de-AT' });
  const page = await context.newPage();
  const catalogues: string[] = [];
  page.on('request', (request) => {
    const [, language] = /\/assets\/(de|en)-[^/]*\.js$/u.exec(request.url()) ?? [];
    if (language !== undefined) catalogues.push(language);
  });
  await page.goto(pda.url);
  await expect(page.getByRole('heading', { name: de.entry.signIn.title(NAME) })).toBeVisible();
  expect(catalogues).toEqual(['de']);
  await page.getByRole('button', { name: LANGUAGES.en.name }).click();
  await expect(page.getByRole('heading', { name: en.entry.signIn.title(NAME) })).toBeVisible();
  await expect(page.locator('html')).toHaveAttribute('lang', 'en');
  expect(catalogues).toEqual(['de', 'en']);

  await page.getByLabel(en.entry.signIn.password, { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: en.shell.account.label(NAME) }).click();
  await page.getByRole('menuitemradio', { name: LANGUAGES.de.name }).click();
  await expect(page.getByRole('link', { name: de.requests.pageTitle })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: de.requests.pageTitle })).toBeVisible();
  await context.close();
});
