import envPaths from 'env-paths';
import { join, resolve } from 'node:path';
import type { ServerCommand } from './launch.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Data and cache folders in the convention of each system. No suffix `-nodejs`, since this is a desktop app. */
const OUR_PATHS = envPaths('personal-data-account', { suffix: '' });

/**
 * Returns the home folder: `PDA_HOME` (relative to the owner's working directory), else the data folder of the
 * system.
 */
export function defaultHome(env: Env): string {
  const requestedHome = env['PDA_HOME'];
  // npm changes to the project folder before it runs a script; INIT_CWD is the original working directory.
  return requestedHome === undefined || requestedHome === ''
    ? OUR_PATHS.data
    : resolve(env['INIT_CWD'] ?? '.', requestedHome);
}

/** Locations of the app's parts: in the project during development, in the resources of an installed app. */
export type Parts = {
  /** Folder with `server/`, `renderer/dashboard/dist/` and `node_modules/`. */
  readonly root: string;
  readonly node: string;
};

/** Returns the parts of an installed app: `electron-builder.yml` puts them into `resources/pda`. */
export function partsOfInstalledApp(resourcesPath: string, platform: NodeJS.Platform): Parts {
  const root = join(resourcesPath, 'pda');
  return { root, node: join(root, 'bin', nodeFileName(platform)) };
}

/** Returns the parts of a checkout; the app's bundle is in `<root>/dist/app`. */
export function partsOfCheckout(root: string, platform: NodeJS.Platform): Parts {
  return { root, node: join(root, 'node_modules', 'node', 'bin', nodeFileName(platform)) };
}

export function nodeFileName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'node.exe' : 'node';
}

/** Returns the script that Node runs: the server with all its commands. */
export function programOf({ root }: Parts): string {
  return join(root, 'server', 'pda', 'cli', 'main.ts');
}

/**
 * Returns the command that starts the server. Without a port, the server reuses its previous one, so that the address
 * and the browser's data for it stay valid; the first time it picks a free one. It announces the port.
 */
export function serverCommand(parts: Parts, home: string, env: Env, port?: number): ServerCommand {
  const portArgs = port === undefined ? [] : ['--port', String(port)];
  return {
    program: parts.node,
    args: [programOf(parts), 'serve', '--home', home, ...portArgs],
    cwd: parts.root,
    env: serverEnvironment(env),
  };
}

/**
 * Returns the environment without variables that change how the server's Node runs (preloaded code, inspector,
 * Electron switches) and without those that npm adds for its scripts.
 */
export function serverEnvironment(env: Env): Record<string, string> {
  const cacheEnv: Record<string, string> = {
    // Cached code is executed without further checks, so it belongs into a folder of the owner, not into the shared
    // temporary folder.
    PDA_CODE_CACHE: join(OUR_PATHS.cache, 'code'),
  };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(?:NODE_|ELECTRON_|npm_|INIT_CWD$|PDA_HOME$)/i.test(name)) cacheEnv[name] = value;
  }
  return cacheEnv;
}
