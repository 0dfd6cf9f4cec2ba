import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronFound } from './start-rules.ts';

/**
 * Finds the Electron binary without importing the package `electron`, since that starts a download of a hundred
 * megabytes, which the owner should decide.
 */
export function findElectron(root: string, env: Readonly<Record<string, string | undefined>>): ElectronFound {
  const folder = join(root, 'node_modules', 'electron');
  const dist = env['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist');
  const executable = join(dist, executableName(folder));
  if (existsSync(executable)) return { kind: 'found', executable };
  return { kind: 'missing', why: 'no Electron binary (`npx install-electron` fetches it)' };
}

function executableName(folder: string): string {
  try {
    return readFileSync(join(folder, 'path.txt'), 'utf8');
  } catch {
    // Only the download writes this file; a folder in ELECTRON_OVERRIDE_DIST_PATH does not contain it.
    if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
    return process.platform === 'win32' ? 'electron.exe' : 'electron';
  }
}
