import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { openAuthority } from '../support/authority.ts';
import { REMOTE_DOMAIN, removeRelayFolders, startRelay } from '../support/relay.ts';
import { addAuthenticator } from './authenticator.ts';
import { uploadContent } from './files.ts';
import { expect, notice, test as base } from './pda.ts';
import { IS_THOROUGH_RUN } from '../support/long-run.ts';

// People on the internet reach the PDA through a relay. TLS terminates in the PDA.

const GUEST_PASSWORD = 'a quiet meadow in the north';
/**
 * Larger than all buffers between the PDA and the browser, so that the transfer stops while the browser does not read.
 * Linux buffers up to 36 MB for each of the two connections.
 */
const LARGE_FILE_BYTES = 200_000_000;

const test = base.extend<{ address: string; internet: Browser }>({
  /** A browser that resolves all names of the relay to this machine. */
  internet: async ({ playwright, launchOptions }, use) => {
    const args = [
      ...(launchOptions.args ?? []),
      `--host-resolver-rules=MAP *.${REMOTE_DOMAIN} 127.0.0.1`,
      // The browser does not know the test authority, and permits no passkeys at an address with a certificate error.
      '--ignore-certificate-errors',
    ];
    const browser = await playwright.chromium.launch({ ...launchOptions, args });
    await use(browser);
    await browser.close();
  },
  address: async ({ pda }, use) => {
    const relay = await startRelay({ domain: REMOTE_DOMAIN });
    const authority = await openAuthority(() => ({ host: '127.0.0.1', port: relay.port }));
    const authorities = join(relay.home, 'authorities.pem');
    await writeFile(authorities, `${authority.rootPem}\n${relay.ca ?? ''}`);
    await pda.configure({
      tunnel: { relay: `https://${REMOTE_DOMAIN}:${relay.port}`, domain: REMOTE_DOMAIN, authority: authority.url },
      development: { authorities },
    });
    await expect.poll(() => pda.call('GET', '/api/v2.6/owner/exposure')).toMatchObject({ state: 'reachable' });
    await use(`https://ada.${REMOTE_DOMAIN}:${relay.port}`);
    await relay.close();
    await authority.close();
    removeRelayFolders();
  },
});
const thoroughTest = IS_THOROUGH_RUN ? test : test.skip;

