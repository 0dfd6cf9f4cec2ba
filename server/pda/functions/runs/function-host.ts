import { toDisplayLine } from '../../../wire/display-text.ts';
import type { RunOutcome } from '../../../wire/functions.ts';

/**
 * `memory` and `time`: a limit was reached. `error`: the function threw, rejected, requested too much, or cannot run.
 * `output`: the output is invalid or too large. `crashed`: the process or connection did not start, sent invalid frames
 * or ended unexpectedly, or the run was cancelled.
 */
export type StepOutcome = Exclude<RunOutcome, 'stopped'>;

/** Result of a step: on success untrusted text that should be JSON, otherwise a one-line message. */
export type Step =
  | { readonly outcome: 'done'; readonly text: string }
  | { readonly outcome: Exclude<StepOutcome, 'done'>; readonly message: string };

/**
 * One run of a function. One time limit covers all of its steps. After a failed step, every later step returns the same
 * failure.
 */
export interface FunctionSession {
  configuration(): Promise<Step>;
  dataBundle(window: { readonly fromDate?: string; readonly untilDate: string }): Promise<Step>;
  /** @param requestText JSON text of `{functionConfiguration, request: {data: {property: [records]}}}` */
  process(requestText: string): Promise<Step>;
  /** Ends the process or connection unconditionally. Never throws; a second call returns the same report. */
  close(): Promise<SessionReport>;
}

export type SessionReport = {
  /** Peak memory of the whole process, measured from outside; undefined if it cannot be measured. */
  readonly peakMemoryBytes: number | undefined;
  /** Console output of the function, truncated to a maximum size. */
  readonly log: string[];
  /** Milliseconds from `open` to the end of the last step. */
  readonly durationMs: number;
};

/** Runs functions in the local sandbox or as remote web services. Failures are returned as values and never thrown. */
export interface FunctionHost {
  /** Starts a session immediately. Never throws; a failed start is the outcome of the first step. */
  open(target: FunctionTarget, signal?: AbortSignal): FunctionSession;
}

const MAX_MESSAGE_CHARS = 1000;

/** Reduces untrusted text to a single displayable line of bounded length. */
export const toMessageLine = (text: string): string =>
  toDisplayLine(text.slice(0, 2 * MAX_MESSAGE_CHARS)).slice(0, MAX_MESSAGE_CHARS);

/** The function that a session runs, with its limits in megabytes and milliseconds. */
export type FunctionTarget = {
  readonly id: string;
  readonly version: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** Path of the ES module of a local function, or the URL of the web service of a remote one. */
  readonly location: string;
};
