/**
 * How one run of a function is asked for, wherever the function lives: in a sandbox on this machine or behind a
 * gateway. Everything that goes in or comes out is JSON text; how a run ended is a value, never a throw.
 */

/**
 * How a step, and with it the run, ended.
 *
 * `memory` and `time`: a cap was reached. `error`: the function threw, rejected, or is not a function that we can run.
 * `output`: what it returned is no JSON or too large. `crashed`: the process or connection ended under it, or the
 * server is stopping.
 */
export type Outcome = 'done' | 'memory' | 'time' | 'error' | 'output' | 'crashed';

/** JSON text on success; otherwise one bounded line, fit to be shown. */
export type Step =
  | { readonly outcome: 'done'; readonly text: string }
  | { readonly outcome: Exclude<Outcome, 'done'>; readonly message: string };

/**
 * One run: opened, asked step by step, closed. The clock covers the whole session; after a failed step every later
 * step answers the same failure.
 */
export interface FunctionSession {
  configuration(): Promise<Step>;
  dataBundle(window: { readonly fromDate?: string; readonly untilDate: string }): Promise<Step>;
  /** @param requestText JSON text of `{functionConfiguration, request: {data: {property: [records]}}}` */
  process(requestText: string): Promise<Step>;
  /** Ends the process or connection whatever it does; never throws. A second call answers the same. */
  close(): Promise<SessionReport>;
}

export type SessionReport = {
  /** Of the whole process, as seen from outside; undefined where it cannot be known. */
  readonly peakMemoryBytes: number | undefined;
  /** What the function said to its console, bounded. */
  readonly log: string[];
  /** From `open` to the end of the last step. */
  readonly durationMs: number;
};

/** One for installed packages (sandbox), one for remote functions (HTTP). */
export interface FunctionHost {
  /** Starts at once and never throws: what fails at the start is the outcome of the first step. */
  open(target: FunctionTarget, signal?: AbortSignal): FunctionSession;
}

export type FunctionTarget = {
  readonly id: string;
  readonly version: string;
  readonly memoryMb: number;
  readonly timeoutMs: number;
  /** The ES module's file for a local function, the gateway's address for a remote one. */
  readonly location: string;
};
