import type { Locator, Page } from '@playwright/test';
import { EVERY_PAGE_CONFIG, storeSampleData, visit } from './every-page.ts';
import { expect, test } from './pda.ts';

test.use({ config: EVERY_PAGE_CONFIG });

const styleOf = (locator: Locator, property: string): Promise<string> =>
  locator.evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);

/** Returns the computed form of a system colour such as `Highlight`. */
const systemColour = (page: Page, name: string): Promise<string> =>
  page.evaluate((colour) => {
    const element = document.body.appendChild(document.createElement('div'));
    element.style.color = colour;
    const { color } = getComputedStyle(element);
    element.remove();
    return color;
  }, name);

test('in forced colours, switches, choices, tabs and the navigation show their state', async ({ page, pda }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await storeSampleData(pda);
  await pda.enter(page, '/requests/asked');
  const highlight = await systemColour(page, 'Highlight');
  const canvas = await systemColour(page, 'Canvas');
  const track = page.locator('.mantine-Switch-track').first();
  await expect(track).toBeVisible();
  await expect.poll(() => styleOf(track, 'background-color')).toBe(highlight);
  await track.click();
  await expect.poll(() => styleOf(track, 'background-color')).not.toBe(highlight);
  expect(await styleOf(track, 'border-top-width')).toBe('1px');
  expect(await styleOf(page.locator('.mantine-SegmentedControl-label[data-active]').first(), 'background-color')).toBe(
    highlight,
  );

  await visit(page, '/settings/about');
  const tabs = page.getByRole('navigation').filter({ has: page.getByRole('link', { name: 'Profile' }) });
  expect(await styleOf(tabs.getByRole('link', { name: 'About' }), 'background-color')).toBe(highlight);
  expect(await styleOf(tabs.getByRole('link', { name: 'Profile' }), 'border-bottom-color')).toBe(canvas);
  const pages = page.getByRole('navigation', { name: 'Pages' });
  expect(await styleOf(pages.getByRole('link', { name: 'Settings' }), 'background-color')).toBe(highlight);
  expect(await styleOf(pages.getByRole('link', { name: 'Files' }), 'background-color')).not.toBe(highlight);
});
