import envPaths from 'env-paths';
import { join, resolve } from 'node:path';
import type { ServerCommand } from './launch.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Data and cache folders by the system's convention, without `-nodejs`, which env-paths appends by default. */
const APP_PATHS = envPaths('personal-data-account', { suffix: '' });

/** Returns `PDA_HOME`, resolved against the owner's working directory; without it, the system's data folder. */
export function defaultHome(env: Env): string {
  const requestedHome = env['PDA_HOME'];
  // npm changes to the project folder before it runs a script; INIT_CWD is the original working directory.
  return requestedHome === undefined || requestedHome === ''
    ? APP_PATHS.data
    : resolve(env['INIT_CWD'] ?? '.', requestedHome);
}

export type Installation = {
  /** Folder with `server/`, `renderer/dashboard/dist/` and `node_modules/`. */
  readonly root: string;
  readonly node: string;
};

/** Returns the server of a packaged app, which `electron-builder.yml` puts into `resources/pda`. */
export function packagedInstallation(resourcesPath: string, platform: NodeJS.Platform): Installation {
  const root = join(resourcesPath, 'pda');
  return { root, node: join(root, 'bin', nodeFileName(platform)) };
}

export function checkoutInstallation(root: string, platform: NodeJS.Platform): Installation {
  return { root, node: join(root, 'node_modules', 'node', 'bin', nodeFileName(platform)) };
}

export function nodeFileName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'node.exe' : 'node';
}

export function entryPointOf({ root }: Installation): string {
  return join(root, 'server', 'pda', 'cli', 'main.js');
}

/**
 * Returns the command that starts the server. Without `port`, the server reuses its previous port if that is free, so
 * that its address stays valid.
 */
export function serverCommand(installation: Installation, home: string, env: Env, port?: number): ServerCommand {
  const portArgs = port === undefined ? [] : ['--port', String(port)];
  return {
    program: installation.node,
    args: [entryPointOf(installation), 'serve', '--home', home, ...portArgs],
    cwd: installation.root,
    env: serverEnvironment(env),
  };
}

/**
 * Returns `env` without variables that change how Node and Electron run, those that npm adds for its scripts, and
 * `PDA_HOME`. Adds `PDA_CODE_CACHE` if it is not set.
 */
export function serverEnvironment(env: Env): Record<string, string> {
  const serverEnv: Record<string, string> = {
    // Cached code is executed without further checks, so it must be in a folder of the owner and not in the shared
    // temporary folder.
    PDA_CODE_CACHE: join(APP_PATHS.cache, 'code'),
  };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(?:NODE_|ELECTRON_|npm_|INIT_CWD$|PDA_HOME$)/i.test(name)) serverEnv[name] = value;
  }
  return serverEnv;
}
