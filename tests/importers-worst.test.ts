import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALLOCATOR_SETTINGS } from '../main/server/launch.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import { hostileArchives, type HostileArchive } from './support/hostile-archives.ts';
import { waitForImport, startImport, uploadImport } from './support/import-over-http.ts';
import { killProcesses, newHome, removeFolders, startServer, type ServerProcess } from './support/server-process.ts';
import {
  HAS_PROC,
  HEALTH_RESPONSE_MAX_MS,
  RESIDENT_BYTES_MAX,
  watchHealth,
  type HealthWatch,
} from './support/watch-health.ts';

// Imports exports that are designed to stall the reader.

/** Size in bytes of entries whose cost grows with their size. Skipped tests need only the names of the archives. */
const ENTRY_BYTES = IS_THOROUGH_RUN ? 7_500_000 : 1;

let server: ServerProcess;
let health: HealthWatch;

beforeAll(async () => {
  if (!IS_THOROUGH_RUN) return;
  server = await startServer(await newHome(), { env: { ...process.env, ...ALLOCATOR_SETTINGS } });
  if (HAS_PROC) health = await watchHealth(server);
});

afterAll(async () => {
  if (!IS_THOROUGH_RUN) return;
  if (HAS_PROC) health.end();
  await killProcesses();
  removeFolders();
});

describe.skipIf(!HAS_PROC || !IS_THOROUGH_RUN)('an import of hostile entries', { timeout: 600_000 }, () => {
  it.each(hostileArchives(ENTRY_BYTES))(
    'stores the valid entries of $fileName, reports the others and keeps the server available',
    async ({ fileName, content, validCount, losses, runRequest }: HostileArchive) => {
      // Discards the delays of earlier tests.
      await health.slowest();
      const { importId } = await uploadImport(server, fileName, content);
      const preview = await server.call('GET', `/api/v2.6/owner/imports/${importId}/preview`);
      expect(preview.status, preview.text).toBe(200);
      const startReply = await startImport(server, importId, runRequest);
      expect(startReply.status, startReply.text).toBe(202);
      const job = await waitForImport(server, importId, 500_000);

      expect(job).toMatchObject({ state: 'done', error: null });
      expect(job.added).toBeGreaterThanOrEqual(validCount);
      const positions = job.problems.first.map(({ position }) => position);
      expect(losses.filter(({ covers }) => !positions.some(covers)).map(({ name }) => name)).toEqual([]);
      expect(await health.slowest(), 'milliseconds of the slowest /healthz').toBeLessThan(HEALTH_RESPONSE_MAX_MS);
      expect(server.stderr()).toBe('');
      expect(health.residentPeak()).toBeLessThan(RESIDENT_BYTES_MAX);
    },
  );
});
