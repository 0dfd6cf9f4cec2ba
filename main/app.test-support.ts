import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CHECKOUT, tokenAt } from '../tests/support/desktop-app.ts';
import { newHome } from '../tests/support/server-process.ts';
import { runApp, type AppParts, type RunningApp } from './app.ts';
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

/** The desktop app on a stand-in for Electron, with the real server. */

export const { root: ROOT, node: NODE } = CHECKOUT;
export const PATIENCE = { interval: 20 };

export type Bench = {
  readonly folder: string;
  readonly home: string;
  readonly standIn: StandIn;
  /** Dialogs that the owner saw. */
  readonly notices: UpdateNotice[];
  /** Starts another instance of the app. @param on its own stand-in for Electron */
  start(changes?: Partial<AppParts>, on?: StandIn): RunningApp;
  /** Command of a stub server, which starts ten times as fast: for tests of the app alone. */
  standInServer(behaviour?: string): ServerCommand;
  /** Parts shared by all apps of this bench. */
  partsOf(on?: StandIn): AppParts;
  upAndRunning(app: RunningApp): Promise<Extract<ServerState, { kind: 'running' }>>;
  /** Quits one app; the bench stops the remaining ones. */
  quit(app: RunningApp): Promise<void>;
  hasQuit(): Promise<void>;
  window(): StandInWindow;
  tray(): StandInTray;
  /** Notifications that are shown. */
  notes(): StandInNotification[];
  close(): Promise<void>;
};

/** Creates a home that is set up, without a running server. */
export const createBench = async (): Promise<Bench> => {
  const folder = mkdtempSync(join(tmpdir(), 'app-'));
  const home = await newHome(join(folder, 'home'));
  const standIn = createStandIn(folder);
  const running = new Map<RunningApp, StandIn>();

  const quit = async (app: RunningApp): Promise<void> => {
    const on = running.get(app);
    running.delete(app);
    app.quit();
    await expect.poll(() => on?.app.hasQuit, PATIENCE).toBe(true);
  };
  const notices: UpdateNotice[] = [];
  const partsOf = (on = standIn): AppParts => ({
    electron: on.electron,
    parts: CHECKOUT,
    findUpdater: () => Promise.resolve(null),
    askOwner: () => Promise.resolve(false),
    notifyOwner: (notice) => void notices.push(notice),
    platform: 'linux',
    env: { PATH: process.env['PATH'], PDA_LOG_LEVEL: 'warn' },
    argv: ['/opt/pda/app', '--home', home],
    onLog: () => {},
    stoppedPageDelayMs: 20_000,
  });
  return {
    folder,
    home,
    standIn,
    notices,
    partsOf,
    standInServer: (behaviour = '') => ({
      program: NODE,
      args: [join(import.meta.dirname, 'server/fake-server.test-support.js')],
      cwd: folder,
      env: { PATH: process.env['PATH'], STAND_IN_FOLDER: folder, STAND_IN: behaviour },
    }),
    start(changes = {}, on = standIn) {
      const app = runApp({ ...partsOf(on), ...changes });
      if (app === null) throw new Error('the app did not start');
      running.set(app, on);
      return app;
    },
    async upAndRunning(app) {
      await expect.poll(() => app.server.state().kind, PATIENCE).toBe('running');
      await expect.poll(() => app.server.link.status(), PATIENCE).not.toBeNull();
      const state = app.server.state();
      if (state.kind !== 'running') throw new Error(`it became ${state.kind}`);
      return state;
    },
    quit,
    hasQuit: () => expect.poll(() => standIn.app.hasQuit, PATIENCE).toBe(true),
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
    notes: () => standIn.notifications.filter(({ state }) => state === 'shown'),
    async close() {
      for (const app of running.keys()) await quit(app);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export const endAndWait = async (child: ChildProcess, end: () => void): Promise<void> => {
  const exit = new Promise((resolve) => child.once('exit', resolve));
  end();
  await exit;
};

/** Signs in as the owner, as the dashboard does. */
export const signIn = async (address: string) => {
  const token = await tokenAt(address);
  return async (method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> => {
    const response = await fetch(`${address}/api/v2.6/${path}`, {
      method,
      headers: { 'x-auth-token': token, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  };
};
export const proposal = (key: string, mapping?: Record<string, string>): unknown => ({
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
