import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** `no-sources`: an installed server has no sources of the dashboard. */
export type DashboardState = 'no-sources' | 'missing' | 'stale' | 'fresh';

/** Sources of the dashboard and the guide outside of `renderer/`, except for the build scripts. */
const OTHER_SOURCES = [
  'server/wire',
  'package-lock.json',
  'docs',
  'examples',
  'README.md',
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  'CHANGELOG.md',
];

/** The build is fresh if no source is newer than `renderer/dashboard/dist/index.html`. */
export function readDashboardState(root: string): DashboardState {
  if (!existsSync(join(root, 'renderer/dashboard/index.html'))) return 'no-sources';
  const builtPage = join(root, 'renderer/dashboard/dist/index.html');
  if (!existsSync(builtPage)) return 'missing';
  const newest = Math.max(
    newestSourceMs(join(root, 'renderer')),
    ...OTHER_SOURCES.map((path) => newestSourceMs(join(root, path))),
  );
  return newest > statSync(builtPage).mtimeMs ? 'stale' : 'fresh';
}

/**
 * Returns the newest modification time in Unix milliseconds; 0 if there is no source. Ignores built files and tests.
 */
function newestSourceMs(path: string): number {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  let newest = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.name === 'dist' || entry.name === 'node_modules' || entry.name.includes('.test.')) continue;
    newest = Math.max(newest, newestSourceMs(join(path, entry.name)));
  }
  return newest;
}

export function buildDashboard(
  root: string,
  stopSignal?: AbortSignal,
): Promise<{ readonly ok: boolean; readonly output: string }> {
  const args = [join(root, 'node_modules', 'vite', 'bin', 'vite.js'), 'build', 'renderer/dashboard'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, signal: stopSignal }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}` || (error?.message ?? '') }),
    );
  });
}
