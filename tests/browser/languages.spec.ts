import { readFileSync } from 'node:fs';
import type { Browser, BrowserContext, CDPSession, Page } from '@playwright/test';
import { de } from '../../renderer/dashboard/messages/de.ts';
import { en } from '../../renderer/dashboard/messages/en.ts';
import { LANGUAGES, type Language } from '../../renderer/shared/format/languages.ts';
import { LIVED_IN, everyPage, live } from './every-page.ts';
import { NAME, PASSWORD, type Pda, expect, expectAccessible, expectAccessibleToo, test } from './pda.ts';
import { faultsOfTree, faultsOfWidth, tabThrough } from './tree.ts';
import { THOROUGH } from '../support/at-length.ts';

/**
 * The walk through the whole dashboard in both languages: by the keyboard, by the tree that a screen reader gets, and by what fits at three
 * widths. `PDA_THOROUGH=1` looks at every page in every way; else at every page in German alone, where it is narrowest and by axe. In English are all other tests.
 */

const SHOTS = process.env['LANGUAGE_SHOTS'];
const WIDTHS = [390, 1024, 1440];

/** Says all that is wrong, not only the first. */
const gently = expect.configure({ soft: true });

/** Words that no German text has and nearly every English one. */
const ENGLISH = /\b(?:the|and|of|your|with|you|is|are|not|this|what|when|which|nothing)\b/u;
/** Times and sizes as English writes them, wherever they stand: these words are in no text, they are made with each number. */
const ENGLISH_TIMES =
  /\b(?:ago|just now|yesterday|today|tomorrow|bytes|(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day|(?:Jan|Febr)uary|Ma(?:rch|y)|Ju(?:ne|ly)|October|December)\b/u;
/** What is said by others than the dashboard: the API's own document. */
const IN_ENGLISH = new Set(['/settings/api']);

test.describe.configure({ timeout: 600_000 });
test.use({ config: LIVED_IN });

interface Walk {
  page: Page;
  session: CDPSession;
  context: BrowserContext;
}

async function open(browser: Browser, pda: Pda, language: Language): Promise<Walk> {
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

/** Within the page that is loaded. */
async function visit(page: Page, place: string): Promise<void> {
  await page.evaluate((to) => {
    if (location.hash === `#${to}`) return;
    const before = new WeakSet(document.querySelectorAll('#content *'));
    Object.assign(window, {
      isOther: () => [...document.querySelectorAll('#content *')].some((one) => !before.has(one)),
    });
    location.hash = to;
  }, place);
  await page.waitForFunction(() => (window as unknown as { isOther?: () => boolean }).isOther?.() ?? true);
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('.mantine-Skeleton-root, [aria-busy=true]')).toHaveCount(0);
}

/** Sentences of the page itself, without what the owner stored and what others call things. */
const sentences = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('#content *')]
      .filter((one) => one.closest('code, pre, [role=grid], table, [lang], dd, svg, [data-own-words]') === null)
      .flatMap((one) => [...one.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE))
      .map(({ textContent }) => (textContent ?? '').trim())
      .filter((text) => text.includes(' ')),
  );

async function shoot(page: Page, what: string): Promise<void> {
  if (SHOTS !== undefined)
    await page.screenshot({ path: `${SHOTS}/${what.replaceAll(/\W+/gu, '-')}.png`, fullPage: true });
}

async function fits(page: Page, what: string, widths: readonly number[]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 844 });
    // Measured drawings redraw shortly after a change of the window's width.
    await gently.poll(() => faultsOfWidth(page), { message: `${what}, ${width} wide`, timeout: 2000 }).toEqual([]);
    await shoot(page, `${what} ${width}`);
  }
}

/** A place with what is anybody's in it (ids, questions) left open. */
const bare = (place: string): string => (place.split('?')[0] ?? '').replace(/[0-9a-f-]{36}/u, ':id');

/** Behind a menu or in a table, which are one stop of Tab: `journey-keyboard.spec.ts` and the tests of those pages go there by keys. */
const NOT_BY_LINK = new Set(['/data/deleted', '/data/record/:id', '/files/deleted', '/files/uploads']);

