import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDownloadLog } from '../server/pda/files/access/download-log.ts';
import { createQuota } from '../server/pda/files/disk/quota.ts';
import { silentLog } from '../server/platform/log.ts';
import { ownerFileSchema } from '../server/wire/files.ts';
import { ledgerPageSchema, ledgerRecordsSchema } from '../server/wire/ledger.ts';
import { DISK_RESERVE_BYTES, MAX_LONG_READS, DELETED_FILES_KEPT_MS } from '../server/wire/limits.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import {
  ENCRYPTION_HEADERS,
  createFileRecord,
  putContent,
  readFileRecord,
  searchFiles,
  storeFile,
} from './support/files.ts';
import { openRequest } from './support/http.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, signInAs } from './support/users.ts';

const FILES = '/api/v2.6/files';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    watchesFiles: true,
    // Response validation would read a response completely before its request is logged.
    strict: false,
    config: {
      applications: [anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'camera' }] })],
    },
  });
});
afterAll(() => pda.close());

const fileService = () => pda.pda.fileModule.files;
const ownerCaller = () =>
  ({ principal: { kind: 'owner', userId: '', sessionId: '' }, base: `http://${pda.host}` }) as const;
const readOwnerFile = async (fileId: string) =>
  ownerFileSchema.parse((await pda.call('GET', `/api/v2.6/owner/files/file/${fileId}`)).json);
const homePath = (...path: string[]): string => join(pda.home, ...path);
const diskPathOf = async (fileId: string): Promise<string> =>
  homePath('files', ...((await readOwnerFile(fileId)).path ?? '').split('/'));
const contentOf = async (fileId: string): Promise<string> =>
  (await fetch((await readFileRecord(pda, fileId)).contentUrl ?? '')).text();
const readLedgerPage = async (fileId: string) => {
  const { ledgerId } = await readOwnerFile(fileId);
  const reply = await pda.call('GET', `/api/v2.6/owner/ledger?record=${ledgerId}&take=100`);
  return ledgerPageSchema.parse(reply.json);
};

/** Makes the database refuse updates of files that match the SQL condition while the work runs, as on a full disk. */
const refuseChangesDuring = async (condition: string, work: () => Promise<void>): Promise<void> => {
  const db = new Database(homePath('pda.sqlite'), { timeout: 5000 });
  db.exec(`CREATE TRIGGER no_room BEFORE UPDATE ON files WHEN ${condition} BEGIN SELECT RAISE(ABORT, 'no room'); END`);
  try {
    await work();
  } finally {
    db.exec('DROP TRIGGER no_room');
    db.close();
  }
};

describe('the access log', () => {
  it('lists the files that a search returned to a user', async () => {
    const { fileId } = await storeFile(pda, 'found.txt', 'x', { source: 'searched' });
    const { userId } = await addUser(pda, 'searcher');
    await pda.call('GET', `${FILES}/allowAccess/${fileId}/${userId}`);
    expect(await searchFiles(pda, { source: 'searched' }, await signInAs(pda, 'searcher'))).toEqual([fileId]);
    const { rows } = await readLedgerPage(fileId);
    expect(rows.map(({ action }) => action)).toEqual([
      'POST /api/v2.6/files/search',
      'GET /api/v2.6/files/allowAccess/:fileId/:userId',
    ]);
    const recordsReply = await pda.call('GET', `/api/v2.6/owner/ledger/${rows[0]?.id}/records`);
    expect(ledgerRecordsSchema.parse(recordsReply.json).records).toHaveLength(1);
  });

  it('is not flooded by readers of a public file from countless addresses', async () => {
    const { fileId } = await storeFile(pda, 'flood.txt', 'x');
    const downloadLog = createDownloadLog({
      ledger: pda.pda.ledger,
      userName: () => '',
      linkName: () => '',
      approvedVersion: () => '',
      now: () => pda.clock.now(),
      log: silentLog(),
    });
    const fetchFrom = (address: string) =>
      downloadLog.begin({ row: fileService().requireRow(fileId), bearer: 'public', signature: 's', address });
    for (let host = 1; host <= 20; host += 1) await fetchFrom(`2001:db8::${host.toString(16)}`);
    expect((await readLedgerPage(fileId)).rows).toHaveLength(1);
    for (let network = 1; network <= 200; network += 1) await fetchFrom(`2001:db8:0:${network.toString(16)}::1`);
    const { rows, next } = await readLedgerPage(fileId);
    expect([rows.length, rows[0]?.address]).toEqual([100, 'others']);
    const nextReply = await pda.call(
      'GET',
      `/api/v2.6/owner/ledger?record=${(await readOwnerFile(fileId)).ledgerId}&before=${next}`,
    );
    expect(ledgerPageSchema.parse(nextReply.json).rows).toHaveLength(1);
  });
});

