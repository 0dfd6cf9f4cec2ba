import { spawn } from 'node:child_process';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import open from 'open';
import { defaultHome, serverCommand } from '../main/server/installation.ts';
import { createServerProcess, type ServerState } from '../main/server/process.ts';
import { en } from '../main/texts/en.ts';
import { messageOf } from '../server/wire/values.ts';
import { buildDashboard, readDashboardState } from './dashboard.ts';
import { findElectron } from './electron-binary.ts';
import { hasDesktop, isBuildMachine, planStart, buildRunningText } from './start-rules.ts';

const HELP = `npm start [-- OPTIONS]

Opens your Personal Data Account: in the app if the Electron binary is installed, otherwise in the browser.
Without a desktop session, or if CI is set, it only starts the server.

  --home DIR   the folder of your PDA (default: PDA_HOME, or the system's folder for application data)

Only without the app:

  --port N     the port on this machine; 0 picks a free one (default: the previous port)
  --no-open    do not open the browser
  --logs       print the server's log`;

/** Delay before the address is printed: the server prints the set-up code on the line after its address. */
const SETUP_LINE_WAIT_MS = 150;
const LAST_LINES_SHOWN = 10;

type ForegroundOptions = {
  readonly root: string;
  readonly home: string;
  readonly port: number | undefined;
  readonly noAppReason: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (text: string) => void;
  readonly onLog: (line: string) => void;
  readonly openInBrowser: ((url: string) => Promise<void>) | null;
  /** Aborted by SIGINT (Ctrl-C), SIGTERM or SIGHUP. */
  readonly stopSignal: AbortSignal;
};

/**
 * Runs the server until it stops.
 * @returns the exit code: 0 after a clean stop, 1 if the server failed, was killed or did not stop cleanly
 */
async function runInForeground(options: ForegroundOptions): Promise<number> {
  const { print, home } = options;
  const server = createServerProcess({
    texts: en,
    // npm runs this script on the pinned Node.
    command: serverCommand({ root: options.root, node: process.execPath }, home, options.env, options.port),
    onLog: options.onLog,
  });
  const { promise: failure, resolve: fail } = Promise.withResolvers<'failed'>();
  const stopRequest = new Promise<'stop'>((settle) => {
    if (options.stopSignal.aborted) settle('stop');
    options.stopSignal.addEventListener('abort', () => settle('stop'), { once: true });
  });

  let announceTimer: NodeJS.Timeout | undefined;
  let hasOpenedBrowser = false;
  const onRunning = (openUrl: string): void => {
    print(buildRunningText(openUrl, home, options.noAppReason));
    // The browser is opened only once: after a crash, the open page reconnects by itself.
    if (hasOpenedBrowser || options.openInBrowser === null) return;
    hasOpenedBrowser = true;
    options.openInBrowser(openUrl).catch(() => print('The browser could not be opened.'));
  };
  server.subscribe((state: ServerState) => {
    clearTimeout(announceTimer);
    if (state.kind === 'running') announceTimer = setTimeout(() => onRunning(state.openUrl), SETUP_LINE_WAIT_MS);
    if (state.kind === 'waiting') print(`The server stopped: ${state.reason}. Restarting.`);
    if (state.kind === 'failed') {
      print([`${en.tray.failed(state.reason)}.`, ...state.lastLines.slice(-LAST_LINES_SHOWN)].join('\n'));
      fail('failed');
    }
  });

  server.start();
  const cause = await Promise.race([failure, stopRequest]);
  clearTimeout(announceTimer);
  if (cause === 'failed') {
    await server.close();
    return 1;
  }
  print('Stopping…');
  const outcome = await server.stop();
  await server.close();
  if (outcome.kind === 'killed-after-timeout') print('The server did not stop in time and was killed.');
  if (outcome.kind === 'unclean') print(`The server did not shut down cleanly: ${outcome.reason}.`);
  return outcome.kind === 'killed-after-timeout' || outcome.kind === 'unclean' ? 1 : 0;
}

async function ensureDashboard(root: string, print: (text: string) => void, stopSignal: AbortSignal): Promise<boolean> {
  const state = readDashboardState(root);
  if (state === 'fresh' || state === 'no-sources') return true;
  print(state === 'missing' ? 'Building the dashboard…' : 'The sources of the dashboard have changed. Building it…');
  const { ok, output } = await buildDashboard(root, stopSignal);
  if (!ok && !stopSignal.aborted) print(`The dashboard could not be built.\n\n${output}`);
  return ok;
}

async function runApp(executable: string, folder: string, home: string, stopSignal: AbortSignal): Promise<number> {
  const child = spawn(executable, [folder, '--home', home], { stdio: 'inherit' });
  const { promise, resolve: setExitCode } = Promise.withResolvers<number>();
  stopSignal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  child.once('error', (error) => {
    console.error(`The app could not be started: ${error.message}`);
    setExitCode(1);
  });
  child.once('close', (code) => setExitCode(code ?? 1));
  return promise;
}

/** @returns the exit code: 0 success, 1 failure, 2 invalid arguments; the app's own code if the app was opened */
export async function start(root: string, args: readonly string[], env: ForegroundOptions['env']): Promise<number> {
  const print = (text: string): void => console.log(text);
  let values;
  try {
    const options = {
      home: { type: 'string' },
      port: { type: 'string' },
      open: { type: 'boolean' },
      logs: { type: 'boolean' },
      help: { type: 'boolean' },
    } as const;
    values = parseArgs({ args: [...args], options, allowNegative: true }).values;
  } catch (cause) {
    console.error(messageOf(cause));
    return 2;
  }
  if (values.help === true) {
    print(HELP);
    return 0;
  }
  const port = values.port === undefined ? undefined : Number(values.port);
  if (port !== undefined && (!Number.isInteger(port) || port < 0 || port > 65_535)) {
    console.error(`--port must be a number from 0 to 65535, not "${values.port}"`);
    return 2;
  }
  const home = values.home === undefined ? defaultHome(env) : resolve(env['INIT_CWD'] ?? '.', values.home);

  const stopController = new AbortController();
  const stop = (): void => stopController.abort();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  try {
    const hasDashboard = await ensureDashboard(root, print, stopController.signal);
    if (stopController.signal.aborted) return 0;
    if (!hasDashboard) return 1;
    const plan = planStart({
      electron: findElectron(root, env),
      hasDesktop: hasDesktop(process.platform, env),
      isBuildMachine: isBuildMachine(env),
    });
    if (plan.kind === 'app') {
      const { bundleApp } = await import('./app-bundle.ts');
      const folder = await bundleApp(root);
      return stopController.signal.aborted ? 0 : await runApp(plan.executable, folder, home, stopController.signal);
    }
    return await runInForeground({
      root,
      home,
      port,
      noAppReason: plan.noAppReason,
      env,
      print,
      onLog: (line) => {
        if (values.logs === true) console.error(line);
      },
      openInBrowser: plan.shouldOpenBrowser && values.open !== false ? async (url) => void (await open(url)) : null,
      stopSignal: stopController.signal,
    });
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, stop);
  }
}

if (import.meta.main) process.exitCode = await start(dirname(import.meta.dirname), process.argv.slice(2), process.env);
