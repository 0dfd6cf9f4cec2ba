import type { ServerState } from '../server/process.ts';
import { en, type Texts } from '../texts/en.ts';

export type FailureText = {
  readonly title: string;
  readonly paragraphs: readonly string[];
  readonly logLines: readonly string[];
  readonly canStart: boolean;
};

const MAX_SHOWN_LOG_LINES = 12;

export function buildFailureText(
  state: Exclude<ServerState, { kind: 'running' | 'stopping' }>,
  { failure }: Texts = en,
): FailureText {
  switch (state.kind) {
    case 'starting':
      return { title: failure.starting, paragraphs: [failure.startingText], logLines: [], canStart: false };
    case 'stopped':
      return { title: failure.notRunning, paragraphs: [failure.dataIsSafe], logLines: [], canStart: true };
    case 'waiting':
      return {
        title: failure.stopped,
        paragraphs: [failure.stoppedText(state.reason), failure.restartsIn(state.restartInMs)],
        logLines: lastLogLines(state.lastLines),
        canStart: true,
      };
    case 'failed':
      if (state.notice !== undefined)
        return { title: state.notice.message, paragraphs: [state.notice.detail], logLines: [], canStart: true };
      return {
        title: failure.notRunning,
        paragraphs: [describeFailure(state, failure), describeRemedy(state.problem, failure.remedies)].filter(
          (paragraph) => paragraph !== '',
        ),
        // The reason explains a problem of the home, so the log is not needed.
        logLines: state.problem === undefined ? lastLogLines(state.lastLines) : [],
        canStart: true,
      };
  }
}

type FailedState = Extract<ServerState, { kind: 'failed' }>;

function describeFailure({ reason, problem }: FailedState, failure: Texts['failure']): string {
  return problem === undefined || problem === 'other' ? failure.stoppedText(reason) : `${reason}.`;
}

function describeRemedy(problem: FailedState['problem'], remedies: Texts['failure']['remedies']): string {
  switch (problem) {
    case 'in_use':
    case 'unusable':
    case 'newer':
    case 'damaged':
      return remedies[problem];
    default:
      return '';
  }
}

function lastLogLines(lines: readonly string[]): string[] {
  return lines.slice(-MAX_SHOWN_LOG_LINES).map(messageOfLogLine);
}

function messageOfLogLine(line: string): string {
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry === 'object' && entry !== null && 'msg' in entry && typeof entry.msg === 'string')
      return entry.msg;
  } catch {
    // The line is not JSON, but part of a stack trace or a message of Node.
  }
  return line;
}
