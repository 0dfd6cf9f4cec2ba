import Sqlite from 'better-sqlite3';
import { cpSync, existsSync, readFileSync, readdirSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { serverCommand, type Parts } from '../main/server/installation.ts';
import { createServerProcess, type ServerProcess } from '../main/server/process.ts';
import { createUpdateFile, type UpdateFile } from '../main/updates/update-file.ts';
import { createCopies, type Copies } from '../main/updates/server-copies.ts';
import { completeUpdate, type CompleteUpdateParts } from '../main/updates/pending-update.ts';
import { createAppUpdates } from '../main/updates/app-updates.ts';
import { en } from '../main/texts/en.ts';
import { createUpdates, type Question, type Updater, type Updates } from '../main/updates/update-flow.ts';
import { THOROUGH } from './support/at-length.ts';
import {
  appWith,
  CHECKOUT,
  migrateThen,
  NEW,
  OLD,
  REAL,
  standIn,
  tokenAt,
  waitUntilRunning,
} from './support/desktop-app.ts';
import { findInconsistencies } from './support/database-check.ts';
import { newFolder, newHome, removeFolders, until } from './support/server-process.ts';

/**
 * An update from end to end, with real servers and a real database. Only the installer and the owner are simulated.
 */

let home: string;
let userData: string;
let file: UpdateFile;
let copies: Copies;
let copiesFolder: string;
const running: ServerProcess[] = [];

beforeEach(async () => {
  home = await newHome();
  userData = newFolder();
  copiesFolder = join(userData, 'servers');
  file = createUpdateFile(join(userData, 'update.json'));
  copies = createCopies({ home, env: process.env });
});
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});
afterAll(removeFolders);

const beginnings = (): number => readFileSync(join(dirname(home), 'new-version-started'), 'utf8').length;

const serverOf = (parts: Parts): ServerProcess => {
  const server = createServerProcess({ command: serverCommand(parts, home, process.env, 0), texts: en });
  running.push(server);
  return server;
};
const startAndWait = async (server: ServerProcess): Promise<string> => {
  server.start();
  return (await waitUntilRunning(server)).address;
};
const store = async (address: string, note: string): Promise<void> => {
  const reply = await fetch(`${address}/api/v2.6/data/diary/entries`, {
    method: 'POST',
    headers: { 'x-auth-token': await tokenAt(address), 'content-type': 'application/json' },
    body: JSON.stringify({ note }),
  });
  expect(reply.status).toBe(201);
};
const notesAt = async (address: string): Promise<string[]> => {
  const headers = { 'x-auth-token': await tokenAt(address) };
  const reply = await fetch(`${address}/api/v2.6/data/diary/entries?take=1000`, { headers });
  return ((await reply.json()) as { data: { note: string } }[]).map(({ data }) => data.note);
};

const updatesWith = (options: {
  updater: Updater | null;
  server?: ServerProcess;
  running?: Parts;
  answers?: boolean[];
}): { updates: Updates; questions: Question[] } => {
  const questions: Question[] = [];
  const responses = [...(options.answers ?? [true, true])];
  const updates = createUpdates({
    updater: options.updater,
    version: OLD,
    file,
    running: options.running ?? appWith(REAL),
    home,
    keptFolder: copiesFolder,
    copies,
    server: options.server ?? serverOf(CHECKOUT),
    texts: en,
    ask: async (question) => {
      questions.push(question);
      return responses.shift() ?? false;
    },
  });
  return { updates, questions };
};

/** A server that does nothing but respond. */
const RESPONDING_SERVER = `
  process.once('SIGTERM', () => process.exit(0));
  const server = process.getBuiltinModule('node:http').createServer((_, response) => response.end());
  server.listen(0, '127.0.0.1', () => console.log('pda listening on http://127.0.0.1:' + server.address().port));`;

/** Runs the steps of the new app at its start. */
const startOfNewApp = (entry: string, overrides: Partial<CompleteUpdateParts> = {}) =>
  completeUpdate({
    file,
    version: NEW,
    ownParts: appWith(entry),
    keptFolder: copiesFolder,
    copies,
    commandOf: (parts) => serverCommand(parts, home, process.env, 0),
    texts: en,
    // A slow machine must not look like a server that does not respond.
    responseTimeoutMs: 600_000,
    healthMs: 600_000,
    stillAfterMs: 200,
    ...overrides,
  });

