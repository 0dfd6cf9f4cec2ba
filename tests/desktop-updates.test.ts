import Sqlite from 'better-sqlite3';
import { cpSync, existsSync, readFileSync, readdirSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverCommand, type Installation } from '../main/server/installation.ts';
import { createServerProcess, type ServerProcess } from '../main/server/process.ts';
import { createUpdateFile, type UpdateFile } from '../main/updates/update-file.ts';
import { createDatabaseCopies, type DatabaseCopies } from '../main/updates/server-copies.ts';
import { completeUpdate, type CompleteUpdateOptions } from '../main/updates/pending-update.ts';
import { createAppUpdates } from '../main/updates/app-updates.ts';
import { en } from '../main/texts/en.ts';
import { createUpdateFlow, type Question, type Updater, type UpdateFlow } from '../main/updates/update-flow.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';
import {
  createInstallation,
  CHECKOUT,
  migrationScript,
  NEW_VERSION,
  OLD_VERSION,
  PATIENT_LIMITS,
  REAL_SERVER,
  createStandInUpdater,
  signInAt,
  waitUntilRunning,
} from './support/desktop-app.ts';
import { findInconsistencies } from './support/database-check.ts';
import { newFolder, newHome, removeFolders, until } from './support/server-process.ts';

// Tests updates end to end with server processes and a real database. The installer, the owner and some servers are
// simulated.

let home: string;
let userData: string;
let file: UpdateFile;
let copies: DatabaseCopies;
let preservedServersFolder: string;
const runningServers: ServerProcess[] = [];

beforeEach(async () => {
  home = await newHome();
  userData = newFolder();
  preservedServersFolder = join(userData, 'servers');
  file = createUpdateFile(join(userData, 'update.json'));
  copies = createDatabaseCopies({ home, env: process.env });
});
afterEach(async () => {
  for (const server of runningServers.splice(0)) await server.close();
});
afterAll(removeFolders);

const countStarts = (): number => readFileSync(join(dirname(home), 'new-version-started'), 'utf8').length;

const serverOf = (installation: Installation): ServerProcess => {
  const command = serverCommand(installation, home, process.env, 0);
  const server = createServerProcess({ command, limits: PATIENT_LIMITS, texts: en });
  runningServers.push(server);
  return server;
};
const startAndWait = async (server: ServerProcess): Promise<string> => {
  server.start();
  return (await waitUntilRunning(server)).address;
};
const store = async (address: string, note: string): Promise<void> => {
  const reply = await fetch(`${address}/api/v2.6/data/diary/entries`, {
    method: 'POST',
    headers: { 'x-auth-token': await signInAt(address), 'content-type': 'application/json' },
    body: JSON.stringify({ note }),
  });
  expect(reply.status).toBe(201);
};
const notesAt = async (address: string): Promise<string[]> => {
  const headers = { 'x-auth-token': await signInAt(address) };
  const reply = await fetch(`${address}/api/v2.6/data/diary/entries?take=1000`, { headers });
  return ((await reply.json()) as { data: { note: string } }[]).map(({ data }) => data.note);
};

const openUpdates = (options: {
  updater: Updater | null;
  server?: ServerProcess;
  running?: Installation;
  answers?: boolean[];
}): { updates: UpdateFlow; questions: Question[] } => {
  const questions: Question[] = [];
  const remainingAnswers = [...(options.answers ?? [true, true])];
  const updates = createUpdateFlow({
    updater: options.updater,
    version: OLD_VERSION,
    file,
    running: options.running ?? createInstallation(REAL_SERVER),
    home,
    preservedServersFolder,
    copies,
    server: options.server ?? serverOf(CHECKOUT),
    texts: en,
    askOwner: async (question) => {
      questions.push(question);
      return remainingAnswers.shift() ?? false;
    },
  });
  return { updates, questions };
};

const RESPONDING_SERVER = `
  process.once('SIGTERM', () => process.exit(0));
  const server = process.getBuiltinModule('node:http').createServer((_, response) => response.end());
  server.listen(0, '127.0.0.1', () => console.log('pda listening on http://127.0.0.1:' + server.address().port));`;

/** Runs the startup steps of the new app. */
const startNewApp = (entry: string, overrides: Partial<CompleteUpdateOptions> = {}) =>
  completeUpdate({
    file,
    version: NEW_VERSION,
    ownInstallation: createInstallation(entry),
    preservedServersFolder,
    copies,
    commandOf: (installation) => serverCommand(installation, home, process.env, 0),
    texts: en,
    // Only a server that never responds reaches these limits, even on a slow machine.
    responseTimeoutMs: 600_000,
    healthTimeoutMs: 600_000,
    secondCheckDelayMs: 200,
    ...overrides,
  });

