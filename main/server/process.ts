import type { CannotStart } from '../../server/wire/desktop.ts';
import { createServerLink, type ServerLink } from './link.ts';
import { afterCrash, MAX_QUICK_CRASHES } from './restart-rules.ts';
import { startServerRun, type Exit, type ServerCommand, type ServerRun } from './launch.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateNotice } from '../updates/rules.ts';

/** State of the server. `lastLines` holds the end of its stderr. */
export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly address: string; readonly openUrl: string; readonly pid: number }
  | ({ readonly kind: 'waiting'; readonly inMs: number } & ServerFailure)
  | { readonly kind: 'stopping' }
  | ({ readonly kind: 'failed' } & ServerFailure);

/**
 * Why the server ended. `problem`: its own report about a home that it could not open; `reason` is then its sentence.
 */
export type ServerFailure = {
  readonly reason: string;
  readonly lastLines: readonly string[];
  readonly problem?: CannotStart['kind'];
  /** Detailed text of the app, shown instead of the reason. */
  readonly notice?: UpdateNotice;
};

/** Result of a stop. `cut-off`: the server missed the deadline and was killed. */
export type StopOutcome =
  | { readonly kind: 'was-not-running' }
  | { readonly kind: 'in-order' }
  | { readonly kind: 'badly'; readonly reason: string }
  | { readonly kind: 'cut-off' };

export type ServerLimits = {
  /**
   * Milliseconds for the start. Long, because the first start after an update may copy and migrate a large database.
   */
  readonly startMs: number;
  /** Milliseconds for a stop. The server's own deadline is shorter. */
  readonly stopMs: number;
  readonly healthEveryMs: number;
  readonly healthTimeoutMs: number;
  /** Number of consecutive health checks without a response after which the server counts as hanging. */
  readonly healthMisses: number;
  readonly maxQuickCrashes: number;
};

export const SERVER_LIMITS: ServerLimits = {
  startMs: 120_000,
  stopMs: 10_000,
  healthEveryMs: 15_000,
  healthTimeoutMs: 5_000,
  healthMisses: 3,
  maxQuickCrashes: MAX_QUICK_CRASHES,
};

export type ServerProcess = {
  /** Status and commands of the server. */
  readonly link: Pick<ServerLink, 'status' | 'onStatus' | 'ask'>;
  state(): ServerState;
  /** Subscribes to state changes. Returns a function that unsubscribes. */
  subscribe(listener: (state: ServerState) => void): () => void;
  /** Starts the server, or ends the wait before a restart. No effect while it starts, runs or stops. */
  start(): void;
  /** Stops the server in order, by force after the deadline. Concurrent calls share the result. */
  stop(): Promise<StopOutcome>;
  /** Stops the server and removes all listeners. It cannot be started again. */
  close(): Promise<void>;
};

/** Problems that a restart cannot fix. A home in use may be released soon, and problems outside the home may pass. */
const FATAL_PROBLEMS: ReadonlySet<CannotStart['kind']> = new Set(['unusable', 'damaged', 'newer', 'not_a_pda']);

/** Exit code for wrong arguments: the server would refuse them again. */
const WRONG_ARGUMENTS = 2;

/**
 * Starts the PDA server, supervises it, restarts it after a crash, and stops it in order.
 * @param config `command`: a function is called before each start; `whyNot`: called before each start, a returned
 * sentence prevents it; `random` and `onLog` (receives each line of the server's stderr) are for tests and log
 * viewers
 */
