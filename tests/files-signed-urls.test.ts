import Sqlite from 'better-sqlite3';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorBodySchema } from '../server/wire/errors.ts';
import type { FileRecord } from '../server/wire/files.ts';
import { MAX_UNFINISHED_FILES } from '../server/wire/limits.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import {
  ENCRYPTION_HEADERS,
  fileOf,
  createFileRecord,
  putContent,
  randomContent,
  readFileRecord,
  searchFiles,
  storeFile,
} from './support/files.ts';
import { parseRaw, sendRaw } from './support/http.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { addUser, signInAs } from './support/users.ts';

const QUOTA_BYTES = 100_000;
const FILES = '/api/v2.6/files';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda({
    config: {
      limits: { applicationFilesBytes: QUOTA_BYTES, filesBytes: 1_000_000 },
      applications: [anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'camera' }] })],
    },
  });
});
afterAll(() => pda.close());

const listUploadsFolder = (): string[] => readdirSync(join(pda.home, 'uploads'));
/** Names in the uploads folder before the test. */
let uploadsBefore: ReadonlySet<string>;
beforeEach(() => {
  uploadsBefore = new Set(listUploadsFolder());
});
const listNewUploads = (): string[] => listUploadsFolder().filter((name) => !uploadsBefore.has(name));
const codeOf = async (response: Response): Promise<string> => errorBodySchema.parse(await response.json()).error;
const uploadHead = (url: string, bytes: number): string => {
  const { host, pathname, search } = new URL(url);
  const lines = [`PUT ${pathname}${search} HTTP/1.1`, `host: ${host}`, 'x-a-server-side-encryption: AES256'];
  return [...lines, `content-length: ${bytes}`, '', ''].join('\r\n');
};
const modifyUrl = (url: string, change: (url: URL) => void): string => {
  const changedUrl = new URL(url);
  change(changedUrl);
  return changedUrl.href;
};

describe('a signed URL for an upload', () => {
  let file: Awaited<ReturnType<typeof createFileRecord>>;
  beforeEach(async () => {
    file = await createFileRecord(pda, 'upload.bin');
  });
  const expectRefused = async (responsePromise: Promise<Response>, status: number, code: string): Promise<void> => {
    const response = await responsePromise;
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
    expect(listNewUploads()).toEqual([]);
    expect((await pda.call('PUT', `${FILES}/file/${file.fileId}/complete`)).status).toBe(400);
  };

  it('is refused with a different method, file, expiry, principal or signature, and nothing is stored', async () => {
    const otherFile = await createFileRecord(pda, 'other.bin');
    const attacks: [string, (url: URL) => void][] = [
      ['a different file', (url) => void (url.pathname = `/storage/${otherFile.fileId}`)],
      ['an unknown file', (url) => void (url.pathname = '/storage/nothing.bin')],
      ['a later expiry', (url) => url.searchParams.set('expires', String(pda.clock.now() + 3_600_000))],
      [
        'an expiry in a different notation',
        (url) => url.searchParams.set('expires', `${url.searchParams.get('expires')}.0`),
      ],
      ['a different method', (url) => url.searchParams.set('method', 'GET')],
      ['a different principal', (url) => url.searchParams.set('by', 'application:camera')],
      ['no signature', (url) => url.searchParams.set('signature', '')],
      [
        'a changed signature',
        (url) => {
          const signature = url.searchParams.get('signature') ?? '';
          url.searchParams.set('signature', (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1));
        },
      ],
      ['two signatures', (url) => url.searchParams.append('signature', 'x')],
      ['a padded signature', (url) => url.searchParams.set('signature', `${url.searchParams.get('signature')}=`)],
    ];
    for (const [label, attack] of attacks) {
      const response = await putContent(modifyUrl(file.contentUrl, attack), 'evil');
      expect([label, response.status < 500 && response.status >= 400]).toEqual([label, true]);
      expect(listNewUploads()).toEqual([]);
    }
    // A URL for reading cannot be used for uploading, and vice versa.
    const completeFile = await storeFile(pda, 'done.bin', 'fine');
    await expectRefused(putContent(completeFile.contentUrl ?? '', 'evil'), 403, 'forbidden');
    await expectRefused(fetch(file.contentUrl), 403, 'forbidden');
    expect((await putContent(file.contentUrl, 'the right one')).status).toBe(200);
  });

  it('expires after five minutes', async () => {
    pda.clock.advance(5 * 60_000);
    await expectRefused(putContent(file.contentUrl, 'late'), 403, 'forbidden');
  });

  it('is refused without the encryption header, and stays valid', async () => {
    await expectRefused(putContent(file.contentUrl, 'plain', {}), 400, 'invalid_input');
    await expectRefused(
      putContent(file.contentUrl, 'plain', { 'x-local-server-side-encryption': 'none' }),
      400,
      'invalid_input',
    );
    for (const provider of ['amz', 'goog', 'azure', 'whatever']) {
      const { contentUrl } = await createFileRecord(pda, 'provider.bin');
      expect((await putContent(contentUrl, 'x', { [`x-${provider}-server-side-encryption`]: 'AES256' })).status).toBe(
        200,
      );
    }
    expect((await putContent(file.contentUrl, 'x')).status).toBe(200);
  });

  it('is valid for one upload: uploaded content cannot be replaced', async () => {
    expect((await putContent(file.contentUrl, 'first')).status).toBe(200);
    expect((await putContent(file.contentUrl, 'second')).status).toBe(403);
    const { contentUrl = '' } = fileOf(await pda.call('PUT', `${FILES}/file/${file.fileId}/complete`));
    expect(await (await fetch(contentUrl)).text()).toBe('first');
  });

  it('stores no part of an interrupted upload, and can be retried', async () => {
    const head = uploadHead(file.contentUrl, 1_000_000);
    await sendRaw(pda.port, Buffer.concat([Buffer.from(head), Buffer.alloc(100_000)]), { hangUp: true });
    await expect.poll(listNewUploads).toEqual([]);
    await expect.poll(async () => (await putContent(file.contentUrl, 'whole')).status).toBe(200);
  });

  it('accepts one upload at a time', async () => {
    const statuses = await Promise.all(
      Array.from(
        { length: 5 },
        async (_, index) => (await putContent(file.contentUrl, `${index}`.repeat(50_000))).status,
      ),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403 || status === 409)).toHaveLength(4);
  });

  it('is not valid for another file that reuses the id', async () => {
    const firstFile = await createFileRecord(pda, 'same.txt', { source: 'reborn' });
    await pda.call('DELETE', `/api/v2.6/owner/files/file/${firstFile.fileId}/upload`);
    const secondFile = await createFileRecord(pda, 'same.txt', { source: 'reborn' });
    const reusedUrl = modifyUrl(firstFile.contentUrl, (url) => void (url.pathname = `/storage/${secondFile.fileId}`));
    expect((await putContent(reusedUrl, 'x')).status).toBe(403);
    expect((await putContent(firstFile.contentUrl, 'x', ENCRYPTION_HEADERS)).status).toBe(403);
  });
});

