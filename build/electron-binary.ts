import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ElectronFound } from './start-rules.ts';

/**
 * Looks for the Electron binary without asking the package `electron` for it: importing that starts a download of a hundred megabytes, which is for
 * the owner to decide.
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
    // Written by the download only; a folder given by ELECTRON_OVERRIDE_DIST_PATH comes without.
    if (process.platform === 'darwin') return 'Electron.app/Contents/MacOS/Electron';
    return process.platform === 'win32' ? 'electron.exe' : 'electron';
  }
}