type PreparedScenario = {
  home: string;
  preservedServers: string;
  updater: Updater;
  questions: Question[];
  calls: string[];
  stateAtInstall: unknown;
};

/** A PDA whose owner agreed to the update and whose installer has run. It is created once and copied. */
let preparation: Promise<PreparedScenario> | undefined;
const prepare = async (): Promise<PreparedScenario> => {
  const server = serverOf(CHECKOUT);
  await store(await startAndWait(server), 'before the update');
  const { updater, calls } = createStandInUpdater();
  let stateAtInstall: unknown;
  updater.quitAndInstall = (...args) => {
    calls.push('install');
    expect(file.read()).toEqual({ phase: 'installing', ...preparedState() });
    stateAtInstall = [server.state().kind, existsSync(join(home, 'running')), args];
  };
  const { updates, questions } = openUpdates({ updater, server });
  await updates.check();
  const preparedFolders = { home: join(newFolder(), 'home'), preservedServers: join(newFolder(), 'servers') };
  cpSync(home, preparedFolders.home, { recursive: true });
  cpSync(preservedServersFolder, preparedFolders.preservedServers, { recursive: true });
  return { ...preparedFolders, updater, questions, calls, stateAtInstall };
};
const preparedState = () => ({
  from: OLD_VERSION,
  to: NEW_VERSION,
  preservedServer: join(preservedServersFolder, OLD_VERSION),
  copy: `before-${NEW_VERSION}`,
});
const installUpdate = async (): Promise<PreparedScenario> => {
  const preparedUpdate = await (preparation ??= prepare());
  home = join(newFolder(), 'home');
  userData = newFolder();
  preservedServersFolder = join(userData, 'servers');
  cpSync(preparedUpdate.home, home, { recursive: true });
  cpSync(preparedUpdate.preservedServers, preservedServersFolder, { recursive: true });
  file = createUpdateFile(join(userData, 'update.json'));
  copies = createDatabaseCopies({ home, env: process.env });
  file.write({ phase: 'installing', ...preparedState() });
  return preparedUpdate;
};

