import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { partsOfInstalledApp, serverCommand } from '../main/places.ts';
import { createServerProcess, type ServerState } from '../main/server-process.ts';
import { bundleApp } from './app-bundle.ts';
import { buildDashboard } from './dashboard.ts';
import { findElectron } from './electron-binary.ts';
import { drawIcon } from './icon.ts';
import { bytesOf, stagePda, thisMachine } from './stage.ts';

/** Goal for what is carried, without Electron itself. */
const GOAL_MB = 220;
/** electron-builder makes the icons of all systems from one of this size. */
const ICON_SIZE = 1024;

/** `skipped` is not a failure: the step needs something that is not here, and says what. */
type Outcome = { readonly kind: 'done' | 'skipped' | 'failed'; readonly words: string };

const done = (words: string): Outcome => ({ kind: 'done', words });
const skipped = (words: string): Outcome => ({ kind: 'skipped', words });
const failed = (words: string): Outcome => ({ kind: 'failed', words });

async function dashboard(root: string): Promise<Outcome> {
  if (!existsSync(join(root, 'renderer', 'index.html'))) return skipped('no renderer/index.html');
  const { ok, output } = await buildDashboard(root);
  return ok
    ? done(`renderer/dist, ${megabytes(bytesOf(join(root, 'renderer', 'dist')))}`)
    : failed(`Vite failed\n${output}`);
}

async function shell(root: string, stage: string): Promise<Outcome> {
  const folder = join(stage, 'app');
  rmSync(folder, { recursive: true, force: true });
  await bundleApp(root, folder);
  mkdirSync(join(stage, 'icons'), { recursive: true });
  writeFileSync(join(stage, 'icons', 'icon.png'), drawIcon(ICON_SIZE, 'app'));
  return done(`dist/stage/app, ${megabytes(bytesOf(folder))}`);
}

function parts(root: string, stage: string): Outcome {
  const staged = stagePda(root, join(stage, 'resources'), thisMachine());
  const total = staged.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = staged.map(({ name, bytes }) => `\n             ${megabytes(bytes).padStart(9)}  ${name}`).join('');
  const words = `dist/stage/resources/pda, ${megabytes(total)} in all (goal: below ${GOAL_MB} MB)${rows}`;
  return total < GOAL_MB * 1_000_000 ? done(words) : failed(words);
}

/**
 * Starts what was staged as the installed app would: with the carried Node, with nothing on the PATH, an empty home. In a folder elsewhere, because
 * below the project Node would find the project's packages for any that is missing.
 */
async function tryStaged(stage: string): Promise<Outcome> {
  if (!existsSync(join(stage, 'resources', 'pda', 'server', 'pda', 'entry.js')))
    return skipped('server/pda/entry.js is not there yet');
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pda-staged-')));
  cpSync(join(stage, 'resources'), folder, { recursive: true });
  const env = {
    PATH: join(folder, 'nothing-here'),
    HOME: folder,
    PDA_CODE_CACHE: join(folder, 'code'),
    ...(process.platform === 'win32'
      ? { SystemRoot: process.env['SystemRoot'], LOCALAPPDATA: folder, APPDATA: folder }
      : {}),
  };
  const server = createServerProcess({
    command: serverCommand(partsOfInstalledApp(folder, process.platform), join(folder, 'home'), env),
    limits: { startMs: 30_000, maxQuickCrashes: 1 },
  });
  try {
    const asked = performance.now();
    const state = await settled(server);
    if (state.kind !== 'running')
      return failed(`the staged server did not start: ${[state.reason, ...state.lastLines].join('\n')}`);
    const readyMs = performance.now() - asked;
    const wrong: string[] = [];
    for (const path of ['/healthz', '/']) {
      const { status } = await fetch(`${state.address}${path}`, { signal: AbortSignal.timeout(10_000) });
      if (status !== 200) wrong.push(`${path} answers ${status}`);
    }
    const stop = await server.stop();
    if (stop.kind !== 'in-order') wrong.push(`it does not stop in order (${stop.kind})`);
    const words = `the carried Node started the staged server in ${Math.round(readyMs)} ms, with an empty PATH`;
    return wrong.length === 0
      ? done(`${words}; /healthz and / answer 200; it stopped in order`)
      : failed(`${words}, but ${wrong.join(', ')}`);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settled(
  server: ReturnType<typeof createServerProcess>,
): Promise<Extract<ServerState, { kind: 'running' | 'failed' }>> {
  const { promise, resolve } = Promise.withResolvers<Extract<ServerState, { kind: 'running' | 'failed' }>>();
  const leave = server.subscribe((state) => {
    if (state.kind === 'running' || state.kind === 'failed') resolve(state);
  });
  server.start();
  const state = await promise;
  leave();
  return state;
}

/** Makes the installers, where the Electron binary is. Whatever electron-builder says goes straight to the terminal: it takes minutes. */
async function installers(root: string, args: readonly string[]): Promise<Outcome> {
  const electron = findElectron(root, process.env);
  if (electron.kind === 'missing') return skipped('no Electron binary');
  const version: unknown = JSON.parse(readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'));
  const electronVersion =
    typeof version === 'object' && version !== null && 'version' in version ? String(version.version) : '';
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(root, 'node_modules', 'electron', 'dist');
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  // The binary that is here, not a download of it.
  const config = ['--publish', 'never', `-c.electronVersion=${electronVersion}`, `-c.electronDist=${dist}`];
  const child = spawn(process.execPath, [builder, ...config, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('error', () => resolve(null));
  child.once('close', resolve);
  const code = await promise;
  return code === 0 ? done('dist/installers') : failed(`electron-builder ended with ${code}`);
}

/** `npm run package [-- ARGUMENTS FOR ELECTRON-BUILDER]`. Stops at the first step that fails; exit code 1 then, else 0. */
async function main(root: string, args: readonly string[]): Promise<number> {
  const stage = join(root, 'dist', 'stage');
  const steps: readonly (readonly [string, () => Outcome | Promise<Outcome>])[] = [
    ['dashboard', () => dashboard(root)],
    ['shell', () => shell(root, stage)],
    ['parts', () => parts(root, stage)],
    ['try', () => tryStaged(stage)],
    ['installers', () => installers(root, args)],
  ];
  for (const [name, run] of steps) {
    let outcome: Outcome;
    try {
      outcome = await run();
    } catch (cause) {
      outcome = failed(cause instanceof Error ? cause.message : String(cause));
    }
    console.log(`${name.padEnd(11)}${outcome.kind === 'done' ? '' : `${outcome.kind}: `}${outcome.words}`);
    if (outcome.kind === 'failed') return 1;
  }
  return 0;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

if (import.meta.main) process.exitCode = await main(dirname(import.meta.dirname), process.argv.slice(2));
