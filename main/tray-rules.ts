import type { ServerState } from './server-process.ts';

/** What the tray shows. `canOpen`: there is a page to open. */
export type TrayFace = { readonly status: string; readonly canOpen: boolean };

/** The server's state in words, for the tray's menu and its tooltip. */
export function trayFace(state: ServerState): TrayFace {
  switch (state.kind) {
    case 'stopped':
      return { status: 'Stopped', canOpen: false };
    case 'starting':
      return { status: 'Starting', canOpen: false };
    case 'running':
      return { status: 'Running on this computer', canOpen: true };
    case 'waiting':
      return {
        status: `The server stopped: ${state.reason}. Starting again in ${inWords(state.inMs)}`,
        canOpen: false,
      };
    case 'stopping':
      return { status: 'Stopping', canOpen: false };
    case 'failed':
      return { status: `The server stopped: ${state.reason}`, canOpen: false };
  }
}

/** What is said when the server cannot be kept running: what happened, what was kept, what can be done. */
export type FailureWords = { readonly message: string; readonly detail: string };

/** So many lines fit a dialog. */
const LINES_SHOWN = 8;

/** The words of the dialog for a server that was given up. */
export function failureWords(state: Extract<ServerState, { kind: 'failed' }>): FailureWords {
  const lines = state.lastLines.slice(-LINES_SHOWN).map(plainLine);
  return {
    message: 'Your PDA is not running',
    detail: [
      `The server stopped: ${state.reason}. Everything that was saved is still there. Nobody can reach your data until the server runs again.`,
      ...(lines.length === 0 ? [] : ['', 'Its last words:', ...lines]),
    ].join('\n'),
  };
}

/** The message of a JSON log line; any other line as it is. */
function plainLine(line: string): string {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null && 'msg' in parsed && typeof parsed.msg === 'string')
      return parsed.msg;
  } catch {
    // Not JSON: a stack trace, a word from Node.
  }
  return line;
}

function inWords(milliseconds: number): string {
  const seconds = Math.max(1, Math.round(milliseconds / 1000));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