describe('an update', () => {
  it('asks at each step, stops the server gracefully, and copies data and server before the installer runs', async () => {
    const { updater, questions, calls, stateAtInstall } = await installUpdate();
    expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false, allowDowngrade: false });
    expect(questions.map(({ yes, no }) => [yes, no])).toEqual([
      ['Download', 'Not now'],
      ['Install', 'Later'],
    ]);
    expect(calls).toEqual(['check', 'download', 'install']);
    expect(stateAtInstall).toEqual(['stopped', false, [false, true]]);
    expect(readdirSync(preservedServersFolder)).toEqual([OLD_VERSION]);
    expect(readFileSync(join(preservedServersFolder, OLD_VERSION, 'server/pda/cli/main.js'), 'utf8')).toBe(REAL_SERVER);
    const copy = new Sqlite(join(home, 'backups', `copy-before-${NEW_VERSION}.sqlite`), { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM records').pluck().get()).toBeGreaterThan(0);
    copy.close();
  });

  it('downloads and installs nothing when the owner declines, and the server continues', async () => {
    const server = serverOf(createInstallation(RESPONDING_SERVER));
    await startAndWait(server);
    for (const [answers, expectedCalls, state] of [
      [[false], ['check'], 'idle'],
      [[true, false], ['check', 'download'], 'ready'],
    ] as const) {
      const { updater, calls } = createStandInUpdater();
      const { updates } = openUpdates({ updater, server, answers: [...answers] });
      await updates.check();
      expect(calls).toEqual(expectedCalls);
      expect(updates.state().kind).toBe(state);
    }
    expect(server.state().kind).toBe('running');
    expect(file.read().phase).toBe('settled');
  });

  it('is offered only if it is newer and an update server is configured', async () => {
    const { updater, calls } = createStandInUpdater(OLD_VERSION);
    const { updates, questions } = openUpdates({ updater });
    await updates.check();
    expect([calls, updates.state().kind, questions]).toEqual([['check'], 'up-to-date', []]);
    const { updates: unavailableUpdates } = openUpdates({ updater: null });
    await unavailableUpdates.check();
    await unavailableUpdates.install();
    expect(unavailableUpdates.state()).toEqual({ kind: 'unavailable', reason: en.updates.noSource });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'changes nothing if its check, download or installation fails; the server runs afterwards',
    async () => {
      const server = serverOf(createInstallation(RESPONDING_SERVER));
      await startAndWait(server);
      const rejectOffline = async (): Promise<never> => Promise.reject(new Error('no network'));
      for (const failingPart of [{ checkForUpdates: rejectOffline }, { downloadUpdate: rejectOffline }]) {
        const { updates } = openUpdates({ updater: { ...createStandInUpdater().updater, ...failingPart }, server });
        await updates.check();
        expect(updates.state()).toMatchObject({
          kind: 'failed',
          notice: { detail: expect.stringContaining('no network') as string },
        });
      }
      // The installer fails after all preparations.
      const { updater } = createStandInUpdater();
      updater.quitAndInstall = () => {
        throw new Error('not allowed');
      };
      const { updates } = openUpdates({ updater, server });
      await updates.check();
      expect(updates.state()).toMatchObject({
        kind: 'failed',
        notice: { message: `Version ${NEW_VERSION} was not installed` },
      });
      await until(() => server.state().kind === 'running', 'the server runs again');
      expect(file.read().phase).toBe('settled');
      expect(readdirSync(preservedServersFolder)).toEqual([]);
    },
  );
});

describe('disk space for an update', () => {
  it('is checked before anything is stopped', async () => {
    const server = serverOf(CHECKOUT);
    const { updater, calls } = createStandInUpdater();
    const { updates } = openUpdates({ updater, server });
    // Makes the database a sparse file larger than any disk, so that its copy does not fit.
    truncateSync(join(home, 'pda.sqlite'), 8_000_000_000_000);
    server.stop = () => Promise.reject(new Error('the server was stopped'));
    await updates.check();
    expect(calls).toEqual(['check', 'download']);
    expect(updates.state()).toMatchObject({
      kind: 'failed',
      notice: {
        detail: expect.stringMatching(
          /Not enough disk space: the update needs [\d,]+ MB, but only [\d,]+ MB is free/u,
        ) as string,
      },
    });
    expect(existsSync(preservedServersFolder) && readdirSync(preservedServersFolder).length > 0).toBe(false);
  });
});

describe('the new version', () => {
  it.skipIf(!IS_THOROUGH_RUN)('is confirmed once it is healthy, and the preserved old server is removed', async () => {
    await installUpdate();
    const { installation, notice } = await startNewApp(REAL_SERVER);
    expect(notice?.message).toBe(`Your PDA was updated to version ${NEW_VERSION}`);
    expect(file.read().phase).toBe('settled');
    expect(readdirSync(preservedServersFolder)).toEqual([]);
    expect(await notesAt(await startAndWait(serverOf(installation ?? CHECKOUT)))).toEqual(['before the update']);
  });

  const expectRollback = async (script: string, reason: string): Promise<void> => {
    await installUpdate();
    // Even on a slow machine, the server exits before the second check.
    const { installation, notice } = await startNewApp(migrationScript(script), { secondCheckDelayMs: 600_000 });
    expect(countStarts(), 'number of starts').toBe(2);
    expect(installation?.root).toBe(join(preservedServersFolder, OLD_VERSION));
    expect(notice?.message).toBe(`Your PDA went back to version ${OLD_VERSION}`);
    expect(notice?.detail).toContain(reason);
    expect(notice?.detail).toContain('restored the copy');

    const setAsideName = readdirSync(join(home, 'backups')).find((name) => name.startsWith('set-aside-'));
    const setAsideDatabase = new Sqlite(join(home, 'backups', setAsideName ?? ''), { readonly: true });
    expect(setAsideDatabase.pragma('user_version', { simple: true }), 'the migrated database is kept').toBe(9999);
    setAsideDatabase.close();
  };

  it('that exits before it responds is rolled back after a second attempt, with its data', () =>
    expectRollback(`process.exit(3)`, 'exited with code 3'));

  it.skipIf(!IS_THOROUGH_RUN).each([
    ['reports that it is unhealthy', `serve(503)`, 'health check failed (503)'],
    ['responds once and exits', `serve(200, () => setTimeout(() => process.exit(4), 20))`, 'exited with code 4'],
  ])('that %s is rolled back after a second attempt, with its data', (_, script, reason) =>
    expectRollback(script, reason),
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'is not tried again after a rollback: the new app runs the working server and does not change the data',
    async () => {
      await installUpdate();
      const { installation } = await startNewApp(migrationScript(`process.exit(3)`));
      const server = serverOf(installation ?? CHECKOUT);
      const address = await startAndWait(server);
      expect(await notesAt(address)).toEqual(['before the update']);
      await store(address, 'after the rollback');
      await server.close();
      expect(findInconsistencies(home)).toEqual([]);
      const secondStart = await startNewApp(migrationScript(`process.exit(3)`));
      expect([secondStart.installation?.root, secondStart.notice, countStarts()]).toEqual([
        join(preservedServersFolder, OLD_VERSION),
        null,
        2,
      ]);
      expect(await notesAt(await startAndWait(serverOf(secondStart.installation ?? CHECKOUT)))).toEqual([
        'before the update',
        'after the rollback',
      ]);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'is replaced by the next version after a rollback, and that version can fall back to the previous server',
    async () => {
      await installUpdate();
      const { installation } = await startNewApp(`process.exit(3)`);
      const app = createAppUpdates({
        userData,
        home,
        version: NEW_VERSION,
        ownInstallation: createInstallation(`process.exit(3)`),
        env: process.env,
        findStartObstacle: () => null,
        texts: en,
        onLog: () => undefined,
        timeouts: { secondCheckDelayMs: 100 },
      });
      expect(app.isSettled()).toBe(false);
      const outcome = await app.completeUpdate(new AbortController().signal);
      expect(outcome.installation).toEqual(installation);

      const { updater, calls } = createStandInUpdater('0.3.0');
      const runningInstallation = outcome.installation ?? CHECKOUT;
      const updates = app.createFlow({
        updater,
        running: runningInstallation,
        server: serverOf(runningInstallation),
        askOwner: () => Promise.resolve(true),
      });
      await updates.check();
      expect(calls).toEqual(['check', 'download', 'install']);
      expect(file.read()).toEqual({
        phase: 'installing',
        from: OLD_VERSION,
        to: '0.3.0',
        preservedServer: join(preservedServersFolder, OLD_VERSION),
        copy: 'before-0.3.0',
      });
      const nextUpdate = await startNewApp(RESPONDING_SERVER, { version: '0.3.0' });
      expect(nextUpdate.notice?.message).toBe('Your PDA was updated to version 0.3.0');
      expect(app.isSettled()).toBe(true);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('leaves the database unchanged if it fails without touching it', async () => {
    await installUpdate();
    const { notice } = await startNewApp(`process.exit(3)`);
    expect(notice?.detail).toContain('the database was not changed');
    expect(readdirSync(join(home, 'backups'))).toEqual([`copy-before-${NEW_VERSION}.sqlite`]);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is rolled back at the next start after two power failures', async () => {
    await installUpdate();
    file.write({ phase: 'proving', ...preparedState(), attempts: 2 });
    const { installation, notice } = await startNewApp(migrationScript(`process.exit(3)`));
    expect(installation?.root).toBe(join(preservedServersFolder, OLD_VERSION));
    expect(notice?.detail).toContain('second test');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'is not rolled back if another process uses the home, and is verified at the next start',
    async () => {
      await installUpdate();
      const otherServer = serverOf(CHECKOUT);
      await startAndWait(otherServer);
      const { installation, notice } = await startNewApp(REAL_SERVER);
      expect([installation?.root === join(preservedServersFolder, OLD_VERSION), notice]).toEqual([false, null]);
      expect(file.read()).toMatchObject({ phase: 'proving', attempts: 0 });
      await otherServer.close();
      expect((await startNewApp(RESPONDING_SERVER)).notice?.message).toBe(
        `Your PDA was updated to version ${NEW_VERSION}`,
      );
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)('is not rolled back when the owner quits midway', async () => {
    await installUpdate();
    const quit = new AbortController();
    const completion = startNewApp(REAL_SERVER, { secondCheckDelayMs: 600_000, quit: quit.signal });
    await until(
      () => file.read().phase === 'proving' && existsSync(join(home, 'running')),
      'the new version is being verified',
    );
    quit.abort();
    expect(await completion).toEqual({ installation: null, notice: null });
    expect(file.read()).toMatchObject({ phase: 'proving', attempts: 0 });
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'reports that its rollback failed too, and is rolled back at the next start',
    async () => {
      await installUpdate();
      const failingCopies: DatabaseCopies = {
        ...copies,
        restore: () => Promise.reject(new Error('no space left on the disk')),
      };
      const firstStart = await startNewApp(migrationScript(`process.exit(3)`), { copies: failingCopies });
      expect(firstStart.installation).toBeNull();
      expect(firstStart.notice?.detail).toContain('no space left on the disk');
      const secondStart = await startNewApp(migrationScript(`process.exit(3)`));
      expect(secondStart.notice?.message).toBe(`Your PDA went back to version ${OLD_VERSION}`);
    },
  );
});
