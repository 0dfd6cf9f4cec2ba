import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { within } from './support/at-length.ts';
import { disagreements } from './support/database-check.ts';
import type { Callable } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runHere } from './support/run-command.ts';
import {
  beginServer,
  endProcesses,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
} from './support/server-process.ts';
import { brokenPromises, nothingPromised, startLoad, type Found } from './support/write-load.ts';

/** Kills in this run. The whole proof is made with PDA_KILLS=50. */
const KILLS = Number(process.env['PDA_KILLS'] ?? 2);
/** Then another takes its place: all that one of them was ever promised is held against what is there after each kill. */
const KILLS_OF_ONE = 50;
const WRITERS = 6;
/** Milliseconds of processor time that a start may take; or as many times those of the start after a stop in order, on a slow machine. */
const START_LIMIT_MS = 3000;
const START_LIMIT_TIMES = 4;

afterEach(endProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type Stored = { recordId: string; endpoint: string; data: { tag: string; text: string } };

const everything = async (server: Callable): Promise<Found> => {
  const found: Found = new Map();
  const sources = (await server.call('GET', '/api/v2.6/data/sources')).json as Record<string, string[]>;
  for (const rest of sources['load'] ?? []) {
    const reply = await server.call('GET', `/api/v2.6/data/load/${rest}?take=10000000`);
    for (const { recordId, endpoint, data } of reply.json as Stored[]) found.set(recordId, { endpoint, data });
  }
  return found;
};

/** Kills a server under load again and again, and holds what is there after each against what it had promised. */
const killAgainAndAgain = async (kills: number) => {
  const home = await newHome();
  const promised = nothingPromised();
  let server = await startServer(home);
  const limit = Math.max(START_LIMIT_MS, START_LIMIT_TIMES * server.startProcessorMs);
  let slowest = 0;
  for (let round = 1; round <= kills; round += 1) {
    const before = promised.answered;
    const load = startLoad(server, promised, WRITERS, round);
    await until(() => promised.answered > before, 'the first write is answered');
    await pause(Math.random() * 250);
    await server.kill();
    await load.ended;

    // Now and then the next start is cut off too.
    if (round % 2 === 0) {
      const cut = beginServer(home);
      await pause(Math.random() * 500);
      cut.child.kill('SIGKILL');
    }
    server = await startServer(home);
    slowest = Math.max(slowest, server.startProcessorMs);
    expect(server.startProcessorMs, 'processor time until the next start answers').toBeLessThan(limit);
    expect(brokenPromises(promised, await everything(server)), `after kill ${round}`).toEqual([]);
    expect(disagreements(home), `after kill ${round}`).toEqual([]);
  }
  await server.stop();
  const verified = await runHere(['verify', '--home', home]);
  expect(verified).toMatchObject({ code: 0, stdout: 'the database is sound\n' });
  return { answered: promised.answered, followed: promised.records.size, slowest };
};

describe('a server under write load', () => {
  it(
    `that is killed has every answered write, nothing by half, and answers again at once (${KILLS} kills)`,
    { timeout: within(60_000 + KILLS * 5000) },
    async () => {
      for (let left = KILLS; left > 0; left -= KILLS_OF_ONE) {
        const kills = Math.min(left, KILLS_OF_ONE);
        const { answered, followed, slowest } = await killAgainAndAgain(kills);
        console.log(
          `${kills} kills: ${answered} answered writes, ${followed} records followed, slowest start ${Math.round(slowest)} ms`,
        );
      }
    },
  );

  it('that is asked to stop under load stops in order, and every answered write is there', async () => {
    const home = await newHome();
    const promised = nothingPromised();
    const server = await startServer(home);
    const load = startLoad(server, promised, WRITERS, 0);
    await until(() => promised.answered > 50, 'writes are answered');
    expect(await server.stop()).toEqual({ code: 0, signal: null });
    await load.ended;
    expect(existsSync(join(home, 'running')), 'no check is needed').toBe(false);
    const next = await openHome(home);
    expect(brokenPromises(promised, await everything(next))).toEqual([]);
    await next.close();
    expect(disagreements(home)).toEqual([]);
  });
});
