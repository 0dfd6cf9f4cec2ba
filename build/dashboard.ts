import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export type DashboardState = 'no-sources' | 'missing' | 'stale' | 'fresh';

/** Sources of the dashboard and the guide, besides `renderer/`. */
const ALSO_INSIDE = [
  'server/wire',
  'package-lock.json',
  'docs',
  'examples',
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
];

/** Returns whether `renderer/dashboard/dist` exists and is newer than all of its sources. */
export function dashboardState(root: string): DashboardState {
  if (!existsSync(join(root, 'renderer/dashboard/index.html'))) return 'no-sources';
  const built = join(root, 'renderer/dashboard/dist/index.html');
  if (!existsSync(built)) return 'missing';
  const newest = Math.max(
    newestUnder(join(root, 'renderer')),
    ...ALSO_INSIDE.map((path) => newestUnder(join(root, path))),
  );
  return newest > statSync(built).mtimeMs ? 'stale' : 'fresh';
}

/**
 * Returns the time of the newest source in Unix milliseconds; 0 if there is none. Built files and tests do not count.
 */
function newestUnder(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  let newest = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules' || entry.name.includes('.test.')) continue;
    newest = Math.max(newest, newestUnder(join(path, entry.name)));
  }
  return newest;
}

/** Builds the dashboard with Vite in a separate process. @returns Vite's output, to be shown on failure */
export async function buildDashboard(root: string): Promise<{ readonly ok: boolean; readonly output: string }> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js');
  const child = spawn(process.execPath, [vite, 'build', 'renderer/dashboard'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const add = (text: string): void => void (output += text);
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once('error', (error) => {
    add(error.message);
    resolve(false);
  });
  child.once('close', (code) => resolve(code === 0));
  return { ok: await promise, output };
}
