import Sqlite from 'better-sqlite3';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { backUp } from '../server/pda/account/backup/operations/command-line.ts';
import { backupSchema, type Backup } from '../server/wire/backup.ts';
import { PASSPHRASE } from './support/backups.ts';
import { newFolder, removeFolders } from './support/server-process.ts';
import { startTestPda, type TestPda } from './support/test-pda.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

// Backups detect records that a failing disk changed without SQLite noticing.

const PATH = '/api/v2.6/owner/backup';
const DATA = '/api/v2.6/data';

let pda: TestPda;
let ids: string[];
let folder: string;
// Backups and restore drills run only when a test starts them, however long the tests take.
beforeAll(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterAll(() => void vi.useRealTimers());
beforeAll(async () => {
  pda = await startTestPda();
  const json = Array.from({ length: 500 }, (_, steps) => ({ steps }));
  const reply = await pda.call('POST', `${DATA}/fit/steps`, { json });
  ids = (reply.json as { recordId: string }[]).map(({ recordId }) => recordId);
  await pda.call('POST', `${DATA}/calendar/events`, { json: [{ name: 'Lunch' }] });
  for (let beat = 0; beat < 40; beat += 1) {
    pda.clock.advance(1000);
    expect((await pda.call('POST', `${DATA}/heart/beats`, { json: { beat } })).status).toBe(201);
  }
  folder = newFolder();
  const settings = { folder, passphrase: PASSPHRASE };
  expect((await pda.call('POST', `${PATH}/set-up`, { json: settings })).status).toBe(200);
});
afterAll(async () => {
  await pda.close();
  removeFolders();
});

const run = async (action: 'run' | 'drill' = 'run'): Promise<Backup> => {
  expect((await pda.call('POST', `${PATH}/${action}`)).status).toBe(202);
  await pda.pda.backup.waitUntilIdle();
  return backupSchema.parse((await pda.call('GET', PATH)).json);
};
/** Changes a record without the PDA, as a failing disk would. SQLite has no checksum that detects it. */
const overwriteOnDisk = (data: string, newData: string): void => {
  const db = new Sqlite(join(pda.home, 'pda.sqlite'));
  try {
    expect(db.prepare('UPDATE records SET data = ? WHERE data = ?').run(newData, data).changes).toBe(1);
  } finally {
    db.close();
  }
};

it('a backup does not report changes by the owner as damage', async () => {
  expect((await run()).problem).toBeNull();
  pda.clock.advance(1000);
  const updates = [{ endpoint: 'fit/steps', recordId: ids[7], data: { steps: -7 } }];
  expect((await pda.call('PUT', DATA, { json: updates })).status).toBe(201);
  expect((await pda.call('DELETE', `${DATA}?records=${ids[8]}`)).status).toBe(200);
  await pda.call('POST', `${DATA}/fit/steps`, { json: { steps: 1000 } });
  expect((await run()).problem).toBeNull();
});

it('a backup reports the endpoint of silently changed records, and prunes nothing, until they are repaired', async () => {
  overwriteOnDisk('{"steps":3}', '{"stepz":3}');
  await pda.call('PUT', PATH, {
    json: { folder, every: 'off', keep: { days: 0, weeks: 0, months: 0 } },
  });
  for (const task of ['run', 'drill'] as const) {
    const { problem, backups, provenWhole } = await run(task);
    expect(problem).toMatchObject({ what: 'records', problem: expect.stringContaining('fit/steps') });
    expect(backups.length).toBeGreaterThan(2);
    if (task === 'drill') expect(provenWhole).not.toBeNull();
  }
  expect(pda.pda.backup.status()).toBe('damaged');
  // The command line does not prune anything either.
  const keep = { days: 0, weeks: 0, months: 0 };
  const commandOptions = {
    home: pda.home,
    to: newFolder(),
    passphrase: PASSPHRASE,
    programVersion: '0.0.0',
    retention: keep,
  };
  for (let round = 0; round < 2; round += 1) {
    const { removedCount, damage } = await backUp({
      ...commandOptions,
      check: async () => undefined,
      onProgress: () => undefined,
    });
    expect([removedCount, damage]).toStrictEqual([0, expect.stringMatching(/^Some records in fit\/steps changed/u)]);
  }
  overwriteOnDisk('{"stepz":3}', '{"steps":3}');
  expect((await run()).problem).toBeNull();
});

it.skipIf(!IS_THOROUGH_RUN)(
  'a backup detects changes of individually stored records, which share checksums',
  async () => {
    const checksums = JSON.parse(readFileSync(join(pda.home, 'backups', 'digests.json'), 'utf8')) as {
      stretches: unknown[];
    };
    expect(checksums.stretches.length).toBeLessThan(10);
    overwriteOnDisk('{"beat":7}', '{"beat":77}');
    // Later records do not hide the damage.
    await pda.call('POST', `${DATA}/heart/beats`, { json: { beat: 40 } });
    expect((await run()).problem?.problem).toMatch(/^Some records in heart\/beats changed/u);
    await pda.call('POST', `${DATA}/heart/beats`, { json: { beat: 41 } });
    expect((await run()).problem?.problem).toMatch(/^Some records in heart\/beats changed/u);
  },
);
