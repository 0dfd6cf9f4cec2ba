import envPaths from 'env-paths';
import { join, resolve } from 'node:path';
import type { ServerCommand } from './launch.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The name of our folders, in the way of each system. Without the suffix `-nodejs`: this is a program of its own. */
const OUR_PATHS = envPaths('personal-data-account', { suffix: '' });

/** The home folder of the owner's PDA: `PDA_HOME` (relative to where the owner is), else the data folder of the system. */
export function defaultHome(env: Env): string {
  const asked = env['PDA_HOME'];
  // npm changes into the project before it runs a script; INIT_CWD is where the owner typed.
  return asked === undefined || asked === '' ? OUR_PATHS.data : resolve(env['INIT_CWD'] ?? '.', asked);
}

/** Where the parts of the app are: in the project while it is developed, in the resources of the installed app. */
export type Parts = {
  /** Holds `server/`, `renderer/dashboard/dist/` and `node_modules/`. */
  readonly root: string;
  readonly node: string;
};

/** The parts in an installed app: `electron-builder.yml` puts them into `resources/pda`. */
export function partsOfInstalledApp(resourcesPath: string, platform: NodeJS.Platform): Parts {
  const root = join(resourcesPath, 'pda');
  return { root, node: join(root, 'bin', nodeFileName(platform)) };
}

/** The parts in a checkout; the app's bundle is in `<root>/dist/app`. */
export function partsOfCheckout(root: string, platform: NodeJS.Platform): Parts {
  return { root, node: join(root, 'node_modules', 'node', 'bin', nodeFileName(platform)) };
}

export function nodeFileName(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'node.exe' : 'node';
}

/** The program that `node` runs: the server, and every command of it. */
export function programOf({ root }: Parts): string {
  return join(root, 'server', 'pda', 'cli', 'main.ts');
}

/**
 * What starts the server. Without a port it takes the one that it had before, so that the address, and with it what the browser
 * remembers, stays; the first time it picks a free one. It says which.
 */
export function serverCommand(parts: Parts, home: string, env: Env, port?: number): ServerCommand {
  const chosen = port === undefined ? [] : ['--port', String(port)];
  return {
    program: parts.node,
    args: [programOf(parts), 'serve', '--home', home, ...chosen],
    cwd: parts.root,
    env: serverEnvironment(env),
  };
}

/**
 * The environment without what would change how the server's Node runs (code preloaded, an inspector opened, Electron's own switches) and without
 * what npm adds for its scripts.
 */
export function serverEnvironment(env: Env): Record<string, string> {
  const kept: Record<string, string> = {
    // Compiled code is run as it is found, so it belongs where only the owner can write, not in the shared temporary folder.
    PDA_CODE_CACHE: join(OUR_PATHS.cache, 'code'),
  };
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !/^(?:NODE_|ELECTRON_|npm_|INIT_CWD$|PDA_HOME$)/i.test(name)) kept[name] = value;
  }
  return kept;
}
