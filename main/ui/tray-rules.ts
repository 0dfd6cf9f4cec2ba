import type { DesktopStatus } from '../../server/wire/desktop.ts';
import type { ServerState } from '../server/process.ts';
import { en, type Texts } from '../texts/en.ts';
import type { UpdateState } from '../updates/update-flow.ts';

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
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'separator' }
  | { readonly kind: 'command'; readonly command: Command; readonly label: string; readonly checked?: boolean };

export type TrayContent = {
  /** One line, the most important status first. */
  readonly tooltip: string;
  readonly items: readonly TrayItem[];
};

/** Windows truncates longer tooltips. */
const MAX_TOOLTIP_CHARS = 120;
const MAX_LABEL_CHARS = 100;

/**
 * Builds the tooltip and the menu of the tray.
 * @param startsAtLogin null in a checkout, which has no login item
 * @param update null until the update flow has been created
 */
export function buildTrayContent(
  state: ServerState,
  status: DesktopStatus | null,
  startsAtLogin: boolean | null,
  update: UpdateState | null = null,
  texts: Texts = en,
): TrayContent {
  const isInstalling = update?.kind === 'preparing' || update?.kind === 'installing';
  const statusLines =
    state.kind === 'running'
      ? runningStatusLines(status, texts)
      : [isInstalling ? texts.tray.stoppedForUpdate(update.version) : stoppedStatusLine(state, texts)];
  return {
    tooltip: truncate(texts.tray.tooltip(statusLines.join(', ')), MAX_TOOLTIP_CHARS),
    items: [
      ...statusLines.map((label) => ({ kind: 'text' as const, label: truncate(label, MAX_LABEL_CHARS) })),
      { kind: 'separator' },
      ...commandItems(state, status, texts).filter((item) => !isInstalling || !isTryAgain(item)),
      { kind: 'separator' },
      ...(startsAtLogin === null
        ? []
        : [
            {
              kind: 'command' as const,
              command: 'launch-at-login' as const,
              label: texts.commands.launchAtLogin,
              checked: startsAtLogin,
            },
          ]),
      updateItem(update, texts),
      { kind: 'command', command: 'quit', label: texts.commands.quit },
    ],
  };
}

const isTryAgain = (item: TrayItem): boolean => item.kind === 'command' && item.command === 'try-again';

function updateItem(update: UpdateState | null, { tray, commands }: Texts): TrayItem {
  switch (update?.kind) {
    case 'checking':
      return { kind: 'text', label: tray.checkingForUpdates };
    case 'downloading':
      return { kind: 'text', label: tray.downloadingUpdate(update.version) };
    case 'preparing':
    case 'installing':
      return { kind: 'text', label: tray.installingUpdate(update.version) };
    case 'ready':
      return { kind: 'command', command: 'update', label: commands.installUpdate(update.version) };
    default:
      return { kind: 'command', command: 'update', label: commands.checkForUpdates };
  }
}

/** Requests and backup problems, which need the owner's attention, come first. */
function runningStatusLines(status: DesktopStatus | null, { tray }: Texts): string[] {
  if (status === null) return [tray.running];
  const { requestsWaiting, functionsPaused } = status;
  const backup = backupStatusLine(status, tray);
  return [
    ...(requestsWaiting > 0 ? [tray.requests(requestsWaiting)] : []),
    ...(backup === undefined ? [] : [backup]),
    exposureStatusLine(status.exposure, tray.exposure),
    ...(functionsPaused ? [tray.functionsPaused] : []),
  ];
}

function backupStatusLine({ backup }: DesktopStatus, tray: Texts['tray']): string | undefined {
  return backup === 'none' || backup === 'well' ? undefined : tray.backup[backup];
}

function exposureStatusLine(
  { state, address, readableBy }: DesktopStatus['exposure'],
  exposureTexts: Texts['tray']['exposure'],
): string {
  // A localtunnel server assigns the address after the PDA has connected. Until then, its own host is shown.
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
      return readableBy === null ? exposureTexts.refused(host) : exposureTexts.nameRefused(readableBy);
  }
}

function stoppedStatusLine(state: Exclude<ServerState, { kind: 'running' }>, { tray }: Texts): string {
  switch (state.kind) {
    case 'stopped':
    case 'starting':
    case 'stopping':
      return tray[state.kind];
    case 'waiting':
      return tray.waiting(state.reason, state.restartInMs);
    case 'failed':
      return state.notice?.message ?? tray.failed(state.reason);
  }
}

function commandItems(state: ServerState, status: DesktopStatus | null, { tray, commands }: Texts): TrayItem[] {
  const command = (id: Command, label: string): TrayItem => ({ kind: 'command', command: id, label });
  if (state.kind !== 'running') {
    const canStart = state.kind === 'failed' || state.kind === 'waiting' || state.kind === 'stopped';
    return [command('open', commands.open), ...(canStart ? [command('try-again', commands.tryAgain)] : [])];
  }
  const open = command('open', commands.open);
  if (status === null) return [open];
  const { exposure, functionsPaused, requestsWaiting } = status;
  return [
    open,
    ...(requestsWaiting > 0 ? [command('requests', commands.requests)] : []),
    ...(backupStatusLine(status, tray) === undefined ? [] : [command('backups', commands.backups)]),
    ...(exposure.state === 'dark'
      ? [command('go-light', commands.reopenAddress)]
      : exposure.state === 'off'
        ? []
        : [command('go-dark', commands.goDark)]),
    functionsPaused
      ? command('resume-functions', commands.resumeFunctions)
      : command('pause-functions', commands.pauseFunctions),
  ];
}

function truncate(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, maxChars - 1)}…`;
}
