import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isObject, messageOf } from '../server/wire/values.ts';
import { bundleApp } from './app-bundle.ts';
import { buildDashboard } from './dashboard.ts';
import { findElectron } from './electron-binary.ts';
import { nativeFilesIn, runsOn } from './native-files.ts';
import { audit } from './audit.ts';
import { writeSbom } from './sbom.ts';
import { bytesOf, stagePda, currentTarget } from './stage.ts';
import { missingParts, SYSTEMS } from './systems.ts';
import { smokeTestStagedServer } from './smoke-test.ts';

const MAX_SIZE_MB = 220;
/** Time until the server announces its address. The best of several starts counts, because load only adds time. */
const MAX_READY_MS = 600;
/** Start time of bare Node on an idle machine. On slower machines the goal grows proportionally. */
const BARE_START_MS = 60;
const BARE_START_RUNS = 3;

/** `skipped` is not a failure: the message names the missing prerequisite. */
type Outcome = { readonly kind: 'done' | 'skipped' | 'failed'; readonly message: string };

const succeeded = (message: string): Outcome => ({ kind: 'done', message });
const skippedBecause = (message: string): Outcome => ({ kind: 'skipped', message });
const failed = (message: string): Outcome => ({ kind: 'failed', message });

const INDENT = `\n${' '.repeat(11)}`;

async function buildDashboardStep(root: string): Promise<Outcome> {
  if (!existsSync(join(root, 'renderer/dashboard/index.html')))
    return skippedBecause('no renderer/dashboard/index.html');
  const { ok, output } = await buildDashboard(root);
  return ok
    ? succeeded(`renderer/dashboard/dist, ${formatMegabytes(bytesOf(join(root, 'renderer/dashboard/dist')))}`)
    : failed(`Vite failed\n${output}`);
}

async function bundleShell(root: string, stage: string): Promise<Outcome> {
  const folder = join(stage, 'app');
  rmSync(folder, { recursive: true, force: true });
  await bundleApp(root, folder);
  mkdirSync(join(stage, 'icons'), { recursive: true });
  cpSync(join(root, 'build/icons/icon.png'), join(stage, 'icons', 'icon.png'));
  return succeeded(`dist/stage/app, ${formatMegabytes(bytesOf(folder))}`);
}

async function stageServer(root: string, stage: string): Promise<Outcome> {
  const stagedParts = stagePda(root, join(stage, 'resources'), currentTarget());
  const total = stagedParts.reduce((sum, { bytes }) => sum + bytes, 0);
  const rows = stagedParts.map(({ name, bytes }) => `${INDENT}${formatMegabytes(bytes).padStart(9)}  ${name}`).join('');
  const message = `dist/stage/resources/pda, ${formatMegabytes(total)} in total (goal: below ${MAX_SIZE_MB} MB)${rows}`;
  return total < MAX_SIZE_MB * 1_000_000 ? succeeded(message) : failed(message);
}

/** Checks that every native binary is for the target system. A wrong binary would fail only on the user's machine. */
function checkNativeFiles(stage: string): Outcome {
  const target = currentTarget();
  const files = nativeFilesIn(join(stage, 'resources', 'pda'));
  const mismatched = files.filter((file) => !runsOn(file, target));
  const rows = files.map(({ path, platform, archs }) => `${INDENT}${platform} ${archs.join('+')}  ${path}`).join('');
  const message = `${files.length} native binaries for ${target.platform} ${target.arch}${rows}`;
  if (files.length === 0) return failed('no native binaries found');
  return mismatched.length === 0
    ? succeeded(message)
    : failed(`${message}${INDENT}wrong target: ${mismatched[0]?.path ?? ''}`);
}

async function writeSbomStep(root: string, stage: string): Promise<Outcome> {
  const packages = await writeSbom(root, join(stage, 'resources', 'pda', 'sbom.cdx.json'));
  return succeeded(`pda/sbom.cdx.json, ${packages} packages`);
}

async function runAudit(root: string): Promise<Outcome> {
  const { kind, message } = await audit(root);
  return kind === 'clean' ? succeeded(message) : kind === 'skipped' ? skippedBecause(message) : failed(message);
}

/**
 * Tests the staged server and its start time outside of the project, where it cannot load the project's packages.
 */