thoroughTest(
  'a guest accepts an invitation on a phone, and deleting the guest cuts off a running download',
  async ({ page, pda, address, internet }) => {
    await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
    await uploadContent(pda, Buffer.alloc(LARGE_FILE_BYTES, 'x'), { name: 'film.txt' });
    await pda.enter(page, '/files');
    await page.getByRole('checkbox', { name: /letter\.txt/ }).check();
    await page.getByRole('checkbox', { name: /film\.txt/ }).check();
    await page.getByRole('button', { name: 'Invite person to 2 files' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite person to 2 files' });
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const linkDialog = page.getByRole('dialog', { name: 'Link for Grace' });
    // The page shows its own address until it knows the public one.
    await expect(linkDialog.locator('code')).toContainText(`${address}/`);
    const invitation = (await linkDialog.locator('code').textContent()) ?? '';
    await linkDialog.getByRole('button', { name: 'Done' }).click();

    // The browser does not know the test authority. The pages have no scripts; this test needs one to pause a download.
    const context = await internet.newContext({
      viewport: { width: 390, height: 844 },
      ignoreHTTPSErrors: true,
      bypassCSP: true,
    });
    const guest = await context.newPage();
    await guest.goto(invitation);
    await guest.getByLabel('Password', { exact: true }).fill(GUEST_PASSWORD);
    await guest.getByLabel('Repeat the password').fill(GUEST_PASSWORD);
    await guest.getByRole('button', { name: 'Create my account', exact: true }).click();
    await expect(guest.getByRole('heading', { name: 'Shared with you' })).toBeVisible();
    expect(new URL(guest.url()).origin).toBe(address);
    const download = guest.waitForEvent('download');
    await guest.getByRole('link', { name: 'Download: letter.txt' }).click();
    expect((await download).suggestedFilename()).toBe('letter.txt');

    const href = await guest.getByRole('link', { name: 'Download: film.txt' }).getAttribute('href');
    const firstChunkBytes = await guest.evaluate(async (url) => {
      const reader = (await fetch(url)).body?.getReader();
      Object.assign(window, { reader });
      return (await reader?.read())?.value?.length ?? 0;
    }, href ?? '');
    expect(firstChunkBytes).toBeGreaterThan(0);
    await page.goto(`${pda.url}/#/settings/people`);
    await page.getByRole('button', { name: 'Actions for Grace' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete person' }).click();
    await expect(notice(page, 'Grace deleted')).toBeVisible();
    const downloadEnd = await guest.evaluate(async () => {
      const { reader } = window as unknown as { reader: ReadableStreamDefaultReader<Uint8Array> };
      let bytes = 0;
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return { bytes, isCut: false };
          bytes += value.length;
        }
      } catch {
        return { bytes, isCut: true };
      }
    });
    expect(downloadEnd.isCut).toBe(true);
    expect(firstChunkBytes + downloadEnd.bytes).toBeLessThan(LARGE_FILE_BYTES);
    await guest.goto(`${address}/guest`);
    await expect(guest.getByText(/the owner has removed your access/)).toBeVisible();
    await context.close();
  },
);

thoroughTest(
  'a guest accepts an invitation with a passkey and signs in with it',
  async ({ page, pda, address, internet }) => {
    await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
    await pda.enter(page, '/files');
    await page.getByRole('checkbox', { name: /letter\.txt/ }).check();
    await page.getByRole('button', { name: 'Invite person to 1 file' }).click();
    const dialog = page.getByRole('dialog', { name: 'Invite person to 1 file' });
    await dialog.getByLabel('Name').fill('Grace');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const linkDialog = page.getByRole('dialog', { name: 'Link for Grace' });
    await expect(linkDialog.locator('code')).toContainText(`${address}/`);
    const invitation = (await linkDialog.locator('code').textContent()) ?? '';

    const context = await internet.newContext({ viewport: { width: 390, height: 844 } });
    const guest = await context.newPage();
    await addAuthenticator(guest);
    await guest.goto(invitation);
    await guest.getByRole('button', { name: 'Create my account with a passkey' }).click();
    await expect(guest.getByRole('heading', { name: 'Shared with you' })).toBeVisible();
    expect(new URL(guest.url()).origin).toBe(address);
    await guest.getByRole('button', { name: 'Sign out' }).click();
    await guest.getByRole('button', { name: 'Sign in with a passkey' }).click();
    await expect(guest.getByRole('link', { name: 'Download: letter.txt' })).toBeVisible();
    await context.close();
  },
);

thoroughTest('a visitor can open a share link until the owner revokes it', async ({ page, pda, address, internet }) => {
  const fileId = await uploadContent(pda, 'Dear Grace', { name: 'letter.txt' });
  await pda.call('POST', '/api/v2.6/owner/share-links', { name: 'Letter', fileIds: [fileId] });
  await pda.enter(page, '/sharing/links');
  // The page shows its own address until it knows the public one.
  await expect(page.locator('code').first()).toContainText(`${address}/`);
  const link = (await page.locator('code').first().textContent()) ?? '';

  const context = await internet.newContext({ viewport: { width: 390, height: 844 }, ignoreHTTPSErrors: true });
  const visitor = await context.newPage();
  await visitor.goto(link);
  const download = visitor.waitForEvent('download');
  await visitor.getByRole('link', { name: 'Download: letter.txt' }).click();
  expect((await download).suggestedFilename()).toBe('letter.txt');
  await page.getByRole('button', { name: 'Revoke Letter' }).click();
  await expect(notice(page, 'Letter no longer works')).toBeVisible();
  await visitor.reload();
  await expect(visitor.getByRole('heading', { name: 'This link does not work' })).toBeVisible();
  await context.close();
});
