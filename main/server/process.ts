import type { CannotStart } from '../../server/wire/desktop.ts';
import { createServerLink } from './link.ts';
import { decideRestart, MAX_QUICK_CRASHES } from './restart-rules.ts';
import { startServerRun, type Exit, type ServerCommand, type ServerRun } from './launch.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateNotice } from '../updates/rules.ts';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly address: string; readonly openUrl: string; readonly pid: number }
  | ({ readonly kind: 'waiting'; readonly restartInMs: number } & ServerFailure)
  | { readonly kind: 'stopping' }
  | ({ readonly kind: 'failed' } & ServerFailure);

/** Cause of a crash or failed start. `lastLines`: the end of stderr; `problem`: set if the home could not be opened. */
export type ServerFailure = {
  readonly reason: string;
  readonly lastLines: readonly string[];
  readonly problem?: CannotStart['kind'];
  /** Detailed text that is shown instead of the reason. */
  readonly notice?: UpdateNotice;
};

/** `killed-after-timeout`: the server missed the deadline. */
export type StopOutcome =
  | { readonly kind: 'was-not-running' }
  | { readonly kind: 'clean' }
  | { readonly kind: 'unclean'; readonly reason: string }
  | { readonly kind: 'killed-after-timeout' };

export type ServerLimits = {
  /** Deadline of a start. The first start after an update may copy and migrate a large database. */
  readonly startMs: number;
  /** Deadline of a stop. The server's own deadline is shorter. */
  readonly stopMs: number;
  readonly healthEveryMs: number;
  readonly healthTimeoutMs: number;
  /** Consecutive health checks without a response after which the server counts as hanging. */
  readonly healthMisses: number;
  readonly maxQuickCrashes: number;
};

const DEFAULT_SERVER_LIMITS: ServerLimits = {
  startMs: 120_000,
  stopMs: 10_000,
  healthEveryMs: 15_000,
  healthTimeoutMs: 5_000,
  healthMisses: 3,
  maxQuickCrashes: MAX_QUICK_CRASHES,
};

export type ServerProcess = {
  readonly link: Pick<ReturnType<typeof createServerLink>, 'status' | 'onStatus' | 'sendCommand'>;
  state(): ServerState;
  subscribe(listener: (state: ServerState) => void): () => void;
  /**
   * Starts the server, or ends the wait before a restart. Has no effect while the server starts, runs or stops, and
   * after `close`.
   */
  start(): void;
  /** Shuts the server down cleanly, and kills it after the deadline. Concurrent calls share the result. */
  stop(): Promise<StopOutcome>;
  close(): Promise<void>;
};

/** Problems that a restart cannot fix. In contrast, a home that is in use may be released soon. */
const FATAL_PROBLEMS: ReadonlySet<CannotStart['kind']> = new Set(['unusable', 'damaged', 'newer', 'not_a_pda']);

/** The server's exit code for invalid arguments. A restart would fail again. */
const INVALID_ARGUMENTS_EXIT_CODE = 2;

/**
 * Creates a supervisor that starts the server, restarts it after a crash, and shuts it down cleanly.
 * @param config `findStartObstacle`: returns a sentence for the owner if the server must not start
 */
