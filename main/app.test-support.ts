import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CHECKOUT, signInAt } from '../tests/support/desktop-app.ts';
import { newHome } from '../tests/support/server-process.ts';
import { runApp, type AppOptions, type RunningApp } from './app.ts';
import {
  createStandIn,
  type StandIn,
  type StandInNotification,
  type StandInTray,
  type StandInWindow,
} from './electron.test-support.ts';
import type { ServerState } from './server/process.ts';
import type { ServerCommand } from './server/launch.ts';
import type { UpdateNotice } from './updates/rules.ts';

// The desktop app on a stand-in for Electron, with the real server or a fake one.

export const { root: ROOT, node: NODE } = CHECKOUT;
export const POLL = { interval: 20 };
const LONG_LIMITS = { startMs: 600_000, stopMs: 600_000, healthTimeoutMs: 600_000 };

/** A home and a stand-in for Electron. */
export type AppFixture = {
  readonly folder: string;
  readonly home: string;
  readonly standIn: StandIn;
  readonly notices: UpdateNotice[];
  /** @param standIn default: the stand-in of the fixture */
  start(changes?: Partial<AppOptions>, standIn?: StandIn): RunningApp;
  /** Returns the command of a fake server, which starts much faster than the real server. */
  fakeServer(behaviour?: string): ServerCommand;
  optionsFor(standIn?: StandIn): AppOptions;
  /** Waits until the app's server runs and has sent its status. */
  waitUntilRunning(app: RunningApp): Promise<Extract<ServerState, { kind: 'running' }>>;
  /** Quits an app and waits for its exit. `close` quits the remaining apps. */
  quit(app: RunningApp): Promise<void>;
  window(): StandInWindow;
  tray(): StandInTray;
  shownNotifications(): StandInNotification[];
  close(): Promise<void>;
};

/** Creates a fixture with a home that is set up. No app runs yet. */
export const createAppFixture = async (): Promise<AppFixture> => {
  const folder = mkdtempSync(join(tmpdir(), 'app-'));
  const home = await newHome(join(folder, 'home'));
  const standIn = createStandIn(folder);
  const runningApps = new Map<RunningApp, StandIn>();

  const quit = async (app: RunningApp): Promise<void> => {
    const appStandIn = runningApps.get(app);
    runningApps.delete(app);
    app.quit();
    await expect.poll(() => appStandIn?.app.hasQuit, POLL).toBe(true);
  };
  const notices: UpdateNotice[] = [];
  const optionsFor = (appStandIn = standIn): AppOptions => ({
    electron: appStandIn.electron,
    installation: CHECKOUT,
    findUpdater: () => Promise.resolve(null),
    askOwner: () => Promise.resolve(false),
    notifyOwner: (notice) => void notices.push(notice),
    platform: 'linux',
    env: { PATH: process.env['PATH'], PDA_LOG_LEVEL: 'warn' },
    argv: ['/opt/pda/app', '--home', home],
    onLog: () => {},
    // Longer than a slow machine takes to start the server. Tests of the stopped page override it.
    stoppedPageDelayMs: 3_600_000,
    limits: LONG_LIMITS,
  });
  return {
    folder,
    home,
    standIn,
    notices,
    optionsFor,
    fakeServer: (behaviour = '') => ({
      program: NODE,
      args: [join(import.meta.dirname, 'server/fake-server.test-support.js')],
      cwd: folder,
      env: { PATH: process.env['PATH'], FAKE_SERVER_FOLDER: folder, FAKE_SERVER_BEHAVIOUR: behaviour },
    }),
    start(changes = {}, appStandIn = standIn) {
      const limits = { ...LONG_LIMITS, ...changes.limits };
      const app = runApp({ ...optionsFor(appStandIn), ...changes, limits });
      if (app === null) throw new Error('the app did not start');
      runningApps.set(app, appStandIn);
      return app;
    },
    async waitUntilRunning(app) {
      await expect.poll(() => app.server.state().kind, POLL).toBe('running');
      await expect.poll(() => app.server.link.status(), POLL).not.toBeNull();
      const state = app.server.state();
      if (state.kind !== 'running') throw new Error(`the server became ${state.kind}`);
      return state;
    },
    quit,
    window() {
      const window = standIn.windows.at(-1);
      if (window === undefined) throw new Error('there is no window');
      return window;
    },
    tray() {
      const [tray] = standIn.trays;
      if (tray === undefined) throw new Error('there is no tray');
      return tray;
    },
    shownNotifications: () => standIn.notifications.filter(({ state }) => state === 'shown'),
    async close() {
      for (const app of runningApps.keys()) await quit(app);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const endAndWait = async (child: ChildProcess, end: () => void): Promise<void> => {
  const exit = new Promise((resolve) => child.once('exit', resolve));
  end();
  await exit;
};

/** Returns a function that sends API requests as the owner. */
export const signIn = async (address: string) => {
  const token = await signInAt(address);
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(`${address}/api/v2.6/${path}`, {
      method,
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
};

/** @param mapping fields to share; default: entire records */
export const buildProposal = (key: string, mapping?: Record<string, string>): unknown => ({
  dataDebitKey: key,
  bundle: {
    name: `${key}-bundle`,
    bundle: { e: { endpoints: [{ endpoint: 'calendar/events', ...(mapping === undefined ? {} : { mapping }) }] } },
  },
  start: new Date(Date.now() - 1000).toISOString(),
  period: 30 * 86_400,
  purpose: 'Lunch.',
  cancelAtPeriodEnd: true,
  termsUrl: 'https://lunch.example/terms',
  requestClientName: 'Lunch',
  requestClientUrl: 'https://lunch.example/',
  requestClientLogoUrl: 'https://lunch.example/logo.png',
});