describe('a program that writes to the watched folder', () => {
  it('cannot prevent the start of the server or the removal of deleted files', async () => {
    const { fileId } = await storeFile(pda, 'turned.txt', 'x', { source: 'turning' });
    const otherFile = await storeFile(pda, 'zz.txt', 'x', { source: 'turning' });
    const path = await diskPathOf(fileId);
    rmSync(path);
    mkdirSync(path);
    for (const id of [fileId, otherFile.fileId])
      expect((await pda.call('DELETE', `${FILES}/file/${id}`)).status).toBe(200);
    pda.clock.advance(DELETED_FILES_KEPT_MS + 1);
    await pda.restart();
    pda.token = await pda.signIn();
    // The server purges after its start.
    await expect.poll(() => readdirSync(homePath('removed'))).toEqual([]);
  });

  it('cannot make the owner delete files outside of that folder', async () => {
    const { fileId } = await storeFile(pda, 'tax.txt', 'x', { source: 'linked' });
    mkdirSync(homePath('documents'));
    writeFileSync(homePath('documents', 'tax.txt'), 'the real one');
    renameSync(homePath('files', 'linked'), homePath('linked-away'));
    symlinkSync(homePath('documents'), homePath('files', 'linked'));
    expect((await pda.call('DELETE', `${FILES}/file/${fileId}`)).status).toBe(200);
    expect(readFileSync(homePath('documents', 'tax.txt'), 'utf8')).toBe('the real one');
    rmSync(homePath('files', 'linked'));
  });
});

describe('concurrent requests', () => {
  it('leave no access if one grants it while another deletes the user', async () => {
    const { fileId } = await storeFile(pda, 'granted.txt', 'x');
    const { userId } = await addUser(pda, 'leaving');
    await Promise.allSettled([
      pda.pda.users.remove(userId),
      fileService().grant(fileId, userId, true, ownerCaller()),
      fileService().grantAll({ fileId }, userId, true, ownerCaller()),
    ]);
    expect((await readOwnerFile(fileId)).shared).toEqual([]);
  });

  it('keep a file that is restored during the permanent deletion of others', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 15; n += 1) ids.push((await storeFile(pda, `old-${n}.txt`, 'old', { source: 'old' })).fileId);
    for (const id of ids) await pda.call('DELETE', `${FILES}/file/${id}`);
    pda.clock.advance(DELETED_FILES_KEPT_MS + 1);
    const lastId = ids.at(-1) ?? '';
    const purge = fileService().disk.purge();
    await fileService().restore(lastId);
    await purge;
    expect(await contentOf(lastId)).toBe('old');
  });

  it('that cancel and complete an upload leave a file or nothing', async () => {
    for (let round = 0; round < 12; round += 1) {
      const name = `given-${round}.txt`;
      const { fileId, contentUrl } = await createFileRecord(pda, name, { source: 'given' });
      await putContent(contentUrl, 'x');
      const actions = [() => fileService().complete(fileId, ownerCaller()), () => fileService().abandonUpload(fileId)];
      if (round % 2 === 1) actions.reverse();
      const runningActions: Promise<unknown>[] = [];
      for (const action of actions) {
        // Either of the two may be refused.
        runningActions.push(action().catch(() => undefined));
        for (let iteration = 0; iteration < round; iteration += 2) await new Promise(setImmediate);
      }
      await Promise.all(runningActions);
      const completedCount = (await searchFiles(pda, { fileId, status: { status: 'Completed' } })).length;
      const storedNames = readdirSync(homePath('files')).includes('given')
        ? readdirSync(homePath('files', 'given'))
        : [];
      expect([round, storedNames.includes(name)]).toEqual([round, completedCount === 1]);
    }
  });

  it('keep a file whose upload starts during its deletion', async () => {
    const { fileId } = await createFileRecord(pda, 'late.txt');
    const removal = fileService().remove(fileId, ownerCaller());
    const content = new PassThrough();
    const chunkReceived = fileService().receiveChunk(fileId, { offset: 0, size: 4 }, content);
    await expect(removal).rejects.toMatchObject({ code: 'wrong_state' });
    content.end('late');
    expect(await chunkReceived).toEqual({ received: 4, done: true });
    await fileService().complete(fileId, ownerCaller());
    expect(await contentOf(fileId)).toBe('late');
  });
});

