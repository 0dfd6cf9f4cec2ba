import type { Page } from '@playwright/test';
import { EVERY_PAGE_CONFIG, pathsOfEveryPage, storeSampleData, visit } from './every-page.ts';
import { uploadContent } from './files.ts';
import { type Pda, expect, test, thoroughTest } from './pda.ts';

/** Minimum size of a touch target in CSS pixels, in both directions. */
const TARGET_MIN_PX = 40;

test.use({
  viewport: { width: 360, height: 740 },
  hasTouch: true,
  isMobile: true,
  config: EVERY_PAGE_CONFIG,
});

interface SmallTarget {
  label: string;
  width: number;
  height: number;
}

/**
 * Returns the controls that are smaller than the minimum. Scrolls each control into view and, instead of its drawn
 * size, measures how far from its centre it still reacts to a press. Links and buttons within text are left out,
 * because they are only as high as a line of the text.
 */
const findSmallTargets = (page: Page): Promise<SmallTarget[]> =>
  page.evaluate((minPx) => {
    const CONTROL_SELECTOR =
      'a[href], button, summary, select, input:not([type=hidden], [type=file]), textarea, label.mantine-SegmentedControl-label, [role=tab], [role=button], [role=checkbox], [role=switch], [role=menuitem], [role=option], [role=columnheader][tabindex], th[tabindex]';

    const isInText = (element: Element): boolean => {
      if (!element.matches('a, button') || !getComputedStyle(element).display.startsWith('inline')) return false;
      const ownText = (element.textContent ?? '').trim();
      for (let ancestor = element.parentElement; ancestor !== null; ancestor = ancestor.parentElement) {
        if (getComputedStyle(ancestor).display.startsWith('inline')) continue;
        return (
          getComputedStyle(ancestor).display !== 'flex' &&
          getComputedStyle(ancestor).display !== 'grid' &&
          (ancestor.textContent ?? '').trim().length > ownText.length + 2
        );
      }
      return false;
    };

    // Controls behind a dialog cannot be pressed.
    const dialog = document.querySelector('[role=dialog][aria-modal=true]');
    const isShown = (element: Element): boolean => {
      const box = element.getBoundingClientRect();
      return (
        element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
        box.width > 2 &&
        box.height > 2 &&
        element.closest('[inert], [aria-hidden=true]') === null &&
        (dialog === null || dialog.contains(element)) &&
        !element.matches(':disabled')
      );
    };

    const measure = (element: Element): SmallTarget | undefined => {
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
      const reacts = (x: number, y: number): boolean => {
        const hit = document.elementFromPoint(x, y);
        return hit !== null && (element.contains(hit) || labels.some((label) => label.contains(hit)));
      };
      const { left, top, width, height } = element.getBoundingClientRect();
      const [x, y] = [left + width / 2, top + height / 2];
      // Searches in large steps first and then by pixel. A large step could miss a gap; no control has one.
      const measureReach = (stepX: number, stepY: number, maxPx: number): number => {
        let distance = 0;
        for (const stride of [5, 1])
          while (distance + stride <= maxPx && reacts(x + stepX * (distance + stride), y + stepY * (distance + stride)))
            distance += stride;
        return distance;
      };
      // The added pixel is the centre.
      const measureAlong = (stepX: number, stepY: number): number => {
        const ahead = measureReach(stepX, stepY, minPx);
        return ahead + measureReach(-stepX, -stepY, minPx - ahead) + 1;
      };
      const size = { width: measureAlong(1, 0), height: measureAlong(0, 1) };
      // Half a pixel is lost at each end if the box does not begin at a whole pixel.
      if (size.width >= minPx - 1 && size.height >= minPx - 1) return undefined;
      const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
      const id = `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}`;
      return { label: `${name.trim().slice(0, 40)} <${id.slice(0, 90)}>`, ...size };
    };

    return [...document.querySelectorAll(CONTROL_SELECTOR)]
      .filter((element) => isShown(element) && !isInText(element))
      .flatMap((element) => measure(element) ?? []);
  }, TARGET_MIN_PX);

const SCREENSHOT_FOLDER = process.env['PHONE_SHOTS'];