export function createServerProcess(config: {
  readonly command: ServerCommand | (() => ServerCommand);
  readonly limits?: Partial<ServerLimits>;
  readonly whyNot?: () => string | null;
  readonly texts: Texts;
  readonly random?: () => number;
  readonly onLog?: (line: string) => void;
}): ServerProcess {
  const limits: ServerLimits = { ...SERVER_LIMITS, ...config.limits };
  const random = config.random ?? Math.random;
  const listeners = new Set<(state: ServerState) => void>();
  const onLog = config.onLog ?? (() => {});
  const { texts } = config;
  const link = createServerLink({
    texts,
    onInvalidMessage: (problem) => onLog(`the server sent an invalid message: ${problem}`),
  });
  let state: ServerState = { kind: 'stopped' };
  let liveRun: { readonly run: ServerRun; readonly exited: Promise<Exit>; clearTimers(): void } | null = null;
  let restartTimer: NodeJS.Timeout | undefined;
  let stopping: Promise<StopOutcome> | null = null;
  let quickCrashes = 0;
  let closed = false;

  const setState = (next: ServerState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };

  const begin = (): void => {
    clearTimeout(restartTimer);
    const whyNot = config.whyNot?.() ?? null;
    if (whyNot !== null) {
      setState({ kind: 'failed', reason: whyNot, lastLines: [], problem: 'unusable' });
      return;
    }
    let upSince: number | null = null;
    /** Reason why the app itself ended the server; null otherwise. */
    let ourReason: string | null = null;
    let watch: { close(): void } | null = null;

    const run = startServerRun(typeof config.command === 'function' ? config.command() : config.command, {
      onLog,
      onMessage: link.receive,
      onAnnounced({ listenAddress, address, openUrl }) {
        clearTimeout(startTimer);
        if (upSince === null) link.begin(run.send);
        upSince ??= performance.now();
        watch ??= watchHealth(listenAddress, limits, (misses) => {
          ourReason = texts.ending.silent(misses);
          run.kill();
        });
        if (run.pid !== undefined && (state.kind === 'starting' || state.kind === 'running')) {
          setState({ kind: 'running', address, openUrl, pid: run.pid });
        }
      },
    });
    const startTimer = setTimeout(() => {
      ourReason = texts.ending.notWithin(limits.startMs);
      run.kill();
    }, limits.startMs);
    const clearTimers = (): void => {
      clearTimeout(startTimer);
      watch?.close();
    };
    const exited = run.exit.then((exit) => {
      clearTimers();
      link.end();
      liveRun = null;
      // A requested stop reports its own result.
      if (stopping === null) crashed(exit, ourReason ?? describeExit(exit, texts), upSince, run.lastLines());
      return exit;
    });
    liveRun = { run, exited, clearTimers };
    setState({ kind: 'starting' });
  };

  const crashed = (exit: Exit, reason: string, upSince: number | null, lastLines: readonly string[]): void => {
    const upMs = upSince === null ? 0 : performance.now() - upSince;
    const next = afterCrash({ quickCrashes, upMs, random: random() }, limits.maxQuickCrashes);
    quickCrashes = next.quickCrashes;
    const reported = link.whyNotStarted();
    const ending: ServerFailure =
      reported === null
        ? { reason, lastLines }
        : {
            reason: texts.home.cannotStart(reported.kind, reported.reason.replace(/\.$/, '')),
            lastLines,
            problem: reported.kind,
          };
    const hopeless =
      exit.kind === 'not-started' ||
      (exit.kind === 'exited' && exit.code === WRONG_ARGUMENTS) ||
      (reported !== null && FATAL_PROBLEMS.has(reported.kind));
    if (hopeless || next.kind === 'give-up') {
      setState({ kind: 'failed', ...ending });
      return;
    }
    restartTimer = setTimeout(begin, next.inMs);
    setState({ kind: 'waiting', ...ending, inMs: next.inMs });
  };

  const stopRunning = async (current: NonNullable<typeof liveRun>): Promise<StopOutcome> => {
    let late = false;
    const deadline = setTimeout(() => {
      late = true;
      current.run.kill();
    }, limits.stopMs);
    // From here on only the deadline of the stop counts: a health check must not kill a server that is closing its
    // database.
    current.clearTimers();
    setState({ kind: 'stopping' });
    current.run.requestStop();
    const exit = await current.exited;
    clearTimeout(deadline);
    if (late) return { kind: 'cut-off' };
    return exit.kind === 'exited' && exit.code === 0
      ? { kind: 'in-order' }
      : { kind: 'badly', reason: describeExit(exit, texts) };
  };

  const stop = async (): Promise<StopOutcome> => {
    if (stopping !== null) return stopping;
    clearTimeout(restartTimer);
    quickCrashes = 0;
    if (liveRun === null) {
      if (state.kind !== 'stopped') setState({ kind: 'stopped' });
      return { kind: 'was-not-running' };
    }
    const current = liveRun;
    // Set first: an exit during the stop must find it.
    const { promise, resolve } = Promise.withResolvers<StopOutcome>();
    stopping = promise;
    const outcome = await stopRunning(current);
    stopping = null;
    setState({ kind: 'stopped' });
    resolve(outcome);
    return outcome;
  };

  return {
    link,
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start() {
      if (closed || liveRun !== null || stopping !== null) return;
      if (state.kind === 'failed') quickCrashes = 0;
      begin();
    },
    stop,
    async close() {
      closed = true;
      await stop();
      listeners.clear();
    },
  };
}

/**
 * Polls `/healthz`. Any response is a sign of liveRun, even a 503: a server that restores a backup or waits for disk
 * space must not be killed. Only missing responses count.
 */
function watchHealth(address: string, limits: ServerLimits, onSilence: (misses: number) => void): { close(): void } {
  const closing = new AbortController();
  let misses = 0;
  let timer: NodeJS.Timeout;
  const ask = async (): Promise<void> => {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(limits.healthTimeoutMs), closing.signal]);
      const response = await fetch(`${address}/healthz`, { signal, redirect: 'manual' });
      await response.body?.cancel();
      misses = 0;
    } catch {
      misses += 1;
    }
    if (closing.signal.aborted) return;
    if (misses >= limits.healthMisses) onSilence(misses);
    else schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => void ask(), limits.healthEveryMs);
  };
  schedule();
  return {
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/** Returns true if the PDA has an owner. Before that, only the set-up page exists. */
export function isSetUp({ address, openUrl }: Extract<ServerState, { kind: 'running' }>): boolean {
  return openUrl === `${address}/`;
}

/** Describes an exit for the owner. Completes the sentence "The server stopped: …". */
function describeExit(exit: Exit, { ending }: Texts): string {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? ending.byItself : ending.code(exit.code);
    case 'killed':
      return ending.killed(exit.signal);
    case 'not-started':
      return ending.notStarted(exit.message);
  }
}
