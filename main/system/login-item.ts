import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AppApi } from './electron-api.ts';
import { buildAutostartEntry, resolveAutostartFolder, BACKGROUND_ARGUMENT } from './login-item-rules.ts';
import { replaceText } from './json-file.ts';

export type LoginItem = {
  isOn(): boolean;
  /** @throws {Error} on Linux, if the autostart entry cannot be built or written */
  set(on: boolean): void;
};

/**
 * Controls whether the app starts at login.
 * @param config `program`: for an AppImage the image, not its mounted content; `args`: arguments that select this home
 */
export function createLoginItem(config: {
  readonly app: Pick<AppApi, 'getLoginItemSettings' | 'setLoginItemSettings' | 'getPath'>;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: string;
  readonly args: readonly string[];
  readonly name: string;
}): LoginItem {
  const { app, platform, program } = config;
  const args = [...config.args, BACKGROUND_ARGUMENT];
  if (platform === 'linux') {
    const file = join(resolveAutostartFolder(config.env, app.getPath('home')), `${config.name}.desktop`);
    return {
      isOn: () => existsSync(file),
      set(on) {
        if (on) replaceText(file, buildAutostartEntry([program, ...args]));
        else rmSync(file, { force: true });
      },
    };
  }
  // macOS passes no arguments; at start it reports whether it started the app at login.
  const options = platform === 'win32' ? { path: program, args: args.map(quoteWindowsArgument) } : {};
  return {
    isOn: () => app.getLoginItemSettings(options).openAtLogin,
    set: (on) => app.setLoginItemSettings({ ...options, openAtLogin: on }),
  };
}

/** Windows splits a command line at unquoted spaces. */
function quoteWindowsArgument(argument: string): string {
  return /[\s"]/.test(argument)
    ? `"${argument.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`
    : argument;
}