async function checkLayout(page: Page, label: string): Promise<void> {
  if (SCREENSHOT_FOLDER !== undefined)
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/${label.replaceAll(/\W+/g, '-')}.png` });
  // Parts of the page may still be loading.
  await expect.soft.poll(() => findSmallTargets(page), label).toEqual([]);
  // No page is wider than the phone.
  await expect.soft
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth), label)
    .toBeLessThanOrEqual(360);
}

/** Opens a page without a reload, because reloads would dominate the run time, and checks its layout. */
async function checkPage(page: Page, path: string): Promise<void> {
  await page.evaluate((targetPath) => {
    const previousElements = new WeakSet(document.querySelectorAll('body *'));
    Object.assign(window, {
      hasNewContent: () => [...document.querySelectorAll('body *')].some((element) => !previousElements.has(element)),
    });
    location.hash = targetPath;
  }, path);
  await page.waitForFunction(() => (window as unknown as { hasNewContent(): boolean }).hasNewContent());
  await expect(page.getByRole('heading', { level: 1 }).first()).toBeAttached();
  await expect(page.locator('.mantine-Skeleton-root, [aria-busy=true]')).toHaveCount(0);
  await checkLayout(page, path);
}

thoroughTest(
  'no page is wider than the phone, and every touch target is at least 40 pixels in both directions',
  async ({ page, pda }) => {
    const ids = await storeSampleData(pda);
    await pda.enter(page, '/settings/about');
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    for (const path of pathsOfEveryPage(ids)) await checkPage(page, path);
  },
);

/** Stores items whose names are single words that are wider than a phone. */
async function storeLongNames(pda: Pda): Promise<{ endpoint: string }> {
  const word = 'Donaudampfschifffahrtsgesellschaftskapitaenswitwenrente';
  await uploadContent(pda, 'a file', { name: `${word}.txt`, tags: [word] });
  await pda.call('POST', '/users/user', { name: word, password: 'a long enough password' });
  await pda.call('POST', '/api/v2.6/owner/invitations', { name: word, days: 7, fileIds: [] });
  await pda.call('POST', '/api/v2.6/owner/collections', { name: word });
  await pda.store('notes/notes', { text: word, tags: [word] });
  const endpoint = `${word.toLowerCase()}/records`;
  await pda.store(endpoint, { [word]: word });
  return { endpoint };
}

test.describe('320 pixels wide, in German, with long names', () => {
  test.use({ locale: 'de-DE', viewport: { width: 320, height: 568 } });

  thoroughTest('no page is wider than the phone', async ({ page, pda }) => {
    const ids = await storeSampleData(pda);
    const { endpoint } = await storeLongNames(pda);
    await pda.enter(page, '/settings/about');
    for (const path of [...pathsOfEveryPage(ids), `/data/endpoint/${endpoint}`]) {
      await visit(page, path);
      await expect.soft
        .poll(() => page.evaluate(() => document.documentElement.scrollWidth), path)
        .toBeLessThanOrEqual(320);
    }
  });
});

for (const [locale, moreLabel, pageNames] of [
  ['en-GB', 'More', ['Home', 'Requests', 'Sharing', 'Data', 'Files']],
  ['de-DE', 'Mehr', ['Start', 'Anfragen', 'Freigaben', 'Daten', 'Dateien']],
] as const) {
  test.describe(`the bottom bar in ${locale}`, () => {
    test.use({ locale, viewport: { width: 320, height: 568 } });

    test('links to five pages, has a button for all others, and shows their full names', async ({ page, pda }) => {
      await pda.enter(page, '/files');
      const bar = page.getByRole('navigation').filter({ has: page.getByRole('button', { name: moreLabel }) });
      await expect(bar.getByRole('link')).toHaveText([...pageNames]);
      await expect(bar.getByRole('link', { name: pageNames[4] })).toHaveAttribute('aria-current', 'page');
      const items = await bar.locator('a, button').evaluateAll((elements) =>
        elements.map((element) => {
          const { left, right, width, height } = element.getBoundingClientRect();
          const label = element.querySelector('span')?.getBoundingClientRect();
          const fits = label !== undefined && label.left >= left && label.right <= right;
          return { width, height, fits, isInWindow: left >= 0 && right <= window.innerWidth };
        }),
      );
      expect(items).toHaveLength(6);
      for (const item of items) {
        expect(item).toMatchObject({ fits: true, isInWindow: true });
        expect(item.width).toBeGreaterThanOrEqual(TARGET_MIN_PX);
        expect(item.height).toBeGreaterThanOrEqual(TARGET_MIN_PX);
      }
      await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
      await bar.getByRole('button', { name: moreLabel }).click();
      await expect(page.getByRole('dialog').getByRole('link')).toHaveCount(5);
    });
  });
}