export function createServerProcess(config: {
  readonly command: ServerCommand | (() => ServerCommand);
  readonly limits?: Partial<ServerLimits>;
  readonly findStartObstacle?: () => string | null;
  readonly texts: Texts;
  readonly random?: () => number;
  readonly onLog?: (line: string) => void;
}): ServerProcess {
  const limits: ServerLimits = { ...DEFAULT_SERVER_LIMITS, ...config.limits };
  const random = config.random ?? Math.random;
  const listeners = new Set<(state: ServerState) => void>();
  const onLog = config.onLog ?? (() => {});
  const { texts } = config;
  const link = createServerLink({
    texts,
    onInvalidMessage: (problem) => onLog(`the server sent an invalid message: ${problem}`),
  });
  let state: ServerState = { kind: 'stopped' };
  let liveRun: { readonly run: ServerRun; readonly handledExit: Promise<Exit>; clearTimers(): void } | null = null;
  let restartTimer: NodeJS.Timeout | undefined;
  let pendingStop: Promise<StopOutcome> | null = null;
  let quickCrashes = 0;
  let isClosed = false;

  const setState = (next: ServerState): void => {
    state = next;
    for (const listener of listeners) listener(next);
  };

  const startRun = (): void => {
    clearTimeout(restartTimer);
    const obstacle = config.findStartObstacle?.() ?? null;
    if (obstacle !== null) {
      setState({ kind: 'failed', reason: obstacle, lastLines: [], problem: 'unusable' });
      return;
    }
    let upSince: number | null = null;
    let killReason: string | null = null;
    let healthCheck: { close(): void } | null = null;

    const run = startServerRun(typeof config.command === 'function' ? config.command() : config.command, {
      onLog,
      onMessage: link.receive,
      // A server that has restarted within its process, for example to restore a backup, has no subscribers.
      onListening: () => link.connect(run.send),
      onAnnounced({ listenAddress, address, openUrl }) {
        clearTimeout(startTimer);
        upSince ??= performance.now();
        healthCheck ??= watchHealth(listenAddress, limits, (misses) => {
          killReason = texts.exitReasons.unresponsive(misses);
          run.kill();
        });
        if (run.pid !== undefined && (state.kind === 'starting' || state.kind === 'running'))
          setState({ kind: 'running', address, openUrl, pid: run.pid });
      },
    });
    const startTimer = setTimeout(() => {
      killReason = texts.exitReasons.startTimedOut(limits.startMs);
      run.kill();
    }, limits.startMs);
    const clearTimers = (): void => {
      clearTimeout(startTimer);
      healthCheck?.close();
    };
    const handledExit = run.exit.then((exit) => {
      clearTimers();
      link.disconnect();
      liveRun = null;
      // After a requested stop, `stop` reports the result.
      if (pendingStop === null) handleCrash(exit, killReason ?? describeExit(exit, texts), upSince, run.lastLines());
      return exit;
    });
    liveRun = { run, handledExit, clearTimers };
    setState({ kind: 'starting' });
  };

  const handleCrash = (exit: Exit, reason: string, upSince: number | null, lastLines: readonly string[]): void => {
    const upMs = upSince === null ? 0 : performance.now() - upSince;
    const decision = decideRestart({ quickCrashes, upMs, random: random() }, limits.maxQuickCrashes);
    quickCrashes = decision.quickCrashes;
    const startProblem = link.takeStartProblem();
    const failure: ServerFailure =
      startProblem === null
        ? { reason, lastLines }
        : {
            reason: texts.home.cannotStart(startProblem.kind, startProblem.reason.replace(/\.$/, '')),
            lastLines,
            problem: startProblem.kind,
          };
    const isFatal =
      exit.kind === 'not-started' ||
      (exit.kind === 'exited' && exit.code === INVALID_ARGUMENTS_EXIT_CODE) ||
      (startProblem !== null && FATAL_PROBLEMS.has(startProblem.kind));
    if (isFatal || decision.kind === 'give-up') {
      setState({ kind: 'failed', ...failure });
      return;
    }
    restartTimer = setTimeout(startRun, decision.restartInMs);
    setState({ kind: 'waiting', ...failure, restartInMs: decision.restartInMs });
  };

  const stopRunning = async (activeRun: NonNullable<typeof liveRun>): Promise<StopOutcome> => {
    let hasTimedOut = false;
    const deadline = setTimeout(() => {
      hasTimedOut = true;
      activeRun.run.kill();
    }, limits.stopMs);
    // Only the deadline of the stop applies: a health check must not kill a server that is closing its database.
    activeRun.clearTimers();
    setState({ kind: 'stopping' });
    activeRun.run.requestStop();
    const exit = await activeRun.handledExit;
    clearTimeout(deadline);
    if (hasTimedOut) return { kind: 'killed-after-timeout' };
    return exit.kind === 'exited' && exit.code === 0
      ? { kind: 'clean' }
      : { kind: 'unclean', reason: describeExit(exit, texts) };
  };

  const stop = async (): Promise<StopOutcome> => {
    if (pendingStop !== null) return pendingStop;
    clearTimeout(restartTimer);
    quickCrashes = 0;
    if (liveRun === null) {
      if (state.kind !== 'stopped') setState({ kind: 'stopped' });
      return { kind: 'was-not-running' };
    }
    const activeRun = liveRun;
    // Set before the stop begins, so that the exit handler does not treat the exit as a crash.
    const { promise, resolve } = Promise.withResolvers<StopOutcome>();
    pendingStop = promise;
    const outcome = await stopRunning(activeRun);
    pendingStop = null;
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
      if (isClosed || liveRun !== null || pendingStop !== null) return;
      if (state.kind === 'failed') quickCrashes = 0;
      startRun();
    },
    stop,
    async close() {
      isClosed = true;
      await stop();
      listeners.clear();
    },
  };
}

/** Polls `/healthz`. Any response counts as a sign of life, even one with an error status. */
function watchHealth(
  address: string,
  limits: ServerLimits,
  onUnresponsive: (misses: number) => void,
): { close(): void } {
  const closeController = new AbortController();
  let misses = 0;
  let timer: NodeJS.Timeout;
  const check = async (): Promise<void> => {
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(limits.healthTimeoutMs), closeController.signal]);
      const response = await fetch(`${address}/healthz`, { signal, redirect: 'manual' });
      await response.body?.cancel();
      misses = 0;
    } catch {
      misses += 1;
    }
    if (closeController.signal.aborted) return;
    if (misses >= limits.healthMisses) onUnresponsive(misses);
    else schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => void check(), limits.healthEveryMs);
  };
  schedule();
  return {
    close() {
      clearTimeout(timer);
      closeController.abort();
    },
  };
}

export function isSetUp({ address, openUrl }: Extract<ServerState, { kind: 'running' }>): boolean {
  return openUrl === `${address}/`;
}

function describeExit(exit: Exit, { exitReasons }: Texts): string {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? exitReasons.exited : exitReasons.code(exit.code);
    case 'killed':
      return exitReasons.killed(exit.signal);
    case 'not-started':
      return exitReasons.notStarted(exit.message);
  }
}