describe('the file service on a full disk', () => {
  it('refuses some of the running uploads if they do not all fit', async () => {
    const quota = createQuota({ usage: () => [], folder: pda.home, total: null, perApplication: 1e15 });
    const reservedBytes = Math.floor(((await quota.freeDiskBytes()) - DISK_RESERVE_BYTES) * 0.7);
    const uploader = { kind: 'owner', application: null } as const;
    const [firstUpload, secondUpload] = [await quota.open(uploader), await quota.open(uploader)];
    firstUpload.reserve(reservedBytes);
    expect(() => secondUpload.reserve(reservedBytes)).toThrow(/nearly full/u);
    firstUpload.end(0);
    secondUpload.reserve(reservedBytes);
    secondUpload.end(0);
    // Stored chunks of an upload need no additional space.
    const thirdUpload = await quota.open(uploader);
    thirdUpload.reserve(2 * reservedBytes, 1000);
    thirdUpload.end(0);
  });

  it('discards received content that the database cannot record, and accepts it again later', async () => {
    const { fileId, contentUrl } = await createFileRecord(pda, 'again.txt');
    const originalNames = readdirSync(homePath('uploads'));
    await refuseChangesDuring("NEW.size IS NOT NULL AND NEW.status = 'New'", async () => {
      expect((await putContent(contentUrl, 'first')).status).toBe(500);
    });
    expect(readdirSync(homePath('uploads'))).toEqual(originalNames);
    expect((await putContent(contentUrl, 'second')).status).toBe(200);
    await pda.call('PUT', `${FILES}/file/${fileId}/complete`);
    expect(await contentOf(fileId)).toBe('second');
  });

  it('keeps an upload that failed to complete, so that the next attempt completes it', async () => {
    const { fileId, contentUrl } = await createFileRecord(pda, 'halfway.txt');
    await putContent(contentUrl, 'halfway');
    await refuseChangesDuring("NEW.status = 'Completed'", async () => {
      expect((await pda.call('PUT', `${FILES}/file/${fileId}/complete`)).status).toBe(500);
    });
    expect((await pda.call('PUT', `${FILES}/file/${fileId}/complete`)).status).toBe(200);
    expect(await contentOf(fileId)).toBe('halfway');
  });

  it('starts with the PDA, and serves reads', async () => {
    const { fileId } = await storeFile(pda, 'readable.txt', 'readable');
    const stuckFile = await createFileRecord(pda, 'stuck.txt');
    await putContent(stuckFile.contentUrl, 'stuck');
    await refuseChangesDuring("NEW.status = 'Completed' OR NEW.moving = 0", async () => {
      await pda.call('PUT', `${FILES}/file/${stuckFile.fileId}/complete`);
      await pda.restart();
      pda.token = await pda.signIn();
      expect(await contentOf(fileId)).toBe('readable');
    });
    expect((await pda.call('PUT', `${FILES}/file/${stuckFile.fileId}/complete`)).status).toBe(200);
    expect(await contentOf(stuckFile.fileId)).toBe('stuck');
  });
});

describe('an application with rights to a source', () => {
  it('cannot store a file under a name that Windows Explorer interprets', async () => {
    const camera = await setUpApplication(pda, 'camera');
    for (const name of ['desktop.ini', 'Photos.LNK', 'a.scf', 'b.url', 'c.library-ms', 'd.searchConnector-ms. ']) {
      const { fileId } = await storeFile(pda, name, 'x', { source: 'camera' }, camera);
      expect(await diskPathOf(fileId)).toMatch(/_$/u);
    }
  });

  it('can run only a limited number of long searches at the same time', async () => {
    const camera = await setUpApplication(pda, 'camera');
    const db = new Database(homePath('pda.sqlite'), { timeout: 5000 });
    db.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
      INSERT INTO files (seq, id, file_id, name, source, description, created, updated, added, status, uploader, public, size)
      SELECT i, printf('00000000-0000-7000-8000-%012d', i), 'many-' || i, 'many', 'many', printf('%.6000c', 'x'), 1, 1, 1,
        'Completed', 'owner', 1, 1 FROM n`);
    const url = `http://${pda.host}${FILES}/search?take=100000`;
    const headers = { 'x-auth-token': camera, 'content-type': 'application/json' };
    const search = () => openRequest(url, { method: 'POST', headers }, '{"source":"many"}');
    // Unread responses keep these searches open.
    const openSearches: IncomingMessage[] = [];
    for (let n = 0; n < MAX_LONG_READS; n += 1) openSearches.push(await search());
    expect(openSearches.map(({ statusCode }) => statusCode)).toEqual(openSearches.map(() => 200));
    const refusedSearch = await search();
    expect(refusedSearch.statusCode).toBe(429);
    for (const response of [...openSearches, refusedSearch]) response.destroy();
    db.exec("DELETE FROM files WHERE source = 'many'");
    db.close();
  });
});

describe('a disabled application', () => {
  it('has its upload aborted, and nothing is stored', async () => {
    const camera = await setUpApplication(pda, 'camera');
    const { contentUrl } = await createFileRecord(pda, 'cut.bin', { source: 'camera' }, camera);
    const incomingFiles = () => readdirSync(homePath('uploads')).filter((name) => name.endsWith('.in'));
    const statusPromise = new Promise<number>((resolve, reject) => {
      const uploadRequest = request(contentUrl, { method: 'PUT', headers: ENCRYPTION_HEADERS }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      uploadRequest.on('error', reject);
      uploadRequest.write('first');
      const disable = async (): Promise<void> => {
        await expect.poll(incomingFiles).toHaveLength(1);
        await pda.call('GET', '/api/v2.6/applications/camera/disable');
        uploadRequest.end('second');
      };
      disable().catch(reject);
    });
    expect(await statusPromise).toBe(403);
    expect(incomingFiles()).toEqual([]);
  });
});
