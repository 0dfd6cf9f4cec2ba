import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { storeFile } from '../../../../tests/support/files.ts';
import { errorOf, OWNER, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { isoTime } from '../../../platform/clock.ts';
import { erasurePreviewSchema, erasureSchema } from '../../../wire/erasure.ts';

let pda: TestPda;
const onEraseEverything = vi.fn<() => void>();
beforeAll(async () => {
  pda = await startTestPda({ onEraseEverything });
  await pda.call('POST', '/api/v2.6/data/diary/days', { json: { text: 'a day' } });
});
afterAll(() => pda.close());

it.each([
  ['namespace', 'diary'],
  ['everything', ''],
])(
  'an erasure of the kind %s does not start if the password is changed after its verification',
  async (kind, target) => {
    const response = await pda.call('GET', `/api/v2.6/owner/erasure-preview?kind=${kind}&target=${target}`);
    const { typed } = erasurePreviewSchema.parse(response.json);
    const initialNames = readdirSync(pda.home);
    const { owner } = pda.pda;
    // The password is changed between its verification and the start of the erasure.
    const verifyPassword = vi.spyOn(owner, 'verifyPassword').mockResolvedValueOnce(() => false);
    const reply = await pda.call('POST', '/api/v2.6/owner/erasures', {
      json: { kind, target, typed, password: OWNER.password },
    });
    expect(verifyPassword).toHaveBeenCalledOnce();
    verifyPassword.mockRestore();
    expect([reply.status, errorOf(reply).error]).toEqual([403, 'forbidden']);
    expect((await pda.call('GET', '/api/v2.6/owner/erasures')).json).toEqual([]);
    expect(readdirSync(pda.home)).toEqual(initialNames);
    expect(onEraseEverything).not.toHaveBeenCalled();
  },
);

it('the preview for everything states the time of the oldest file if no record is older', async () => {
  const filePda = await startTestPda({ onEraseEverything });
  try {
    const uploadTime = filePda.clock.now();
    await storeFile(filePda, 'oldest.txt', 'x');
    filePda.clock.advance(60_000);
    await filePda.call('POST', '/api/v2.6/data/diary/days', { json: { text: 'a day' } });
    const reply = await filePda.call('GET', '/api/v2.6/owner/erasure-preview?kind=everything');
    expect(erasurePreviewSchema.parse(reply.json)).toMatchObject({
      what: { records: 1, files: 1 },
      since: isoTime(uploadTime),
    });
  } finally {
    await filePda.close();
  }
});

it('the preview lists a hundred endpoints and counts the others', async () => {
  const json = Array.from({ length: 103 }, (_, index) => ({ endpoint: `many/endpoint-${index}`, data: { index } }));
  expect((await pda.call('POST', '/api/v2.6/data-batch', { json })).status).toBe(201);
  const reply = await pda.call('GET', '/api/v2.6/owner/erasure-preview?kind=namespace&target=many');
  const { endpoints, moreEndpoints } = erasurePreviewSchema.parse(reply.json);
  expect([endpoints.length, moreEndpoints]).toEqual([100, 3]);
});

it('the confirmation text may differ from a file name in spaces and in its Unicode form', async () => {
  // A name from macOS, where `ü` is two characters. The dashboard shows the name with single spaces.
  const { fileId } = await storeFile(pda, ' Gru\u0308ße  1.txt', 'x');
  const request = (typed: string) =>
    pda.call('POST', '/api/v2.6/owner/erasures', {
      json: { kind: 'file', target: fileId, typed, password: OWNER.password },
    });
  expect(errorOf(await request('Grüße 2.txt')).error).toBe('invalid_input');
  expect((await request('Gr\u00fcße 1.txt ')).status).toBe(202);
});

it('the preview, the report, and the report of a full erasure list all backup folders of this PDA', async () => {
  const backupPda = await startTestPda({ onEraseEverything });
  const [firstFolder = '', secondFolder = ''] = ['first-', 'second-'].map((name) =>
    realpathSync(mkdtempSync(join(tmpdir(), name))),
  );
  const backupFolders = [firstFolder, secondFolder];
  const preview = async (kind: string, target: string) =>
    erasurePreviewSchema.parse(
      (await backupPda.call('GET', `/api/v2.6/owner/erasure-preview?kind=${kind}&target=${target}`)).json,
    );
  const erase = async (kind: string, target: string, typed: string) => {
    const json = { kind, target, typed, password: OWNER.password };
    return erasureSchema.parse((await backupPda.call('POST', '/api/v2.6/owner/erasures', { json })).json);
  };
  try {
    expect((await preview('namespace', 'diary')).backupFolders).toEqual([]);
    const setUpReply = await backupPda.call('POST', '/api/v2.6/owner/backup/set-up', {
      json: { folder: firstFolder, passphrase: 'seven quiet herons over the marsh' },
    });
    expect(setUpReply.status).toBe(200);
    const changeReply = await backupPda.call('PUT', '/api/v2.6/owner/backup', {
      json: { folder: secondFolder, every: 'off', keep: { days: 7, weeks: 5, months: 12 } },
    });
    expect(changeReply.status).toBe(200);
    expect((await preview('namespace', 'diary')).backupFolders).toEqual(backupFolders);
    await erase('namespace', 'diary', 'diary');
    await backupPda.pda.erasure.waitUntilIdle();
    expect(backupPda.pda.erasure.list()).toMatchObject([{ state: 'done', backupFolders }]);
    // The report remains, although the backup settings are deleted.
    expect((await erase('everything', '', OWNER.name)).backupFolders).toEqual(backupFolders);
    await backupPda.restart();
    expect(backupPda.pda.erasure.list()).toMatchObject([{ kind: 'everything', state: 'done', backupFolders }]);
  } finally {
    await backupPda.close();
    for (const folder of backupFolders) rmSync(folder, { recursive: true });
  }
});
