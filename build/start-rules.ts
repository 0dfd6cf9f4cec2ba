export type ElectronLookup =
  | { readonly kind: 'found'; readonly executable: string }
  | { readonly kind: 'missing'; readonly reason: string };

export type StartPlan =
  | { readonly kind: 'app'; readonly executable: string }
  | { readonly kind: 'server'; readonly shouldOpenBrowser: boolean; readonly noAppReason: string };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Selects the app window if Electron and a desktop are available, otherwise the server. Build machines open nothing.
 */
export function planStart(environment: {
  readonly electron: ElectronLookup;
  readonly hasDesktop: boolean;
  readonly isBuildMachine: boolean;
}): StartPlan {
  if (environment.isBuildMachine)
    return { kind: 'server', shouldOpenBrowser: false, noAppReason: 'this is a build machine (CI is set)' };
  if (!environment.hasDesktop) return { kind: 'server', shouldOpenBrowser: false, noAppReason: 'no desktop session' };
  if (environment.electron.kind === 'missing')
    return { kind: 'server', shouldOpenBrowser: true, noAppReason: environment.electron.reason };
  return { kind: 'app', executable: environment.electron.executable };
}

export function hasDesktop(platform: NodeJS.Platform, env: Env): boolean {
  if (platform === 'win32' || platform === 'darwin') return !isSet(env['SSH_CONNECTION']);
  return isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']);
}

/** Returns true if `CI` is set, as on build machines, unless it is `false` or `0`. */
export function isBuildMachine(env: Env): boolean {
  return isSet(env['CI']) && env['CI'] !== 'false' && env['CI'] !== '0';
}

/** Returns the text to print when the server is ready. `openUrl` contains the one-time code until the PDA is set up. */
export function buildRunningText(openUrl: string, home: string, noAppReason: string): string {
  const isSetUpPending = new URL(openUrl).hash.startsWith('#/setup');
  return [
    isSetUpPending
      ? 'Your Personal Data Account is ready to be set up. Open'
      : 'Your Personal Data Account is running. Open',
    '',
    `  ${openUrl}`,
    '',
    ...(isSetUpPending ? ['The address contains a one-time code. Do not share it.'] : []),
    `Your data is in ${home}. Ctrl-C stops the server.`,
    `There is no app window: ${noAppReason}.`,
    '',
  ].join('\n');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
