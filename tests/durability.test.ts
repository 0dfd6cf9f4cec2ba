import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { recordVersionListSchema } from '../server/wire/record-versions.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import {
  spawnServer,
  killProcesses,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
} from './support/server-process.ts';
import { recordOf } from './support/test-pda.ts';
import { findViolations, createWrittenRecords, startWriters, type StoredRecords } from './support/write-load.ts';

/** Number of kills; `npm run test:long` uses more. */
const KILLS = Number(process.env['PDA_KILLS'] ?? 1);
/**
 * Number of kills after which a new home is used. After each kill, all acknowledged records of the home are compared
 * with the stored ones. The more records a home has, the longer this comparison takes.
 */
const KILLS_PER_HOME = 50;
const WRITERS = 6;
/**
 * Maximum CPU time of a start after a kill: `START_CPU_MAX_MS`, or on a slow machine `START_CPU_MAX_FACTOR` times the
 * CPU time of a start after a clean stop.
 */
const START_CPU_MAX_MS = 3000;
const START_CPU_MAX_FACTOR = 4;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type StoredRecord = { recordId: string; endpoint: string; data: { tag: string; text: string } };

const readAll = async (server: OwnerClient): Promise<StoredRecords> => {
  const records: StoredRecords = new Map();
  const sources = (await server.call('GET', '/api/v2.6/data/sources')).json as Record<string, string[]>;
  for (const name of sources['load'] ?? []) {
    const reply = await server.call('GET', `/api/v2.6/data/load/${name}?take=10000000`);
    for (const { recordId, endpoint, data } of reply.json as StoredRecord[]) records.set(recordId, { endpoint, data });
  }
  return records;
};

/** Kills a server under load repeatedly and compares the stored records with the acknowledged ones after each kill. */
const killRepeatedly = async (kills: number) => {
  const home = await newHome();
  const writtenRecords = createWrittenRecords();
  let server = await startServer(home);
  const startCpuMaxMs = Math.max(START_CPU_MAX_MS, START_CPU_MAX_FACTOR * server.startupCpuMs);
  let slowestStartMs = 0;
  for (let round = 1; round <= kills; round += 1) {
    const previousCount = writtenRecords.acknowledgedSteps;
    const load = startWriters(server, writtenRecords, WRITERS, round);
    await until(() => writtenRecords.acknowledgedSteps > previousCount, 'the first write is acknowledged');
    await pause(Math.random() * 250);
    await server.kill();
    await load.ended;

    // In every other round, the next start is killed too.
    if (round % 2 === 0) {
      const startingServer = spawnServer(home);
      await pause(Math.random() * 500);
      const exited = once(startingServer.child, 'exit');
      startingServer.child.kill('SIGKILL');
      await exited;
    }
    server = await startServer(home);
    slowestStartMs = Math.max(slowestStartMs, server.startupCpuMs);
    expect(server.startupCpuMs, 'CPU time until the restarted server responds').toBeLessThan(startCpuMaxMs);
    expect(findViolations(writtenRecords, await readAll(server)), `after kill ${round}`).toEqual([]);
    expect(findInconsistencies(home), `after kill ${round}`).toEqual([]);
  }
  await server.stop();
  const verification = await runInProcess(['verify', '--home', home]);
  expect(verification).toMatchObject({ code: 0, stdout: 'the database is sound\n' });
  return {
    acknowledgedCount: writtenRecords.acknowledgedSteps,
    recordCount: writtenRecords.records.size,
    slowestStartMs,
  };
};

describe('a server', () => {
  it(
    `keeps every acknowledged write when it is killed under load, and restarts within a CPU time limit (kills: ${KILLS})`,
    { timeout: testTimeout(60_000 + KILLS * 5000) },
    async () => {
      for (let remaining = KILLS; remaining > 0; remaining -= KILLS_PER_HOME) {
        const kills = Math.min(remaining, KILLS_PER_HOME);
        const { acknowledgedCount, recordCount, slowestStartMs } = await killRepeatedly(kills);
        console.log(
          `${kills} kills: ${acknowledgedCount} acknowledged writes, ${recordCount} records checked, slowest start ${Math.round(slowestStartMs)} ms CPU`,
        );
      }
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'keeps the replaced data as a version when it is killed after it acknowledged the update',
    async () => {
      const home = await newHome();
      const server = await startServer(home);
      const createdRecord = recordOf(await server.call('POST', '/api/v2.6/data/load/one', { json: { tag: 'first' } }));
      const { endpoint, recordId } = createdRecord;
      const updateReply = await server.call('PUT', '/api/v2.6/data', {
        json: [{ endpoint, recordId, data: { tag: 'second' } }],
      });
      expect(updateReply.status).toBe(201);
      await server.kill();
      const restartedServer = await startServer(home);
      const path = `/api/v2.6/owner/records/${recordId}/versions`;
      const { versions } = recordVersionListSchema.parse((await restartedServer.call('GET', path)).json);
      expect(versions).toHaveLength(1);
      const version = await restartedServer.call('GET', `${path}/${versions[0]?.versionId ?? 0}`);
      expect(version.json).toMatchObject({ data: { tag: 'first' }, storedBy: { kind: 'owner' } });
      expect(findInconsistencies(home)).toEqual([]);
      await restartedServer.stop();
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('stops gracefully under load and keeps every acknowledged write', async () => {
    const home = await newHome();
    const writtenRecords = createWrittenRecords();
    const server = await startServer(home);
    const load = startWriters(server, writtenRecords, WRITERS, 0);
    await until(() => writtenRecords.acknowledgedSteps > 50, 'writes are acknowledged');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await load.ended;
    expect(existsSync(join(home, 'running')), 'no check is needed').toBe(false);
    const restartedServer = await openHome(home);
    expect(findViolations(writtenRecords, await readAll(restartedServer))).toEqual([]);
    await restartedServer.close();
    expect(findInconsistencies(home)).toEqual([]);
  });
});
