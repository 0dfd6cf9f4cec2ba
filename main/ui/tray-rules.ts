import type { DesktopStatus } from '../../server/wire/desktop.ts';
import type { ServerState } from '../server/process.ts';
import { en, type Texts } from '../texts/en.ts';
import type { UpdateState } from '../updates/update-flow.ts';

/** Commands of the tray menu and the app menu. */
export type Command =
  | 'open'
  | 'requests'
  | 'backups'
  | 'go-dark'
  | 'go-light'
  | 'pause-functions'
  | 'resume-functions'
  | 'launch-at-login'
  | 'try-again'
  | 'update'
  | 'quit';

export type TrayItem =
  | { readonly kind: 'words'; readonly label: string }
  | { readonly kind: 'line' }
  | { readonly kind: 'command'; readonly command: Command; readonly label: string; readonly checked?: boolean };

export type TrayFace = {
  /** One line, the most important part first. */
  readonly tooltip: string;
  readonly items: readonly TrayItem[];
};

/** Windows truncates the tooltip of a tray icon. */
const MAX_TOOLTIP_CHARS = 120;
/** Maximum length of a menu label. */
const MAX_LABEL_CHARS = 100;

/**
 * Builds the tray menu: status lines and commands.
 * @param atLogin whether the app starts at login; null: not available here
 * @param update null before the first check
 */
export function trayFace(
  state: ServerState,
  status: DesktopStatus | null,
  atLogin: boolean | null,
  update: UpdateState | null = null,
  texts: Texts = en,
): TrayFace {
  const isInstalling = update?.kind === 'preparing' || update?.kind === 'installing';
  const statusLines =
    state.kind === 'running'
      ? runningWords(status, texts)
      : [isInstalling ? texts.tray.stoppedForUpdate(update.version) : stateWords(state, texts)];
  return {
    tooltip: short(texts.tray.tooltip(statusLines.join(', ')), MAX_TOOLTIP_CHARS),
    items: [
      ...statusLines.map((label) => ({ kind: 'words' as const, label: short(label, MAX_LABEL_CHARS) })),
      { kind: 'line' },
      ...doing(state, status, texts).filter((item) => !isInstalling || !isTryAgain(item)),
      { kind: 'line' },
      ...(atLogin === null
        ? []
        : [
            {
              kind: 'command' as const,
              command: 'launch-at-login' as const,
              label: texts.commands.launchAtLogin,
              checked: atLogin,
            },
          ]),
      updateItem(update, texts),
      { kind: 'command', command: 'quit', label: texts.commands.quit },
    ],
  };
}

const isTryAgain = (item: TrayItem): boolean => item.kind === 'command' && item.command === 'try-again';

/** Returns the update item. It shows no percentages: a menu that changes constantly cannot be used. */
function updateItem(update: UpdateState | null, { tray, commands }: Texts): TrayItem {
  switch (update?.kind) {
    case 'checking':
      return { kind: 'words', label: tray.lookingForUpdates };
    case 'loading':
      return { kind: 'words', label: tray.loadingUpdate(update.version) };
    case 'preparing':
    case 'installing':
      return { kind: 'words', label: tray.installingUpdate(update.version) };
    case 'ready':
      return { kind: 'command', command: 'update', label: commands.installUpdate(update.version) };
    default:
      return { kind: 'command', command: 'update', label: commands.checkForUpdates };
  }
}

/** Returns the status lines, those that need a decision first. */
function runningWords(status: DesktopStatus | null, { tray }: Texts): string[] {
  if (status === null) return [tray.running];
  const { requestsWaiting, functionsPaused } = status;
  const backup = backupWords(status, tray);
  return [
    ...(requestsWaiting > 0 ? [tray.requests(requestsWaiting)] : []),
    ...(backup === undefined ? [] : [backup]),
    exposureWords(status.exposure, tray.exposure),
    ...(functionsPaused ? [tray.functionsPaused] : []),
  ];
}

/** Returns the status of backups, as on the dashboard's home page; nothing if the owner never enabled them. */
function backupWords({ backup }: DesktopStatus, tray: Texts['tray']): string | undefined {
  return backup === 'none' || backup === 'well' ? undefined : tray.backup[backup];
}

function exposureWords(
  { state, address, readableBy }: DesktopStatus['exposure'],
  exposureTexts: Texts['tray']['exposure'],
): string {
  // A localtunnel server assigns the address after the connection.
  const host = address === null ? (readableBy ?? '') : (URL.parse(address)?.host ?? '');
  switch (state) {
    case 'off':
      return exposureTexts.off;
    case 'dark':
      return exposureTexts.dark;
    case 'reachable':
    case 'readable':
    case 'unproven':
      return readableBy === null ? exposureTexts.public(host) : exposureTexts.readable(host, readableBy);
    case 'connecting':
    case 'certificate':
    case 'unreachable':
    case 'impostor':
      return exposureTexts[state](host);
    case 'refused':
      return readableBy === null ? exposureTexts.refused(host) : exposureTexts.otherName(readableBy);
  }
}

function stateWords(state: Exclude<ServerState, { kind: 'running' }>, { tray }: Texts): string {
  switch (state.kind) {
    case 'stopped':
    case 'starting':
    case 'stopping':
      return tray[state.kind];
    case 'waiting':
      return tray.waiting(state.reason, state.inMs);
    case 'failed':
      return state.notice?.message ?? tray.failed(state.reason);
  }
}

function doing(state: ServerState, status: DesktopStatus | null, { tray, commands }: Texts): TrayItem[] {
  const command = (id: Command, label: string): TrayItem => ({ kind: 'command', command: id, label });
  if (state.kind !== 'running') {
    const canTry = state.kind === 'failed' || state.kind === 'waiting' || state.kind === 'stopped';
    return [command('open', commands.open), ...(canTry ? [command('try-again', commands.tryAgain)] : [])];
  }
  const open = command('open', commands.open);
  if (status === null) return [open];
  const { exposure, functionsPaused, requestsWaiting } = status;
  return [
    open,
    ...(requestsWaiting > 0 ? [command('requests', commands.requests)] : []),
    ...(backupWords(status, tray) === undefined ? [] : [command('backups', commands.backups)]),
    ...(exposure.state === 'dark'
      ? [command('go-light', commands.goLight)]
      : exposure.state === 'off'
        ? []
        : [command('go-dark', commands.goDark)]),
    functionsPaused
      ? command('resume-functions', commands.resumeFunctions)
      : command('pause-functions', commands.pauseFunctions),
  ];
}

function short(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