describe('a signed URL for reading', () => {
  it('is refused with a different file, expiry, principal, signature or method, and after it has expired', async () => {
    const { contentUrl = '', fileId } = await storeFile(pda, 'read.txt', 'secret');
    const otherFile = await storeFile(pda, 'read2.txt', 'other');
    for (const attack of [
      (url: URL) => void (url.pathname = `/storage/${otherFile.fileId}`),
      (url: URL) => url.searchParams.set('expires', '99999999999999'),
      (url: URL) => url.searchParams.set('by', 'public'),
      (url: URL) => url.searchParams.set('signature', 'AAAA'),
      (url: URL) => url.searchParams.set('method', 'PUT'),
    ])
      expect((await fetch(modifyUrl(contentUrl, attack))).status).toBe(403);
    expect(await (await fetch(contentUrl)).text()).toBe('secret');
    pda.clock.advance(5 * 60_000);
    expect((await fetch(contentUrl)).status).toBe(403);
    expect(await (await fetch((await readFileRecord(pda, fileId)).contentUrl ?? '')).text()).toBe('secret');
  });
});

describe('upload limits', () => {
  it('immediately refuse a file whose announced size is too large', async () => {
    const { contentUrl } = await createFileRecord(pda, 'large.bin');
    expect(parseRaw(await sendRaw(pda.port, uploadHead(contentUrl, 5_000_000_001))).status).toBe(413);
    expect(listNewUploads()).toEqual([]);
  });

  it('refuse an upload that exceeds the quota by one byte, and do not count deleted files', async () => {
    const camera = await setUpApplication(pda, 'camera');
    const fill = async (bytes: number) => {
      const { fileId, contentUrl } = await createFileRecord(pda, 'photo.bin', { source: 'camera' }, camera);
      return { fileId, status: (await putContent(contentUrl, randomContent(bytes))).status };
    };
    const fullFile = await fill(QUOTA_BYTES);
    expect(fullFile.status).toBe(200);
    expect((await fill(1)).status).toBe(413);
    await pda.call('DELETE', `${FILES}/file/${fullFile.fileId}`);
    expect((await fill(QUOTA_BYTES + 1)).status).toBe(413);
    expect((await fill(QUOTA_BYTES)).status).toBe(200);
    expect(listNewUploads().filter((name) => name.includes('.'))).toEqual([]);
  });

  it('bound the number of announced uploads of an application, and unsent ones are removed after a day', async () => {
    const camera = await setUpApplication(pda, 'camera');
    const announceUpload = () =>
      pda.call('POST', `${FILES}/upload`, { json: { name: 'x', source: 'camera' }, token: camera });
    // Inserts most uploads directly into the database, because requests would take most of the test's time.
    const db = new Sqlite(join(pda.home, 'pda.sqlite'), { timeout: 5000 });
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < @count)
        INSERT INTO files (seq, id, file_id, name, source, created, updated, added, status, uploader, application, nonce)
        SELECT i, printf('00000000-0000-7000-8000-%012d', i), 'announced-' || i, 'x', 'camera', @now, @now, @now, 'New',
          'application', 'camera', 'n' || i FROM n`,
    ).run({ count: MAX_UNFINISHED_FILES - 10, now: pda.clock.now() });
    db.close();
    const replies = await Promise.all(Array.from({ length: 10 }, announceUpload));
    expect(replies[0]?.status).toBe(200);
    expect((await announceUpload()).status).toBe(409);
    pda.clock.advance(24 * 3_600_000 + 1);
    await pda.pda.fileModule.files.disk.purge();
    expect((await announceUpload()).status).toBe(200);
    expect(await searchFiles(pda, { source: 'camera', name: 'x' })).toHaveLength(1);
  });

  it('are not exceeded by ten concurrent uploads', async () => {
    const usedBytes = () => pda.pda.fileModule.files.disk.quota.getUsedBytes();
    const remainingBytes = 1_000_000 - usedBytes();
    const fileBytes = Math.floor(remainingBytes / 4);
    const files = await Promise.all(
      Array.from({ length: 10 }, (_, index) => createFileRecord(pda, `race-${index}.bin`)),
    );
    const statuses = await Promise.all(
      files.map(async ({ contentUrl }) => (await putContent(contentUrl, randomContent(fileBytes))).status),
    );
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(4);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200, 413]));
    expect(usedBytes()).toBeLessThanOrEqual(1_000_000);
    // A refused upload is removed after the response.
    await expect
      .poll(() =>
        listNewUploads().map((name) => statSync(join(pda.home, 'uploads', name), { throwIfNoEntry: false })?.size),
      )
      .toEqual(statuses.filter((status) => status === 200).map(() => fileBytes));
    // A recount from the disk gives the same result.
    const usedBeforeRestart = usedBytes();
    await pda.restart();
    pda.token = await pda.signIn();
    expect(usedBytes()).toBe(usedBeforeRestart);
  });
});

describe('a signed URL of a session', () => {
  /** File size in bytes. It is larger than the buffers of a connection, so that a paused reader blocks the download. */
  const LARGE_FILE_BYTES = 32 * 1024 * 1024;
  let sessionPda: TestPda;
  let file: FileRecord;
  beforeAll(async () => {
    const camera = anApplication({ id: 'camera', roles: [{ role: 'managefiles', detail: 'test' }] });
    sessionPda = await startTestPda({ config: { applications: [camera] } });
    file = await storeFile(sessionPda, 'kept.bin', new Uint8Array(LARGE_FILE_BYTES));
    const { userId } = await addUser(sessionPda, 'grace');
    const shareReply = await sessionPda.call('GET', `${FILES}/allowAccess/${file.fileId}/${userId}?content=true`);
    expect(shareReply.status).toBe(200);
  });
  afterAll(() => sessionPda.close());

  const callers: Record<string, () => Promise<string>> = {
    owner: () => sessionPda.signIn(),
    guest: () => signInAs(sessionPda, 'grace'),
    application: () => setUpApplication(sessionPda, 'camera'),
  };
  const tokenFor = async (caller: string): Promise<string> => (await callers[caller]?.()) ?? '';
  const signedUrlFor = async (token: string): Promise<string> =>
    (await readFileRecord(sessionPda, file.fileId, token)).contentUrl ?? '';
  const endSession = async (caller: string, token: string): Promise<void> => {
    const reply =
      caller === 'application'
        ? await sessionPda.call('GET', '/api/v2.6/applications/camera/disable')
        : await sessionPda.call('DELETE', '/users/access_token', { token });
    expect(reply.status).toBe(200);
  };

  it.each(Object.keys(callers))('ends with that session, for the %s', async (caller) => {
    const token = await tokenFor(caller);
    const firstUrl = await signedUrlFor(token);
    const rangeOptions = { headers: { range: 'bytes=0-9' } };
    expect((await fetch(firstUrl, rangeOptions)).status).toBe(206);
    await endSession(caller, token);
    expect((await fetch(firstUrl, rangeOptions)).status).toBe(403);
    const secondUrl = await signedUrlFor(await tokenFor(caller));
    expect((await fetch(secondUrl, rangeOptions)).status).toBe(206);
    expect((await fetch(firstUrl, rangeOptions)).status).toBe(403);
  });

  it.each(Object.keys(callers))(
    'has a download in progress aborted when the session of the %s ends',
    async (caller) => {
      const token = await tokenFor(caller);
      const { body } = await fetch(await signedUrlFor(token));
      const reader = body?.getReader();
      let bytes = (await reader?.read())?.value?.length ?? 0;
      expect(bytes).toBeGreaterThan(0);
      await endSession(caller, token);
      const readAll = async (): Promise<void> => {
        for (let chunkRead = await reader?.read(); chunkRead?.done === false; chunkRead = await reader?.read())
          bytes += chunkRead.value.length;
      };
      await expect(readAll()).rejects.toThrow('terminated');
      expect(bytes).toBeLessThan(LARGE_FILE_BYTES);
    },
  );
});