/** The rooms themselves, without what lies within. */
const isRoom = (place: string): boolean => /^\/[a-z]*$/u.test(place);

/**
 * Every place that Tab and Enter lead to from the start, by links alone. What opens something on a page is pressed by the tests of that page.
 *
 * @param within which pages are gone through; others are only seen to be reached
 */
async function reachedByKeyboard(
  page: Page,
  within: (place: string) => boolean,
): Promise<{ places: Set<string>; unseen: string[] }> {
  const places = new Set<string>(['/']);
  const unseen: string[] = [];
  const next = ['/'];
  for (let at = next.shift(); at !== undefined; at = next.shift()) {
    await visit(page, at);
    for (const { place, what, seen } of await tabThrough(page)) {
      if (!seen) unseen.push(`${at}: ${what}`);
      if (place === '' || places.has(bare(place))) continue;
      places.add(bare(place));
      if (within(place)) next.push(place);
    }
  }
  return { places, unseen };
}

/** The list of pages has a place below each address of the router. */
function expectAllListed(pages: readonly string[]): void {
  const routes = readFileSync(new URL('../../renderer/dashboard/routes.tsx', import.meta.url), 'utf8');
  const parts = [...routes.matchAll(/path: '([^/'][^']*)'/gu)].flatMap(([, path = '']) => path.split('/'));
  const listed = new Set(pages.flatMap((place) => place.split(/[/?]/u)));
  expect(parts.filter((part) => /^~?[a-z]/u.test(part) && !listed.has(part))).toEqual([]);
}

async function lookAt({ page, session }: Walk, language: Language, place: string, what: string): Promise<void> {
  await visit(page, place);
  await gently.poll(() => faultsOfTree(session), { message: what, timeout: 2000 }).toEqual([]);
  if (language === 'de' && !IN_ENGLISH.has(place)) {
    const english = (await sentences(page)).filter((text) => ENGLISH.test(text));
    expect.soft(english, what).toEqual([]);
    expect.soft(await page.locator('#content').innerText(), what).not.toMatch(ENGLISH_TIMES);
  }
  await fits(page, what, THOROUGH ? WIDTHS : [390]);
  await expectAccessible(page, what);
  await expectAccessibleToo(page, what);
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** Parts of the walk through all pages: as one test it would go on by itself long after all others. */
const PARTS = [0, 1, 2];

for (const language of ['de', 'en'] as const) {
  const testIn = THOROUGH || language === 'de' ? test : test.skip;
  for (const part of PARTS) {
    testIn(`every page by eye and by tree: ${language}, part ${part + 1}`, async ({ browser, pda }) => {
      const { recordId } = await live(pda);
      const pages = everyPage(recordId);
      expectAllListed(pages);
      const walk = await open(browser, pda, language);
      await expect(walk.page.locator('html')).toHaveAttribute('lang', language);
      const mine = pages.filter((_, at) => at % PARTS.length === part);
      for (const place of mine) await lookAt(walk, language, place, `${language} ${place.replace(recordId, 'id')}`);
      await walk.context.close();
    });
  }

  testIn(`every page by keyboard: ${language}`, async ({ browser, pda }) => {
    const { recordId } = await live(pda);
    const { page, context } = await open(browser, pda, language);
    const { places, unseen } = await reachedByKeyboard(page, THOROUGH ? () => true : isRoom);
    expect.soft(unseen, 'where the focus is not seen').toEqual([]);
    const missed = everyPage(recordId).filter(
      (place) => (THOROUGH || isRoom(place)) && !places.has(bare(place)) && !NOT_BY_LINK.has(bare(place)),
    );
    expect.soft(missed, 'what the keyboard does not reach').toEqual([]);
    await context.close();
  });
}

test('the language is that of the browser, until another is chosen, and no other is fetched', async ({
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
  await expect(page.getByRole('link', { name: de.shell.nav.requests })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('link', { name: de.shell.nav.requests })).toBeVisible();
  await context.close();
});
