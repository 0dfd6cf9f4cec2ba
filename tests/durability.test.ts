import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { testTimeout } from './support/at-length.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { Callable } from './support/import-over-http.ts';
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
import { findViolations, createWrittenRecords, startWriters, type StoredRecords } from './support/write-load.ts';

/** Number of kills in this run. The full test uses PDA_KILLS=50. */
const KILLS = Number(process.env['PDA_KILLS'] ?? 2);
/**
 * Kills per server home; then a new one is used. After each kill, everything ever acknowledged is compared with the
 * stored records.
 */
const KILLS_PER_HOME = 50;
const WRITERS = 6;
/**
 * Limit of the CPU time of a start in milliseconds, or of its multiple of the start after a clean stop on a slow
 * machine.
 */
const START_LIMIT_MS = 3000;
const START_LIMIT_TIMES = 4;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type StoredRecord = { recordId: string; endpoint: string; data: { tag: string; text: string } };

const readAll = async (server: Callable): Promise<StoredRecords> => {
  const records: StoredRecords = new Map();
  const sources = (await server.call('GET', '/api/v2.6/data/sources')).json as Record<string, string[]>;
  for (const rest of sources['load'] ?? []) {
    const reply = await server.call('GET', `/api/v2.6/data/load/${rest}?take=10000000`);
    for (const { recordId, endpoint, data } of reply.json as StoredRecord[]) records.set(recordId, { endpoint, data });
  }
  return records;
};

/** Kills a server under load repeatedly and compares the stored records with the acknowledged ones after each kill. */
const killRepeatedly = async (kills: number) => {
  const home = await newHome();
  const promised = createWrittenRecords();
  let server = await startServer(home);
  const limit = Math.max(START_LIMIT_MS, START_LIMIT_TIMES * server.startupCpuMs);
  let slowest = 0;
  for (let round = 1; round <= kills; round += 1) {
    const before = promised.acknowledged;
    const load = startWriters(server, promised, WRITERS, round);
    await until(() => promised.acknowledged > before, 'the first write is answered');
    await pause(Math.random() * 250);
    await server.kill();
    await load.ended;

    // Sometimes the next start is killed too.
    if (round % 2 === 0) {
      const starting = spawnServer(home);
      await pause(Math.random() * 500);
      starting.child.kill('SIGKILL');
    }
    server = await startServer(home);
    slowest = Math.max(slowest, server.startupCpuMs);
    expect(server.startupCpuMs, 'processor time until the next start answers').toBeLessThan(limit);
    expect(findViolations(promised, await readAll(server)), `after kill ${round}`).toEqual([]);
    expect(findInconsistencies(home), `after kill ${round}`).toEqual([]);
  }
  await server.stop();
  const verified = await runInProcess(['verify', '--home', home]);
  expect(verified).toMatchObject({ code: 0, stdout: 'the database is sound\n' });
  return { answered: promised.acknowledged, followed: promised.records.size, slowest };
};

describe('a server under write load', () => {
  it(
    `keeps every acknowledged write completely when it is killed, and responds again immediately (${KILLS} kills)`,
    { timeout: testTimeout(60_000 + KILLS * 5000) },
    async () => {
      for (let remaining = KILLS; remaining > 0; remaining -= KILLS_PER_HOME) {
        const kills = Math.min(remaining, KILLS_PER_HOME);
        const { answered, followed, slowest } = await killRepeatedly(kills);
        console.log(
          `${kills} kills: ${answered} answered writes, ${followed} records followed, slowest start ${Math.round(slowest)} ms`,
        );
      }
    },
  );

  it('stops gracefully under load and keeps every acknowledged write', async () => {
    const home = await newHome();
    const promised = createWrittenRecords();
    const server = await startServer(home);
    const load = startWriters(server, promised, WRITERS, 0);
    await until(() => promised.acknowledged > 50, 'writes are answered');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await load.ended;
    expect(existsSync(join(home, 'running')), 'no check is needed').toBe(false);
    const next = await openHome(home);
    expect(findViolations(promised, await readAll(next))).toEqual([]);
    await next.close();
    expect(findInconsistencies(home)).toEqual([]);
  });
});
