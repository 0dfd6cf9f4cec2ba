import { PASSWORD } from '../../server/exchange/exchange.test-support.ts';
import { test as base } from './operator.ts';
import { expect, expectAccessible } from './pda.ts';
import { findTreeFaults, findWidthFaults } from './tree.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';
import { de } from '../../renderer/operator/messages/de.ts';

// Opens each page of the navigation of the exchange with the keyboard, in German, and checks it for faults.

const WIDTHS_PX = [390, 1024, 1440];
const softExpect = expect.configure({ soft: true });

const thoroughTest = IS_THOROUGH_RUN ? base : base.skip;

thoroughTest(
  'shows every page in the navigation of the exchange in German, without faults',
  async ({ browser, exchange }) => {
    const developer = await exchange.createAccount(['developer'], 'developer');
    await exchange.publishApplication(exchange.root, 'walks');
    await exchange.submitApplication(developer, 'runs');
    await exchange.createOffer(exchange.root, 'town');

    const context = await browser.newContext({ locale: 'de-DE', reducedMotion: 'reduce' });
    const page = await context.newPage();
    await page.goto(exchange.url);
    await expect(page.getByRole('heading', { level: 1, name: de.signIn.title })).toBeVisible();
    await page.getByLabel(de.signIn.name).fill('root');
    await page.getByLabel(de.signIn.password, { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');

    const session = await context.newCDPSession(page);
    for (const pageName of Object.values(de.nav)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.getByRole('navigation').getByRole('link', { name: pageName }).press('Enter');
      await expect(page.getByRole('link', { name: pageName, exact: false }).first()).toHaveAttribute(
        'aria-current',
        'page',
      );
      await expect(page.locator('.mantine-Skeleton-root, [aria-busy=true]')).toHaveCount(0);
      await softExpect.poll(() => findTreeFaults(session), { message: pageName }).toEqual([]);
      for (const width of WIDTHS_PX) {
        await page.setViewportSize({ width, height: 900 });
        await softExpect.poll(() => findWidthFaults(page), { message: `${pageName}, ${width} wide` }).toEqual([]);
        const screenshotFolder = process.env['LANGUAGE_SHOTS'];
        if (screenshotFolder !== undefined)
          await page.screenshot({
            path: `${screenshotFolder}/exchange-${pageName.replaceAll(/\W+/gu, '-')}-${width}.png`,
            fullPage: true,
          });
      }
    }
    await expectAccessible(page, 'the last page in German');
    await context.close();
  },
);
