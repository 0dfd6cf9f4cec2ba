import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { createPda } from '../server/pda/pda.ts';
import { silentLog } from '../server/platform/log.ts';
import { ERASURE_STEPS } from '../server/wire/erasure-steps.ts';
import type { Erasure } from '../server/wire/erasure.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { newCanary, findCanaries } from './support/home-search.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import {
  spawnServer,
  killProcesses,
  newFolder,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
} from './support/server-process.ts';
import { OWNER } from './support/test-pda.ts';
import { createWrittenRecords, startWriters } from './support/write-load.ts';

// Kills the server process during erasures, and erases during other writes.

const ERASURES = '/api/v2.6/owner/erasures';
const FILLER = 'lorem ipsum dolor sit amet '.repeat(20);
/** Number of kills; `npm run test:long` uses more, so that each step is interrupted several times. */
const KILLS = Number(process.env['PDA_KILLS'] ?? 2);
const TEST_TIMEOUT_MS = testTimeout(600_000);

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

const requestErasure = async (server: OwnerClient, json: object): Promise<Erasure> => {
  const reply = await server.call('POST', ERASURES, { json: { password: OWNER.password, ...json } });
  if (reply.status !== 202) throw new Error(`${reply.status} ${reply.text}`);
  return reply.json as Erasure;
};
const readNewestErasure = async (server: OwnerClient): Promise<Erasure | undefined> =>
  ((await server.call('GET', ERASURES)).json as Erasure[])[0];
const waitUntilDone = (server: OwnerClient): Promise<Erasure> =>
  until(async () => {
    const erasure = await readNewestErasure(server);
    return erasure?.state === 'done' ? erasure : undefined;
  }, 'the erasure is done');

/** Returns the current step of the erasure as stored on the disk; undefined if the erasure is done. */
const stepOf = (home: string): string | undefined => {
  const db = new Sqlite(join(home, 'pda.sqlite'), { readonly: true, timeout: 60_000 });
  try {
    return db.prepare<[], string>('SELECT step FROM erasures WHERE step IS NOT NULL').pluck().get();
  } finally {
    db.close();
  }
};
/** Returns true if the erasure has reached or passed the step. Some steps may begin and end between two polls. */
const hasReached = (home: string, step: string): boolean => {
  const steps: readonly string[] = ERASURE_STEPS;
  const reachedStep = stepOf(home);
  return reachedStep === undefined || steps.indexOf(reachedStep) >= steps.indexOf(step);
};

/** Stores records that contain the word at several endpoints, and deletes some in a way that can be undone. */
const storeWord = async (server: OwnerClient, word: string, endpointCount = 4): Promise<void> => {
  await server.call('POST', '/api/v2.6/combinator/found', {
    json: [
      {
        endpoint: 'diary/days0',
        filters: [
          {
            field: 'text',
            transformation: { transformation: 'searchable' },
            operator: { operator: 'find', search: 'x' },
          },
        ],
      },
    ],
  });
  for (let index = 0; index < endpointCount; index += 1) {
    const json = Array.from({ length: 500 }, (_, n) => ({ n, text: `${word} ${n} ${FILLER}` }));
    const reply = await server.call('POST', `/api/v2.6/data/diary/days${index}`, { json });
    if (reply.status !== 201) throw new Error(reply.text);
    const someIds = (reply.json as { recordId: string }[]).slice(0, 200).map(({ recordId }) => recordId);
    await server.call('POST', '/api/v2.6/owner/deletions', { json: { records: someIds } });
  }
  await server.call('POST', '/api/v2.6/owner/deletions', { json: { endpoint: 'diary/days1' } });
};

const waitForever = (): Promise<never> => new Promise(() => undefined);

