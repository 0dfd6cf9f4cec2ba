import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ownerFileSchema } from '../server/wire/files.ts';
import { ledgerPageSchema, ledgerRecordsSchema } from '../server/wire/ledger.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { readFileRecord, storeFile } from './support/files.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, signInAs } from './support/users.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: { applications: [anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'camera' }] })] },
  });
});
afterAll(() => pda.close());

/** Returns the access log entries of a file, newest first. Checks that each of them lists the file. */
const rowsOf = async (fileId: string) => {
  const fileReply = await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`);
  const { ledgerId } = ownerFileSchema.parse(fileReply.json);
  const reply = await pda.call('GET', `/api/v2.6/owner/ledger?record=${ledgerId}`);
  const { rows } = ledgerPageSchema.parse(reply.json);
  for (const row of rows) {
    const records = await pda.call('GET', `/api/v2.6/owner/ledger/${row.id}/records`);
    expect(ledgerRecordsSchema.parse(records.json).records.map(({ recordId }) => recordId)).toContain(ledgerId);
  }
  return rows;
};
const downloadRowsOf = async (fileId: string) =>
  (await rowsOf(fileId)).filter(({ action }) => action === 'GET /storage/:fileId');

describe('access log entries of downloads', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'are written once per URL with the total number of bytes, however many ranges are requested',
    async () => {
      const { fileId } = await storeFile(pda, 'film.txt', '0123456789');
      const { userId } = await addUser(pda, 'bo');
      await pda.call('GET', `/api/v2.6/files/allowAccess/${fileId}/${userId}?content=true`);
      const { contentUrl = '' } = await readFileRecord(pda, fileId, await signInAs(pda, 'bo'));
      for (const range of ['bytes=0-3', 'bytes=4-9']) await (await fetch(contentUrl, { headers: { range } })).text();
      await expect.poll(async () => (await downloadRowsOf(fileId)).map(({ bytes }) => bytes)).toEqual([10]);
      const [row] = await downloadRowsOf(fileId);
      expect(row).toMatchObject({ outcome: 'allowed', endpoints: ['files:test'], records: 1 });
      expect(row?.who).toMatchObject({ kind: 'user' });
      // The file record was read before, in a separate entry.
      expect((await rowsOf(fileId)).map(({ action }) => action)).toContain('GET /api/v2.6/files/file/:fileId');
    },
  );

  it('name the application with its approved version', async () => {
    const token = await setUpApplication(pda, 'camera');
    const { fileId } = await storeFile(pda, 'shot.txt', 'click', { source: 'camera' }, token);
    await (await fetch((await readFileRecord(pda, fileId, token)).contentUrl ?? '')).text();
    const [row] = await downloadRowsOf(fileId);
    expect(row?.who).toEqual({ kind: 'application', name: 'camera' });
    expect(row?.consent).toEqual({ kind: 'application', name: 'camera', detail: '1.0.0' });
  });

  it('are anonymous for public files, with one entry per hour for downloads from one network', async () => {
    const { fileId } = await storeFile(pda, 'poster.txt', 'for all');
    await pda.call('GET', `/api/v2.6/files/allowAccessPublic/${fileId}`);
    const get = () => fetch(`http://${pda.host}/api/v2.6/files/content/${fileId}`);
    for (let count = 0; count < 3; count += 1) await (await get()).text();
    await expect.poll(async () => (await downloadRowsOf(fileId)).map(({ bytes }) => bytes)).toEqual([21]);
    pda.clock.advance(3_600_000);
    await (await get()).text();
    expect((await downloadRowsOf(fileId)).map(({ who }) => who.kind)).toEqual(['visitor', 'visitor']);
  });

  it('are not written for the owner', async () => {
    const { fileId, contentUrl = '' } = await storeFile(pda, 'own.txt', 'mine');
    await (await fetch(contentUrl)).text();
    expect(await rowsOf(fileId)).toEqual([]);
  });
});
