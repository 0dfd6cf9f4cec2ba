import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInvitedGuest, titleOf } from './support/guests.ts';
import { randomContent, storeFile } from './support/files.ts';
import { openRequest } from './support/http.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { readZip } from './support/zip.ts';
import { removeUsers } from './support/users.ts';
import { ledgerPageSchema } from '../server/wire/ledger.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());
beforeEach(async () => {
  await removeUsers(pda);
});

/** Returns how many downloads of the guest's archive are in the access history. */
const countDownloads = async (userId: string): Promise<number> =>
  ledgerPageSchema
    .parse((await pda.call('GET', '/api/v2.6/owner/ledger?take=200')).json)
    .rows.filter(({ action, who }) => action === 'GET /guest/archive' && who.name === userId).length;

const createGuest = (fileIds: readonly string[], name?: string) => createInvitedGuest(pda, fileIds, name);

describe('a guest download', () => {
  const FILE_BYTES = 20_000_000;

  /** Reads a response until it ends or is aborted. Returns the number of received bytes. */
  const readToEnd = async (response: Awaited<ReturnType<typeof openRequest>>): Promise<number> => {
    let receivedBytes = 0;
    response.on('data', (chunk: Buffer) => {
      receivedBytes += chunk.length;
    });
    response.on('error', () => undefined);
    await new Promise<void>((resolve) => response.once('close', resolve));
    return receivedBytes;
  };

  it.each(IS_THOROUGH_RUN ? ['removed', 'blocked', 'denied access'] : ['blocked'])(
    'is aborted if the guest is %s during the download',
    async (event) => {
      const { fileId } = await storeFile(pda, `large ${event}.bin`, randomContent(FILE_BYTES));
      for (const isArchive of [false, true]) {
        const { browser, userId } = await createGuest([fileId]);
        const url = isArchive
          ? `http://${pda.host}/guest/archive`
          : ((await browser.get(`/guest/files/${fileId}/content`)).headers.location ?? '');
        const response = await openRequest(url, { headers: { cookie: browser.cookie ?? '' } });
        expect(response.statusCode).toBe(200);
        if (event === 'removed') await pda.pda.users.remove(userId);
        else if (event === 'blocked') await pda.pda.users.disable(userId);
        else await pda.call('GET', `/api/v2.6/files/restrictAccess/${fileId}/${userId}`);
        expect(await readToEnd(response)).toBeLessThan(FILE_BYTES);
        expect(response.complete).toBe(false);
        if (event !== 'removed') await pda.pda.users.remove(userId);
      }
    },
  );

  it('of all files is an archive of the readable files with unique names', async () => {
    const firstFile = await storeFile(pda, 'same.txt', 'one', { source: 'first' });
    const secondFile = await storeFile(pda, 'SAME.txt', 'two', { source: 'second' });
    const emptyFile = await storeFile(pda, 'empty.txt', '', { source: 'first' });
    const nameOnlyFile = await storeFile(pda, 'named.txt', 'hidden');
    const { browser, userId } = await createGuest([firstFile.fileId, secondFile.fileId, emptyFile.fileId]);
    await pda.call('GET', `/api/v2.6/files/allowAccess/${nameOnlyFile.fileId}/${userId}?content=false`);
    const head = await pda.call('HEAD', '/guest/archive', { token: null, headers: { cookie: browser.cookie ?? '' } });
    expect([head.status, await countDownloads(userId)]).toEqual([200, 0]);
    const archive = await browser.get('/guest/archive');
    expect(await countDownloads(userId)).toBe(1);
    expect(archive.headers).toMatchObject({
      'content-type': 'application/zip',
      'cross-origin-resource-policy': 'same-origin',
      'content-disposition': 'attachment; filename="shared-files.zip"',
    });
    expect(archive.headers['access-control-allow-origin']).toBeUndefined();
    expect(await readZip(archive.body)).toEqual({ 'empty.txt': '', 'SAME.txt': 'two', 'same (2).txt': 'one' });
    const guestWithoutFiles = await createGuest([], 'Alan');
    expect((await guestWithoutFiles.browser.get('/guest/archive')).headers.location).toBe('/guest');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'of all files is refused while another one is running, and accepted after the browser has disconnected',
    async () => {
      const { fileId } = await storeFile(pda, 'slow.bin', randomContent(FILE_BYTES));
      const { browser } = await createGuest([fileId]);
      const headers = { cookie: browser.cookie ?? '' };
      const response = await openRequest(`http://${pda.host}/guest/archive`, { headers });
      const refusedReply = await browser.get('/guest/archive');
      expect([refusedReply.status, titleOf(refusedReply)]).toEqual([429, 'Download all as ZIP']);
      expect(refusedReply.headers['retry-after']).toBe('2');
      response.destroy();
      await expect.poll(async () => (await browser.get('/guest/archive')).status).toBe(200);
    },
  );
});
