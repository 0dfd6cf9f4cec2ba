import type { Page } from '@playwright/test';
import { EVERY_PAGE_CONFIG, pathsOfEveryPage, storeSampleData, visit } from './every-page.ts';
import { PASSWORD, expect, notice, test, thoroughTest } from './pda.ts';

/** Controls with the same element and class share their styles, so the first few represent all of them. */
const CONTROLS_PER_STYLE = 3;
/** Number of parts into which the pages are divided, to run in parallel. */
const PART_COUNT = 3;

/** Minimum width of a focus outline in CSS pixels. WCAG 2.2, 2.4.13, requires at least the area of a 2 px perimeter. */
const INDICATOR_MIN_PX = 2;

interface FocusResult {
  kinds: string[];
  invisibleControls: string[];
}

/** Focuses the first controls of each style, and compares the rendering with and without focus. */
async function measureFocus(page: Page): Promise<FocusResult> {
  // After a key press, the browser treats focus changes as keyboard focus (:focus-visible).
  await page.keyboard.press('Tab');
  return page.evaluate(
    async ({ minimum, perStyle }) => {
      const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const isVisible = (element: Element) => element.checkVisibility({ visibilityProperty: true });
      /**
       * Returns the control itself, elements that represent it (a switch's track, a segment's label) and its
       * surroundings (a field's frame, a row); for a grid also its active row.
       */
      const findIndicatorElements = (control: Element): Element[] => {
        const active = document.getElementById(control.getAttribute('aria-activedescendant') ?? '');
        const elements = [control, active ?? control];
        if (control.nextElementSibling !== null) elements.push(control.nextElementSibling);
        for (let parent = control.parentElement; parent !== null && elements.length < 7; parent = parent.parentElement)
          elements.push(parent);
        return elements;
      };
      const indicatorOf = (element: Element): string => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(element);
        const { width, height } = element.getBoundingClientRect();
        // Elements clipped to a pixel for screen readers are invisible.
        if (width <= 1 || height <= 1 || getComputedStyle(element).opacity === '0') return 'none';
        const outline =
          outlineStyle === 'none' || Number.parseFloat(outlineWidth) < minimum || outlineColor === 'rgba(0, 0, 0, 0)'
            ? 'none'
            : `${outlineStyle} ${outlineWidth} ${outlineColor}`;
        return outline === 'none' && boxShadow === 'none' ? 'none' : `${outline} / ${boxShadow}`;
      };
      const kindOf = (control: Element): string =>
        [control.tagName.toLowerCase(), control.getAttribute('type'), control.getAttribute('role')]
          .filter((segment) => segment !== null)
          .join(' ');
      const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
      const kinds = new Set<string>();
      const measuredCounts = new Map<string, number>();
      const invisibleControls: string[] = [];
      const scope = [...document.querySelectorAll('[role=dialog], [role=menu]')].findLast(isVisible) ?? document;
      for (const control of scope.querySelectorAll<HTMLElement>(selector)) {
        if (!isVisible(control) || control.matches(':disabled') || control.tabIndex < 0) continue;
        const style = `${kindOf(control)} ${control.className} in ${control.parentElement?.className}`;
        const count = measuredCounts.get(style) ?? 0;
        if (count === perStyle) continue;
        measuredCounts.set(style, count + 1);
        if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
        const unfocusedIndicators = findIndicatorElements(control).map(indicatorOf);
        control.focus();
        // A control that moves the focus (a grid to its active row) shows the indicator there.
        if (document.activeElement !== control) continue;
        await nextFrame();
        // The page itself moves the focus to its heading once it has loaded.
        if (document.activeElement !== control) control.focus();
        const focusedIndicators = findIndicatorElements(control).map(indicatorOf);
        kinds.add(kindOf(control));
        if (
          !focusedIndicators.some(
            (indicator, index) => indicator !== 'none' && indicator !== unfocusedIndicators[index],
          )
        ) {
          const name = control.getAttribute('aria-label') ?? control.textContent.trim().slice(0, 40);
          invisibleControls.push(`${kindOf(control)} "${name}" .${control.className}`);
        }
      }
      return { kinds: [...kinds], invisibleControls };
    },
    { minimum: INDICATOR_MIN_PX, perStyle: CONTROLS_PER_STYLE },
  );
}