type PreparedScenario = {
  home: string;
  kept: string;
  updater: Updater;
  questions: Question[];
  calls: string[];
  atInstall: unknown;
};

/** A PDA whose owner agreed to the update and whose installer has run. Created once and copied. */
let prepared: Promise<PreparedScenario> | undefined;
const prepare = async (): Promise<PreparedScenario> => {
  const server = serverOf(CHECKOUT);
  await store(await startAndWait(server), 'before the update');
  const { updater, calls } = standIn();
  let atInstall: unknown;
  updater.quitAndInstall = (...args) => {
    calls.push('install');
    expect(file.read()).toEqual({ phase: 'installing', ...whatWasPrepared() });
    atInstall = [server.state().kind, existsSync(join(home, 'running')), args];
  };
  const { updates, questions } = updatesWith({ updater, server });
  await updates.check();
  const pristine = { home: join(newFolder(), 'home'), kept: join(newFolder(), 'kept') };
  cpSync(home, pristine.home, { recursive: true });
  cpSync(copiesFolder, pristine.kept, { recursive: true });
  return { ...pristine, updater, questions, calls, atInstall };
};
const whatWasPrepared = () => ({ from: OLD, to: NEW, kept: join(copiesFolder, OLD), copy: `before-${NEW}` });
const installed = async (): Promise<PreparedScenario> => {
  const preparedUpdate = await (prepared ??= prepare());
  home = join(newFolder(), 'home');
  userData = newFolder();
  copiesFolder = join(userData, 'servers');
  cpSync(preparedUpdate.home, home, { recursive: true });
  cpSync(preparedUpdate.kept, copiesFolder, { recursive: true });
  file = createUpdateFile(join(userData, 'update.json'));
  copies = createCopies({ home, env: process.env });
  file.write({ phase: 'installing', ...whatWasPrepared() });
  return preparedUpdate;
};

describe('an update', () => {
  it('asks at each step, stops the server gracefully, and copies data and server before the installer runs', async () => {
    const { updater, questions, calls, atInstall } = await installed();
    expect(updater).toMatchObject({ autoDownload: false, autoInstallOnAppQuit: false, allowDowngrade: false });
    expect(questions.map(({ yes, no }) => [yes, no])).toEqual([
      ['Download', 'Not now'],
      ['Install', 'Later'],
    ]);
    expect(calls).toEqual(['check', 'download', 'install']);
    expect(atInstall).toEqual(['stopped', false, [false, true]]);
    expect(readdirSync(copiesFolder)).toEqual([OLD]);
    expect(readFileSync(join(copiesFolder, OLD, 'server/pda/cli/main.ts'), 'utf8')).toBe(REAL);
    const copy = new Sqlite(join(home, 'backups', `copy-before-${NEW}.sqlite`), { readonly: true });
    expect(copy.prepare('SELECT count(*) FROM records').pluck().get()).toBeGreaterThan(0);
    copy.close();
  });

  it('downloads and installs nothing when the owner declines, and the server continues', async () => {
    const server = serverOf(appWith(RESPONDING_SERVER));
    await startAndWait(server);
    for (const [responses, wanted, state] of [
      [[false], ['check'], 'idle'],
      [[true, false], ['check', 'download'], 'ready'],
    ] as const) {
      const { updater, calls } = standIn();
      const { updates } = updatesWith({ updater, server, answers: [...responses] });
      await updates.check();
      expect(calls).toEqual(wanted);
      expect(updates.state().kind).toBe(state);
    }
    expect(server.state().kind).toBe('running');
    expect(file.read().phase).toBe('settled');
  });

  it('is not offered if it is not newer, or without an update server', async () => {
    const { updater, calls } = standIn(OLD);
    const { updates, questions } = updatesWith({ updater });
    await updates.check();
    expect([calls, updates.state().kind, questions]).toEqual([['check'], 'newest', []]);
    const { updates: quiet } = updatesWith({ updater: null });
    await quiet.check();
    await quiet.install();
    expect(quiet.state()).toEqual({ kind: 'unavailable', why: en.updates.noPlace });
  });

  it('changes nothing if it cannot be checked, downloaded or prepared, and the server runs', async () => {
    const server = serverOf(appWith(RESPONDING_SERVER));
    await startAndWait(server);
    const fails = async (): Promise<never> => Promise.reject(new Error('no network'));
    for (const brokenVersion of [{ checkForUpdates: fails }, { downloadUpdate: fails }]) {
      const { updates } = updatesWith({ updater: { ...standIn().updater, ...brokenVersion }, server });
      await updates.check();
      expect(updates.state()).toMatchObject({
        kind: 'failed',
        notice: { detail: expect.stringContaining('no network') as string },
      });
    }
    // The installer fails after all preparations.
    const { updater } = standIn();
    updater.quitAndInstall = () => {
      throw new Error('not allowed');
    };
    const { updates } = updatesWith({ updater, server });
    await updates.check();
    expect(updates.state()).toMatchObject({ kind: 'failed', notice: { message: `Version ${NEW} was not installed` } });
    await until(() => server.state().kind === 'running', 'the server runs again');
    expect(file.read().phase).toBe('settled');
    expect(readdirSync(copiesFolder)).toEqual([]);
  });
});

