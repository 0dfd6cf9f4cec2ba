import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileArchiveSchema } from '../server/wire/bulk-files.ts';
import { randomContent, storeFile } from './support/files.ts';
import { openRequest } from './support/http.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

const FILE_BYTES = 20_000_000;

let pda: TestPda;
beforeAll(async () => {
  // Response validation would read a download to its end before the first byte is sent.
  pda = await startTestPda({ strict: false });
});
afterAll(() => pda.close());

const createArchiveUrl = async (fileIds: readonly string[], token = pda.token): Promise<string> => {
  const reply = await pda.call('POST', '/api/v2.6/owner/files/archives', { token, json: { fileIds } });
  return fileArchiveSchema.parse(reply.json).url;
};
const signOut = (token: string) => pda.call('POST', '/api/v2.6/owner/sign-out', { token });

/** Begins a download and triggers an event. Returns true if the download completes. */
const downloadDespite = async (url: string, event: () => Promise<unknown>): Promise<boolean> => {
  const response = await openRequest(`http://${pda.host}${url}`, { headers: {} });
  expect(response.statusCode).toBe(200);
  await event();
  response.on('error', () => undefined).resume();
  await new Promise<void>((resolve) => response.once('close', resolve));
  return response.complete;
};

describe('the archive of a session', () => {
  it('cannot be downloaded after the session has ended', async () => {
    const { fileId } = await storeFile(pda, 'small.txt', 'x');
    const token = await pda.signIn();
    const url = await createArchiveUrl([fileId], token);
    await signOut(token);
    expect((await pda.call('GET', url, { token: null })).status).toBe(404);
  });

  it('is not downloaded completely if the session ends during the download', async () => {
    const { fileId } = await storeFile(pda, 'large.bin', randomContent(FILE_BYTES));
    const token = await pda.signIn();
    expect(await downloadDespite(await createArchiveUrl([fileId], token), () => signOut(token))).toBe(false);
  });
});

it.skipIf(!IS_THOROUGH_RUN)('an archive download is aborted when one of the remaining files is deleted', async () => {
  const largeFile = await storeFile(pda, 'first.bin', randomContent(FILE_BYTES));
  const laterFile = await storeFile(pda, 'later.txt', 'x');
  const url = await createArchiveUrl([largeFile.fileId, laterFile.fileId]);
  const deleteLaterFile = () => pda.call('DELETE', `/api/v2.6/files/file/${laterFile.fileId}`);
  expect(await downloadDespite(url, deleteLaterFile)).toBe(false);
});
