import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkoutInstallation, type Installation } from '../../main/server/installation.ts';
import type { ServerLimits, ServerProcess, ServerState } from '../../main/server/process.ts';
import type { Updater } from '../../main/updates/update-flow.ts';
import { ROOT } from './paths.ts';
import { newFolder, until } from './server-process.ts';
import { OWNER } from './test-pda.ts';

// Installations of other versions of the app, and a stand-in for the updater.

export const CHECKOUT = checkoutInstallation(ROOT, process.platform);
/** Time limits that a working server meets even on a slow machine. */
export const PATIENT_LIMITS = {
  startMs: 600_000,
  stopMs: 600_000,
  healthTimeoutMs: 600_000,
} as const satisfies Partial<ServerLimits>;
export const OLD_VERSION = '0.1.0';
export const NEW_VERSION = '0.2.0';

/** Creates an installation whose server program is a short script, because updates copy the installation. */
export const createInstallation = (script: string): Installation => {
  const root = newFolder();
  for (const [path, text] of [
    ['bin/node', `#!/bin/sh\nexec '${CHECKOUT.node}' "$@"\n`],
    ['server/pda/cli/main.js', script],
    ['package.json', '{"type":"module"}'],
  ] as const) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  chmodSync(join(root, 'bin/node'), 0o755);
  return { root, node: join(root, 'bin/node') };
};
/** Script that runs the real server. */
export const REAL_SERVER = `await import('${pathToFileURL(join(ROOT, 'server/pda/cli/main.js')).href}');`;
/**
 * Returns the script of a new version that migrates the database to a format unknown to the previous version and then
 * runs `nextStep`. The script does not import the real server, because loading it would dominate the run time.
 */
export const migrationScript = (nextStep: string): string => `
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  const { createServer } = process.getBuiltinModule('node:http');
  const { createRequire } = process.getBuiltinModule('node:module');
  const home = process.argv[process.argv.indexOf('--home') + 1];
  appendFileSync(home + '/../new-version-started', 'x');
  const Database = createRequire('${pathToFileURL(join(ROOT, 'package.json')).href}')('better-sqlite3');
  const db = new Database(home + '/pda.sqlite');
  db.exec('CREATE TABLE IF NOT EXISTS of_the_new_version (x)');
  db.pragma('user_version = 9999');
  db.close();
  const serve = (status, onResponse = () => {}) => {
    const server = createServer((_, response) => { response.writeHead(status).end(); onResponse(); });
    server.listen(0, '127.0.0.1', () => console.log('pda listening on http://127.0.0.1:' + server.address().port));
    process.once('SIGTERM', () => process.exit(0));
  };
  ${nextStep}`;

/** Waits until the server runs. @throws {Error} with its last output if it failed */
export const waitUntilRunning = (server: ServerProcess): Promise<Extract<ServerState, { kind: 'running' }>> =>
  until(() => {
    const state = server.state();
    if (state.kind === 'failed') throw new Error(`${state.reason} ${state.lastLines.join('\n')}`);
    return state.kind === 'running' && state;
  }, 'the server runs');

/** Signs the owner in as the dashboard does. @returns the access token */
export const signInAt = async (address: string): Promise<string> => {
  const headers = { username: OWNER.name, password: encodeURIComponent(OWNER.password) };
  const reply = await fetch(`${address}/users/access_token`, { headers });
  return ((await reply.json()) as { accessToken: string }).accessToken;
};

/** Creates a stand-in for electron-updater that always offers an update. */
export const createStandInUpdater = (version = NEW_VERSION) => {
  const calls: string[] = [];
  const info = { version, files: [], path: '', sha512: '', releaseDate: '' };
  const updater: Updater = {
    autoDownload: true,
    autoInstallOnAppQuit: true,
    allowDowngrade: true,
    allowPrerelease: true,
    disableWebInstaller: false,
    logger: null,
    checkForUpdates: async () => {
      calls.push('check');
      return { isUpdateAvailable: true, updateInfo: info, versionInfo: info };
    },
    downloadUpdate: async () => {
      calls.push('download');
      return [];
    },
    quitAndInstall: () => void calls.push('install'),
    on() {
      return this as never;
    },
  };
  return { updater, calls };
};