describe('the disk space for an update', () => {
  it('is checked before anything is stopped', async () => {
    const server = serverOf(CHECKOUT);
    const { updater, calls } = standIn();
    const { updates } = updatesWith({ updater, server });
    // A sparse file larger than any disk. Its copy would need the space.
    truncateSync(join(home, 'pda.sqlite'), 8_000_000_000_000);
    server.stop = () => Promise.reject(new Error('it was stopped'));
    await updates.check();
    expect(calls).toEqual(['check', 'download']);
    expect(updates.state()).toMatchObject({
      kind: 'failed',
      notice: {
        detail: expect.stringMatching(
          /Not enough disk space: the copy needs [\d,]+ MB, but only [\d,]+ MB are free/u,
        ) as string,
      },
    });
    expect(existsSync(copiesFolder) && readdirSync(copiesFolder).length > 0).toBe(false);
    running.splice(0);
  });
});

describe('the new version', () => {
  it('is confirmed after two healthy starts, and the copies of the old one are removed', async () => {
    await installed();
    const { parts, notice } = await startOfNewApp(REAL);
    expect(notice?.message).toBe(`Your PDA was updated to version ${NEW}`);
    expect(file.read().phase).toBe('settled');
    expect(readdirSync(copiesFolder)).toEqual([]);
    expect(await notesAt(await startAndWait(serverOf(parts ?? CHECKOUT)))).toEqual(['before the update']);
  });

  it.each([
    ['ends before it answers', `process.exit(3)`, 'exited with code 3'],
    ['says that it is not well', `answer(503)`, 'health check failed (503)'],
    ['answers once and ends', `answer(200, () => setTimeout(() => process.exit(4), 20))`, 'exited with code 4'],
  ])('that %s is rolled back after a second attempt, with its data', async (_what, then, reason) => {
    await installed();
    const { parts, notice } = await startOfNewApp(migrateThen(then));
    expect(beginnings(), 'it had its second chance').toBe(2);
    expect(parts?.root).toBe(join(copiesFolder, OLD));
    expect(notice?.message).toBe(`Your PDA went back to version ${OLD}`);
    expect(notice?.detail).toContain(reason);
    expect(notice?.detail).toContain('the copy is the database now');

    const aside = readdirSync(join(home, 'backups')).find((name) => name.startsWith('set-aside-'));
    const setAside = new Sqlite(join(home, 'backups', aside ?? ''), { readonly: true });
    expect(setAside.pragma('user_version', { simple: true }), 'what the new one made of it is still there').toBe(9999);
    setAside.close();
  });

  it.skipIf(!THOROUGH)(
    'is not tried again after a rollback: the new app runs the working server and does not change the data',
    async () => {
      await installed();
      const { parts } = await startOfNewApp(migrateThen(`process.exit(3)`));
      const server = serverOf(parts ?? CHECKOUT);
      const address = await startAndWait(server);
      expect(await notesAt(address)).toEqual(['before the update']);
      await store(address, 'after the way back');
      await server.close();
      expect(findInconsistencies(home)).toEqual([]);
      const secondStart = await startOfNewApp(migrateThen(`process.exit(3)`));
      expect([secondStart.parts?.root, secondStart.notice, beginnings()]).toEqual([join(copiesFolder, OLD), null, 2]);
      expect(await notesAt(await startAndWait(serverOf(secondStart.parts ?? CHECKOUT)))).toEqual([
        'before the update',
        'after the way back',
      ]);
    },
  );

  it.skipIf(!THOROUGH)(
    'is replaced by the next one after a rollback, which can fall back to the previous server',
    async () => {
      await installed();
      const { parts } = await startOfNewApp(`process.exit(3)`);
      const app = createAppUpdates({
        userData,
        home,
        version: NEW,
        ownParts: appWith(`process.exit(3)`),
        env: process.env,
        texts: en,
        patience: { stillAfterMs: 100 },
      });
      expect(app.isSettled()).toBe(false);
      const settled = await app.settle();
      expect(settled.parts).toEqual(parts);

      const { updater, calls } = standIn('0.3.0');
      const running = settled.parts ?? CHECKOUT;
      const updates = app.open({ updater, running, server: serverOf(running), ask: () => Promise.resolve(true) });
      await updates.check();
      expect(calls).toEqual(['check', 'download', 'install']);
      expect(file.read()).toEqual({
        phase: 'installing',
        from: OLD,
        to: '0.3.0',
        kept: join(copiesFolder, OLD),
        copy: 'before-0.3.0',
      });
      const next = await startOfNewApp(RESPONDING_SERVER, { version: '0.3.0' });
      expect(next.notice?.message).toBe('Your PDA was updated to version 0.3.0');
      expect(app.isSettled()).toBe(true);
    },
  );

  it('leaves the database unchanged if it fails without touching it', async () => {
    await installed();
    const { notice } = await startOfNewApp(`process.exit(3)`);
    expect(notice?.detail).toContain('the database stays as it is');
    expect(readdirSync(join(home, 'backups'))).toEqual([`copy-before-${NEW}.sqlite`]);
  });

  it.skipIf(!THOROUGH)('is rolled back at the next start after two power failures', async () => {
    await installed();
    file.write({ phase: 'proving', ...whatWasPrepared(), attempts: 2 });
    const { parts, notice } = await startOfNewApp(migrateThen(`process.exit(3)`));
    expect(parts?.root).toBe(join(copiesFolder, OLD));
    expect(notice?.detail).toContain('started twice');
  });

  it.skipIf(!THOROUGH)(
    'is not rolled back because another process uses the home, and is verified at the next start',
    async () => {
      await installed();
      const other = serverOf(CHECKOUT);
      await startAndWait(other);
      const { parts, notice } = await startOfNewApp(REAL);
      expect([parts?.root === join(copiesFolder, OLD), notice]).toEqual([false, null]);
      expect(file.read()).toMatchObject({ phase: 'proving', attempts: 0 });
      await other.close();
      expect((await startOfNewApp(RESPONDING_SERVER)).notice?.message).toBe(`Your PDA was updated to version ${NEW}`);
    },
  );

  it('is not rolled back because the owner quits midway', async () => {
    await installed();
    const quit = new AbortController();
    const settled = startOfNewApp(REAL, { stillAfterMs: 60_000, quit: quit.signal });
    await until(() => file.read().phase === 'proving' && existsSync(join(home, 'running')), 'it is being proven');
    quit.abort();
    expect(await settled).toEqual({ parts: null, notice: null });
    expect(file.read()).toMatchObject({ phase: 'proving', attempts: 0 });
  });

  it.skipIf(!THOROUGH)(
    'reports when it fails and the rollback fails too, and is rolled back at the next start',
    async () => {
      await installed();
      const failingCopies: Copies = {
        ...copies,
        bringBack: () => Promise.reject(new Error('no space left on the disk')),
      };
      const first = await startOfNewApp(migrateThen(`process.exit(3)`), { copies: failingCopies });
      expect(first.parts).toBeNull();
      expect(first.notice?.detail).toContain('no space left on the disk');
      const second = await startOfNewApp(migrateThen(`process.exit(3)`));
      expect(second.notice?.message).toBe(`Your PDA went back to version ${OLD}`);
    },
  );
});
