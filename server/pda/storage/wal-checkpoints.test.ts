import Sqlite from 'better-sqlite3';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { silentLog } from '../../platform/log.ts';
import { createDatabaseThread } from './threads/client.ts';
import { startCheckpoints } from './wal-checkpoints.ts';
import { createWriter } from './writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'pda-checkpoints-'));

afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true, force: true });
});

it('logs once that the write-ahead log cannot be read, and does not end the process', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const file = join(folder, 'test.sqlite');
  // Reading the status of a symbolic link to itself fails (ELOOP).
  symlinkSync(`${file}-wal`, `${file}-wal`);
  const db = new Sqlite(':memory:');
  const warnings: unknown[] = [];
  const checkpoints = startCheckpoints({
    db,
    file,
    maintenance: createDatabaseThread({ file, role: 'maintenance', functionsModule: '' }),
    writer: createWriter(db),
    log: { ...silentLog(), warn: (_: unknown, message?: unknown) => void warnings.push(message) },
  });
  vi.advanceTimersToNextTimer();
  vi.advanceTimersToNextTimer();
  await checkpoints.close();
  db.close();
  expect(warnings).toEqual(['checkpoint failed, retrying']);
});
