import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { Acme, acmeConfig } from './consent.ts';
import { expect, test } from './pda.ts';

// Tests third-party text with bidirectional control characters, as stored by an older version.

test.use({ config: acmeConfig });

/** Returns the horizontal position of the first occurrence of a word. */
const leftOf = (element: Locator, word: string): Promise<number> =>
  element.evaluate((root, searchedWord) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const index = node.textContent?.indexOf(searchedWord) ?? -1;
      if (index === -1) continue;
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + searchedWord.length);
      return range.getBoundingClientRect().left;
    }
    throw new Error(`"${searchedWord}" is not shown`);
  }, word);

test('a name with a right-to-left override does not reorder the words around it', async ({ page, pda }) => {
  const acme = await Acme.signIn(pda);
  await acme.request('acme/days');
  // U+2069 closes an isolate, and U+202E reverses the text after it.
  const name = 'Acme\u2069\u202Ehtlaeh';
  // The timeout covers writes of the PDA, during which the database is locked.
  const database = new DatabaseSync(join(pda.home, 'pda.sqlite'), { timeout: 10_000 });
  const { changes } = database
    .prepare("UPDATE debit_permissions SET terms = json_set(terms, '$.requestClientName', ?, '$.purpose', ?)")
    .run(name, `To help.${name}`);
  database.close();
  expect(changes).toBe(1);
  await pda.configure(acmeConfig);

  await pda.enter(page, '/requests');
  const link = page.getByRole('link', { name: /Acmehtlaeh/ });
  await expect(link.locator('bdi', { hasText: 'Acmehtlaeh' }).first()).toBeVisible();
  expect(await leftOf(link, 'Acme')).toBeLessThan(await leftOf(link, 'htlaeh'));
  await link.click();
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toContainText('Acmehtlaeh asks for');
  expect(await leftOf(heading, 'Acme')).toBeLessThan(await leftOf(heading, 'asks'));
  expect(await leftOf(heading, 'asks')).toBeLessThan(await leftOf(heading, 'for'));
  await expect(page).toHaveTitle(/^Acmehtlaeh asks for/);
  await expect(page.locator('dd bdi', { hasText: 'To help.Acmehtlaeh' })).toBeVisible();
});
