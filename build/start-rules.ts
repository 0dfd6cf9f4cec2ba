/** Where the Electron binary is, or why there is none. */
export type ElectronFound =
  | { readonly kind: 'found'; readonly executable: string }
  | { readonly kind: 'missing'; readonly why: string };

/** How `npm start` opens the PDA. */
export type StartPlan =
  | { readonly kind: 'app'; readonly executable: string }
  | { readonly kind: 'server'; readonly openBrowser: boolean; readonly whyNoApp: string };

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The app window where both Electron and a desktop are; else the server in the foreground, and the browser where there is a desktop. Nobody looks
 * at the screen of a machine that builds.
 */
export function planStart(around: {
  readonly electron: ElectronFound;
  readonly desktop: boolean;
  readonly ci: boolean;
}): StartPlan {
  if (around.ci) return { kind: 'server', openBrowser: false, whyNoApp: 'this is a build machine (CI is set)' };
  if (!around.desktop) return { kind: 'server', openBrowser: false, whyNoApp: 'no desktop session' };
  if (around.electron.kind === 'missing') return { kind: 'server', openBrowser: true, whyNoApp: around.electron.why };
  return { kind: 'app', executable: around.electron.executable };
}

/** Whether somebody sits before a screen that belongs to this session. */
export function hasDesktop(platform: NodeJS.Platform, env: Env): boolean {
  if (platform === 'win32' || platform === 'darwin') return !isSet(env['SSH_CONNECTION']);
  return isSet(env['DISPLAY']) || isSet(env['WAYLAND_DISPLAY']);
}

/** `CI` as build machines set it; `CI=false` and `CI=0` mean no. */
export function isBuildMachine(env: Env): boolean {
  return isSet(env['CI']) && env['CI'] !== 'false' && env['CI'] !== '0';
}

/** What the owner reads once the server answers. `openUrl` has the one-time code while the PDA is not set up yet. */
export function sayRunning(openUrl: string, home: string, whyNoApp: string): string {
  const first = new URL(openUrl).hash.startsWith('#/setup');
  return [
    first ? 'Your Personal Data Account is ready to be set up. Open' : 'Your Personal Data Account is running. Open',
    '',
    `  ${openUrl}`,
    '',
    ...(first ? ['The address holds a code that works once, for you. Do not pass it on.'] : []),
    `Your data is in ${home}. Ctrl-C stops the server.`,
    `There is no app window: ${whyNoApp}.`,
    '',
  ].join('\n');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
