import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronLookup } from './start-rules.ts';

/** Finds Electron without importing the package `electron`, which would start a download of a hundred megabytes. */
export function findElectron(root: string, env: Readonly<Record<string, string | undefined>>): ElectronLookup {
  const folder = join(root, 'node_modules', 'electron');
  const dist = env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist');
  const executable = join(dist, executableName(folder));
  if (existsSync(executable)) return { kind: 'found', executable };
  return { kind: 'missing', reason: 'no Electron binary (`npx install-electron` fetches it)' };
}

function executableName(folder: string): string {
  try {
    return readFileSync(join(folder, 'path.txt'), 'utf8');
  } catch {
    // Only the download writes path.txt; a folder in ELECTRON_OVERRIDE_DIST_PATH does not contain this file.
    if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
    return process.platform === 'win32' ? 'electron.exe' : 'electron';
  }
}