const SCHEMES = ['light', 'dark'] as const;

/** Expects a visible focus in both colour schemes. @returns the kinds of the focused controls */
async function expectVisibleFocus(page: Page, screen: string): Promise<string[]> {
  const kinds: string[] = [];
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', colorScheme);
    let result: Awaited<ReturnType<typeof measureFocus>> = { invisibleControls: [], kinds: [] };
    // A list replaces its controls once it has loaded, so the measurement is repeated.
    await expect
      .poll(async () => (result = await measureFocus(page)).invisibleControls, {
        message: `${screen}, ${colorScheme}`,
        // A page has up to a hundred controls, and each waits for a frame.
        timeout: 60_000,
      })
      .toEqual([]);
    kinds.push(...result.kinds);
  }
  return kinds;
}

thoroughTest(
  'every control of the password step of the setup and of the sign-in page shows keyboard focus',
  async ({ page, newPda }) => {
    await page.goto(newPda.setupUrl);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByLabel('Name').fill('ada');
    await page.getByRole('button', { name: 'Use this name' }).click();
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    expect(await expectVisibleFocus(page, 'the password step of the setup')).toContain('input password');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Set up my PDA' }).click();
    await expect(page.getByRole('heading', { name: 'ada is set up' })).toBeVisible();
    await page.evaluate(() => {
      sessionStorage.clear();
      localStorage.clear();
    });
    await page.goto(`${newPda.url}/`);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'Sign in to ada' })).toBeVisible();
    const kinds = await expectVisibleFocus(page, 'sign-in');
    expect(kinds).toContain('input password');
    expect(kinds).toContain('input checkbox');
  },
);

test.describe('with data', () => {
  test.use({ config: EVERY_PAGE_CONFIG });

  for (let partIndex = 0; partIndex < PART_COUNT; partIndex++) {
    thoroughTest(`every control of every page shows keyboard focus, part ${partIndex + 1}`, async ({ page, pda }) => {
      const ids = await storeSampleData(pda);
      await pda.enter(page);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      const pagesOfPart = pathsOfEveryPage(ids).filter((_, index) => index % PART_COUNT === partIndex);
      for (const address of pagesOfPart) {
        await visit(page, address);
        // A selector that matches nothing would not report a missing focus either.
        expect(await expectVisibleFocus(page, address)).toContain('button button');
      }
    });
  }

  thoroughTest('an open menu and a dialog show keyboard focus', async ({ page, pda }) => {
    await storeSampleData(pda);
    await pda.enter(page, '/data/endpoint/vega/movies');
    await page.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem').first()).toBeVisible();
    await expectVisibleFocus(page, 'a menu');
    await page.getByRole('menuitem', { name: 'Delete endpoint' }).click();
    await expect(page.getByRole('dialog', { name: 'Delete vega/movies' })).toBeVisible();
    await expectVisibleFocus(page, 'a dialog');
  });
});

test('a button that was busy keeps the focus after its action', async ({ page, pda }) => {
  await pda.enter(page, '/settings/profile');
  const save = page.getByRole('button', { name: 'Save' });
  await save.press('Enter');
  await expect(notice(page, 'The same fields are public as before')).toBeVisible();
  await expect(save).toBeFocused();
  // A refused action, in a dialog.
  await page.goto(`${pda.url}/#/settings/people?add=1`);
  const dialog = page.getByRole('dialog', { name: 'Add person' });
  await dialog.getByLabel('Name').fill('Grace');
  await dialog.getByLabel('Password', { exact: true }).fill('a long enough password');
  await page.route('**/users/user', (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  );
  const add = dialog.getByRole('button', { name: 'Add person' });
  await add.press('Enter');
  await expect(dialog.getByRole('alert')).toBeVisible();
  await expect(add).toBeFocused();
});