async function smokeTest(root: string, stage: string): Promise<Outcome> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'pda-staged-')));
  try {
    cpSync(join(stage, 'resources'), folder, { recursive: true });
    const bareBeforeMs = measureBareStart();
    const { readyMs, passedSteps, failures } = await smokeTestStagedServer(
      folder,
      join(root, 'examples', 'functions', 'template'),
    );
    if (failures.length > 0) return failed(failures.join(INDENT));
    // Load varies, so the slower of the two bare starts counts.
    const bareMs = Math.max(bareBeforeMs, measureBareStart());
    const maxReadyMs = Math.round(MAX_READY_MS * Math.max(1, bareMs / BARE_START_MS));
    const message = `with the bundled Node and no programs on the PATH: ${passedSteps.join(', ')}; ready ${readyMs.map((ms) => Math.round(ms)).join(', ')} ms after start (goal: below ${MAX_READY_MS}; adjusted to ${maxReadyMs} for this machine, where bare Node takes ${Math.round(bareMs)})`;
    return Math.min(...readyMs) < maxReadyMs ? succeeded(message) : failed(message);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function measureBareStart(): number {
  const times = Array.from({ length: BARE_START_RUNS }, () => {
    const startedAt = performance.now();
    spawnSync(process.execPath, ['-e', '0']);
    return performance.now() - startedAt;
  });
  return Math.min(...times);
}

function listOtherSystems(root: string): Outcome {
  const { platform, arch } = currentTarget();
  const rows = SYSTEMS.filter((system) => system.platform !== platform || system.arch !== arch).map(
    (system) => `${INDENT}${system.platform} ${system.arch}: not installed: ${missingParts(root, system).join(', ')}`,
  );
  return skippedBecause(
    `only ${platform} ${arch} is staged here; install the parts of another system with npm ci --os=… --cpu=…${rows.join('')}`,
  );
}

/**
 * Builds the installers if Electron is available. electron-builder prints to the terminal, because it takes minutes.
 */
async function buildInstallers(root: string, args: readonly string[]): Promise<Outcome> {
  const electron = findElectron(root, process.env);
  if (electron.kind === 'missing') return skippedBecause(`${electron.reason}, so no installer was built`);
  const electronPackage: unknown = JSON.parse(
    readFileSync(join(root, 'node_modules', 'electron', 'package.json'), 'utf8'),
  );
  const electronVersion = isObject(electronPackage) ? String(electronPackage['version']) : '';
  const dist = process.env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(root, 'node_modules', 'electron', 'dist');
  const builder = join(root, 'node_modules', 'electron-builder', 'cli.js');
  // Use the local binary instead of a download.
  const config = ['--publish', 'never', `-c.electronVersion=${electronVersion}`, `-c.electronDist=${dist}`];
  const child = spawn(process.execPath, [builder, ...config, ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once('error', () => resolve(null));
  child.once('close', resolve);
  const code = await promise;
  return code === 0 ? succeeded('dist/installers') : failed(`electron-builder exited with ${code}`);
}

/** `npm run package [-- ARGUMENTS FOR ELECTRON-BUILDER]`. Stops at the first failed step with exit code 1. */
async function main(root: string, args: readonly string[]): Promise<number> {
  const stage = join(root, 'dist', 'stage');
  const steps: readonly (readonly [string, () => Outcome | Promise<Outcome>])[] = [
    ['dashboard', () => buildDashboardStep(root)],
    ['shell', () => bundleShell(root, stage)],
    ['server', () => stageServer(root, stage)],
    ['sbom', () => writeSbomStep(root, stage)],
    ['audit', () => runAudit(root)],
    ['binaries', () => checkNativeFiles(stage)],
    ['smoke test', () => smokeTest(root, stage)],
    ['systems', () => listOtherSystems(root)],
    ['installers', () => buildInstallers(root, args)],
  ];
  for (const [name, run] of steps) {
    let outcome: Outcome;
    try {
      outcome = await run();
    } catch (cause) {
      outcome = failed(messageOf(cause));
    }
    console.log(`${name.padEnd(11)}${outcome.kind === 'done' ? '' : `${outcome.kind}: `}${outcome.message}`);
    if (outcome.kind === 'failed') return 1;
  }
  return 0;
}

function formatMegabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

if (import.meta.main) process.exitCode = await main(dirname(import.meta.dirname), process.argv.slice(2));