describe('erasure', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    `completes even if the server is killed repeatedly (kills: ${KILLS})`,
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const home = await newHome();
      const word = newCanary('killed');
      let startedErasure: Erasure;
      let stepsAtKill: string[];
      let erasureCount = 0;
      // A kill after the end of an erasure tests nothing. If most kills came too late, another erasure is started.
      do {
        let startingServer = spawnServer(home);
        const server = await startingServer.ready;
        await server.signIn();
        await server.call('POST', '/api/v2.6/data/kept/notes', { json: [{ text: 'kept' }] });
        await storeWord(server, word);
        startedErasure = await requestErasure(server, { kind: 'namespace', target: 'diary', typed: 'diary' });
        erasureCount += 1;
        stepsAtKill = [];
        for (let kill = 0; kill < KILLS; kill += 1) {
          const targetStep = ERASURE_STEPS[Math.round((kill * (ERASURE_STEPS.length - 1)) / (KILLS - 1))] ?? 'scrub';
          const { child, ready } = startingServer;
          // If the server cannot start, the test fails with the reason instead of a timeout.
          await Promise.race([
            until(() => hasReached(home, targetStep), `the erasure has reached ${targetStep}`),
            ready.then(waitForever),
          ]);
          // Every other kill is at a random moment after the step began.
          await pause(kill % 2 === 0 ? 0 : Math.random() * 40);
          child.kill('SIGKILL');
          await killProcesses();
          stepsAtKill.push(stepOf(home) ?? 'done');
          if (kill < KILLS - 1) startingServer = spawnServer(home);
        }
      } while (stepsAtKill.filter((step) => step !== 'done').length <= KILLS / 2);
      const restartedServer = await openHome(home);
      const finishedErasure = await waitUntilDone(restartedServer);
      expect(finishedErasure).toMatchObject({ erasureId: startedErasure.erasureId, state: 'done', problem: null });
      expect(((await restartedServer.call('GET', '/api/v2.6/data/kept/notes')).json as unknown[]).length).toBe(
        erasureCount,
      );
      await restartedServer.close();
      expect(findCanaries(home, [word])).toEqual([]);
      expect(findInconsistencies(home)).toEqual([]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'leaves nothing behind, and loses none of the writes that run concurrently',
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const home = await newHome();
      const word = newCanary('loaded');
      const server = await openHome(home);
      await storeWord(server, word, 2);
      const writtenRecords = createWrittenRecords();
      const load = startWriters(server, writtenRecords, 2, 1);
      await until(() => writtenRecords.acknowledgedSteps > 20, 'writes are acknowledged');
      const previousCount = writtenRecords.acknowledgedSteps;
      await requestErasure(server, { kind: 'namespace', target: 'diary', typed: 'diary' });
      await waitUntilDone(server);
      expect(writtenRecords.acknowledgedSteps).toBeGreaterThan(previousCount);
      load.stop();
      await load.ended;
      const certainRecords = [...writtenRecords.records].filter(
        ([, { allowed }]) => allowed.length === 1 && allowed[0] !== undefined,
      );
      expect(certainRecords.length).toBeGreaterThan(0);
      const storedIds = new Set<string>();
      for (const endpoint of new Set(certainRecords.map(([, writtenRecord]) => writtenRecord.endpoint))) {
        const list = (await server.call('GET', `/api/v2.6/data/${endpoint}?take=1000000`)).json;
        for (const { recordId } of list as { recordId: string }[]) storedIds.add(recordId);
      }
      expect(certainRecords.filter(([id]) => !storedIds.has(id))).toEqual([]);
      await server.close();
      expect(findCanaries(home, [word])).toEqual([]);
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});

describe('erasing everything', () => {
  it(
    'leaves an empty home that can be set up again at the same address, and a report',
    { timeout: TEST_TIMEOUT_MS },
    async () => {
      const home = await newHome();
      const word = newCanary('everything');
      const server = await startServer(home);
      await storeWord(server, word, 2);
      writeFileSync(join(home, 'files', `${word}.txt`), word);
      writeFileSync(join(home, 'backups', 'copy-1.sqlite'), word);
      const startedErasure = await requestErasure(server, { kind: 'everything', typed: OWNER.name });
      expect(startedErasure).toMatchObject({ kind: 'everything', state: 'running', what: { records: 300 } });
      const statusReply = await until(async () => {
        const reply = await server.call('GET', '/api/v2.6/owner/setup').catch(() => undefined);
        return (reply?.json as { state?: string } | undefined)?.state === 'waiting' ? reply : undefined;
      }, 'the PDA waits for its setup');
      expect(statusReply.status).toBe(200);
      const setupReply = await server.call('POST', '/api/v2.6/owner/setup', {
        json: { code: startedErasure.setUpCode, name: 'grace', password: 'another horse battery staple' },
        headers: { 'x-auth-token': '' },
      });
      expect(setupReply.status).toBe(201);
      const token = (setupReply.json as { accessToken: string }).accessToken;
      const reports = await server.call('GET', ERASURES, { headers: { 'x-auth-token': token } });
      expect(reports.json).toMatchObject([
        { erasureId: startedErasure.erasureId, kind: 'everything', state: 'done', what: startedErasure.what },
      ]);
      await server.stop();
      expect(findCanaries(home, [word])).toEqual([]);
      expect(readdirSync(join(home, 'files'))).toEqual([]);
    },
  );

  it('is completed by the next start when the server is killed', { timeout: TEST_TIMEOUT_MS }, async () => {
    const runningHome = await newHome();
    const word = newCanary('everything');
    const server = await openHome(runningHome, { onEraseEverything: () => undefined });
    await storeWord(server, word, 1);
    await requestErasure(server, { kind: 'everything', typed: OWNER.name });
    // The files of the open home equal the files of a server killed at this moment. A separate process could
    // already have erased something.
    const home = join(newFolder(), 'home');
    cpSync(runningHome, home, { recursive: true });
    await server.close();
    expect(findCanaries(home, [word])).not.toEqual([]);
    // Simulates a start that was interrupted midway: some files are gone, but the marker still exists.
    expect(readFileSync(join(home, 'erase-everything.json'), 'utf8')).not.toContain(word);
    rmSync(join(home, 'pda.sqlite'));
    writeFileSync(join(home, 'uploads', 'leftover'), word);
    const restartedServer = await createPda({ home, log: silentLog() });
    expect(restartedServer.owner.setupCode()).toBeDefined();
    await restartedServer.close();
    expect(findCanaries(home, [word])).toEqual([]);
  });

  it('is not started, and the home is not opened, if the stored request is damaged', async () => {
    const home = await newHome();
    const marker = join(home, 'erase-everything.json');
    for (const content of ['{"id":', '{}']) {
      writeFileSync(marker, content);
      await expect(createPda({ home, log: silentLog() })).rejects.toThrow(`${marker} requests the erasure of this PDA`);
    }
    rmSync(marker);
    const pda = await createPda({ home, log: silentLog() });
    expect(pda.owner.isSetUp()).toBe(true);
    await pda.close();
  });
});
