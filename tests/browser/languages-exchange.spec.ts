import { PASSWORD } from '../../server/exchange/exchange.test-support.ts';
import { test } from './operator.ts';
import { expect, expectAccessible } from './pda.ts';
import { faultsOfTree, faultsOfWidth } from './tree.ts';
import { de } from '../../renderer/operator/messages/de.ts';

/** All pages of the exchange in German, by keyboard. The operator tests cover them in English. */

const WIDTHS = [390, 1024, 1440];
const gently = expect.configure({ soft: true });

test('shows every page of the exchange in German', async ({ browser, exchange }) => {
  const maker = await exchange.account(['developer'], 'maker');
  await exchange.published(exchange.root, 'walks');
  await exchange.submitted(maker, 'runs');
  await exchange.offered(exchange.root, 'town');

  const context = await browser.newContext({ locale: 'de-DE', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(exchange.url);
  await expect(page.getByRole('heading', { level: 1, name: de.signIn.title })).toBeVisible();
  await page.getByLabel(de.signIn.name).fill('root');
  await page.getByLabel(de.signIn.password, { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');

  const session = await context.newCDPSession(page);
  for (const room of Object.values(de.nav)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole('navigation').getByRole('link', { name: room }).press('Enter');
    await expect(page.getByRole('link', { name: room, exact: false }).first()).toHaveAttribute('aria-current', 'page');
    await expect(page.locator('.mantine-Skeleton-root, [aria-busy=true]')).toHaveCount(0);
    await gently.poll(() => faultsOfTree(session), { message: room, timeout: 2000 }).toEqual([]);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await gently.poll(() => faultsOfWidth(page), { message: `${room}, ${width} wide`, timeout: 2000 }).toEqual([]);
      const shots = process.env['LANGUAGE_SHOTS'];
      if (shots !== undefined)
        await page.screenshot({
          path: `${shots}/exchange-${room.replaceAll(/\W+/gu, '-')}-${width}.png`,
          fullPage: true,
        });
    }
  }
  await expectAccessible(page, 'the last page in German');
  await context.close();
});
