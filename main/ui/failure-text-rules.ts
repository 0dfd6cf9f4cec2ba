import type { ServerState } from '../server/process.ts';
import { en, type Texts } from '../texts/en.ts';

/** Text for a server that does not run: what happened, what was kept, what the owner can do. */
export type FailureText = {
  readonly title: string;
  readonly text: readonly string[];
  /** The end of its log as plain text. */
  readonly lines: readonly string[];
  readonly canTry: boolean;
};

/** Maximum number of log lines that are shown. */
const LINES_SHOWN = 12;

export function failureText(
  state: Exclude<ServerState, { kind: 'running' | 'stopping' }>,
  { failure }: Texts = en,
): FailureText {
  switch (state.kind) {
    case 'starting':
      return {
        title: failure.starting,
        text: [failure.startingText],
        lines: [],
        canTry: false,
      };
    case 'stopped':
      return { title: failure.notRunning, text: [failure.kept], lines: [], canTry: true };
    case 'waiting':
      return {
        title: failure.stopped,
        text: [failure.stoppedText(state.reason), failure.again(state.inMs)],
        lines: shownLines(state.lastLines),
        canTry: true,
      };
    case 'failed':
      if (state.notice !== undefined)
        return { title: state.notice.message, text: [state.notice.detail], lines: [], canTry: true };
      return {
        title: failure.notRunning,
        text: [whatHappened(state, failure), whatToDo(state.problem, failure.todo)].filter((line) => line !== ''),
        // The server's report about its home is the reason already.
        lines: state.problem === undefined ? shownLines(state.lastLines) : [],
        canTry: true,
      };
  }
}

type FailedState = Extract<ServerState, { kind: 'failed' }>;

function whatHappened({ reason, problem }: FailedState, failure: Texts['failure']): string {
  return problem === undefined || problem === 'other' ? failure.stoppedText(reason) : `${reason}.`;
}

function whatToDo(problem: FailedState['problem'], todo: Texts['failure']['todo']): string {
  switch (problem) {
    case 'in_use':
    case 'unusable':
    case 'newer':
    case 'damaged':
      return todo[problem];
    default:
      return '';
  }
}

function shownLines(lines: readonly string[]): string[] {
  return lines.slice(-LINES_SHOWN).map(plainLine);
}

/** Returns the message of a JSON log line; any other line unchanged. */
function plainLine(line: string): string {
  try {
    const parsed: unknown = JSON.parse(line);
    if (typeof parsed === 'object' && parsed !== null && 'msg' in parsed && typeof parsed.msg === 'string')
      return parsed.msg;
  } catch {
    // Not JSON: a stack trace or a message of Node.
  }
  return line;
}
