import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PASSPHRASE } from '../../../../tests/support/backups.ts';
import { errorOf, startTestPda, type TestPda } from '../../../../tests/support/test-pda.ts';
import { backupSchema } from '../../../wire/backup.ts';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';

const PATH = '/api/v2.6/owner/backup';

let pda: TestPda;
const disk = mkdtempSync(join(tmpdir(), 'pda-disk-'));
// Stops the timer, so that backups run only when the test starts them.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());
beforeAll(async () => {
  pda = await startTestPda({ publicUrl: 'https://ada.example' });
});
afterAll(async () => {
  await pda.close();
  rmSync(disk, { recursive: true });
});

it.skipIf(!IS_THOROUGH_RUN)(
  'a remote session of the owner can view and run backups, but not change their settings',
  async () => {
    const setUp = { folder: disk, passphrase: PASSPHRASE };
    expect((await pda.call('POST', `${PATH}/set-up`, { json: setUp })).status).toBe(200);
    const initialSettings = backupSchema.parse((await pda.call('GET', PATH)).json);
    const headers = { host: 'ada.example' };
    for (const [method, path, json] of [
      ['POST', '/set-up', setUp],
      ['POST', '/key', { passphrase: 'a passphrase of an attacker' }],
      ['PUT', '', { folder: disk, every: 'day', keep: { days: 1, weeks: 0, months: 0 } }],
      ['DELETE', '', undefined],
    ] as const) {
      const reply = await pda.call(method, PATH + path, { headers, ...(json === undefined ? {} : { json }) });
      expect([method, path, reply.status, errorOf(reply).error]).toStrictEqual([method, path, 403, 'forbidden']);
    }
    expect(backupSchema.parse((await pda.call('GET', PATH, { headers })).json)).toStrictEqual(initialSettings);
    expect((await pda.call('POST', `${PATH}/run`, { headers })).status).toBe(202);
    await pda.pda.backup.waitUntilIdle();
    const key = await pda.call('POST', `${PATH}/key`, { json: { passphrase: 'another passphrase of the owner' } });
    expect(key.status).toBe(200);
  },
);
