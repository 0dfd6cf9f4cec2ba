import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { MAX_FUNCTION_OUTPUT_BYTES, MAX_FUNCTION_REQUEST_BYTES } from '../../../wire/limits.ts';
import { isObject, messageOf } from '../../../wire/values.ts';
import type { FunctionSession, FunctionTarget, SessionReport, Step } from '../runs/function-host.ts';
import { collectStderr, ADDON_PATH_MAX_BYTES, startSandbox, type Confinement, type RunPlan } from './confinement.ts';
import { createFrameReader, encodeFrame, type Frame } from './frames.ts';
import { createStepClock } from './step-clock.ts';
import { MAX_LOG_LINE_CHARS, MAX_FAILURE_MESSAGE_CHARS, MEBIBYTE, PROCESS_LIMIT_FACTOR } from './limits.ts';
import { createRunLog, toDisplayText } from './run-log.ts';
import { startFrameText } from './start-frame.ts';
import { watchMemory, type Watchdog } from './watchdog.ts';

type FailedStep = Exclude<Step, { outcome: 'done' }>;

/** Size limits in bytes by kind of frame: start, output, failure and log line. */
const FRAME_BOUNDS = {
  s: ADDON_PATH_MAX_BYTES,
  o: MAX_FUNCTION_OUTPUT_BYTES,
  f: 8 * MAX_FAILURE_MESSAGE_CHARS,
  l: 4 * MAX_LOG_LINE_CHARS + 100,
};
const REPORTABLE_OUTCOMES = ['memory', 'time', 'error', 'output'] as const;
/** Out-of-memory messages of V8, the addon and the C++ library. */
const OUT_OF_MEMORY =
  /out of memory|out-of-memory|<--- Last few GCs --->|is_heap_oom|bad_alloc|heap limit|failed to reserve|mmap.*fail/i;
/** Share of the memory limit above which an unexpected exit is attributed to memory. */
const MEMORY_EXIT_SHARE = 0.85;
/** Lower share for exits by a fault signal, because native code crashes without a message when an allocation fails. */
const MEMORY_FAULT_SHARE = 0.5;
const FAULT_SIGNALS: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGTRAP', 'SIGILL']);
/** Time limit for the exit of a killed process. The kernel may first have to release gigabytes. */
const EXIT_TIMEOUT_MS = 60_000;
/** Time limit for the start of the process, which has a low priority and can be slow while all cores are busy. */
const START_TIMEOUT_MS = 120_000;

const MESSAGES = {
  memory: 'the function exceeded its memory limit',
  time: 'the function exceeded its time limit',
  output: 'the function returned more data than a run may store',
  start: 'the sandbox did not start in time',
  stopping: 'the run was cancelled, or the server is stopping',
  broken: 'the sandbox sent an invalid frame',
  request: 'the request exceeds the size limit for functions',
} as const;

type SessionContext = {
  readonly folder: string;
  /** Pending until the confinement has been detected. */
  readonly confinement: Confinement | Promise<Confinement>;
  readonly onStarted: (pid: number) => void;
  /** Called by `close` when the process has exited or the time limit for its exit has passed. */
  readonly onEnded: () => void;
};

export const openSession = (context: SessionContext, target: FunctionTarget, signal?: AbortSignal): FunctionSession => {
  const openedAt = performance.now();
  let endedAt = openedAt;
  const log = createRunLog();
  const limitBytes = target.memoryMb * MEBIBYTE * PROCESS_LIMIT_FACTOR;
  const plan: RunPlan = {
    folder: context.folder,
    module: target.location,
    memoryMb: target.memoryMb,
    timeoutMs: target.timeoutMs,
  };

  let child: ChildProcess | undefined;
  let startTimer: NodeJS.Timeout | undefined;
  let watchdog: Watchdog | undefined;
  let readStderr: () => string = () => '';
  let failure: FailedStep | undefined;
  let resolveStep: ((step: Step) => void) | undefined;
  let closePromise: Promise<SessionReport> | undefined;

  const resolveWith = (step: Step): void => {
    clearTimeout(startTimer);
    clock.stop();
    const resolve = resolveStep;
    if (resolve === undefined) return;
    resolveStep = undefined;
    endedAt = performance.now();
    resolve(step);
  };

  const kill = (): void => {
    watchdog?.close();
    // SIGKILL, because a function that escapes can make its process ignore all other signals.
    child?.kill('SIGKILL');
  };

  const fail = (outcome: FailedStep['outcome'], message: string): void => {
    if (failure === undefined)
      failure = { outcome, message: toDisplayText(message.replaceAll('\n', ' '), MAX_FAILURE_MESSAGE_CHARS) };
    kill();
    resolveWith(failure);
  };

  const clock = createStepClock(target.timeoutMs, () => fail('time', MESSAGES.time));

  const onFrame = ({ kind, text }: Frame): void => {
    if (failure !== undefined) return;
    if (kind === 'l') log.add(text);
    else if (kind === 's') onStartFrame();
    else if (kind === 'o' && resolveStep !== undefined) resolveWith({ outcome: 'done', text });
    else if (kind === 'f' && resolveStep !== undefined) {
      const reportedFailure = parseFailure(text);
      if (reportedFailure === undefined) fail('crashed', MESSAGES.broken);
      else fail(reportedFailure.outcome, reportedFailure.message);
    } else fail('crashed', MESSAGES.broken);
  };

  /** Starts the time limit of the function, whose code has not run yet. */
  const onStartFrame = (): void => {
    if (startTimer === undefined) return;
    clearTimeout(startTimer);
    startTimer = undefined;
    clock.start();
  };

  const onExit = (code: number | null, exitSignal: NodeJS.Signals | null): void => {
    if (failure !== undefined || closePromise !== undefined) return;
    const threshold = exitSignal !== null && FAULT_SIGNALS.has(exitSignal) ? MEMORY_FAULT_SHARE : MEMORY_EXIT_SHARE;
    const isNearLimit = (watchdog?.peak() ?? 0) > limitBytes * threshold;
    if (exitSignal !== 'SIGKILL' && (isNearLimit || OUT_OF_MEMORY.test(readStderr()))) fail('memory', MESSAGES.memory);
    else fail('crashed', `the sandbox exited unexpectedly (${exitSignal ?? `code ${code ?? 'unknown'}`})`);
  };

  const startProcess = (confinement: Confinement): void => {
    if (failure !== undefined) return;
    // Recreates the parent folder too if it was deleted.
    mkdirSync(context.folder, { recursive: true, mode: 0o700 });
    const sandbox = startSandbox(confinement, plan);
    child = sandbox;
    readStderr = collectStderr(sandbox);
    sandbox.once('error', (error) => fail('crashed', `the sandbox could not start: ${error.message}`));
    sandbox.once('exit', (code, exitSignal) => {
      // The pipes may still contain output and the reason for the exit.
      const { stdout, stderr } = sandbox;
      void Promise.all(
        [stdout, stderr].map(async (stream) => (stream === null || stream.closed ? undefined : once(stream, 'close'))),
      )
        .catch(() => undefined)
        .then(() => onExit(code, exitSignal));
    });
    const read = createFrameReader(FRAME_BOUNDS, onFrame, (reason, kind) => {
      if (reason === 'too-long' && kind === 'o') fail('output', MESSAGES.output);
      else fail('crashed', MESSAGES.broken);
    });
    sandbox.stdout?.on('data', read);
    // Writing to a process that has just died fails; its exit is handled above.
    sandbox.stdin?.on('error', () => undefined);
    sandbox.stdout?.on('error', () => undefined);
    if (sandbox.pid === undefined) return;
    watchdog = watchMemory(sandbox.pid, limitBytes, () => fail('memory', MESSAGES.memory));
    context.onStarted(sandbox.pid);
    sandbox.stdin?.write(encodeFrame('s', startFrameText(plan)));
  };

  const onAbort = (): void => fail('crashed', MESSAGES.stopping);

  /** Queues a step, because the process handles one step at a time. */
  const sendStep = async (kind: string, text: string): Promise<Step> => {
    const previous = queue;
    const step = previous.then(async () => {
      if (failure === undefined && Buffer.byteLength(text, 'utf8') > MAX_FUNCTION_REQUEST_BYTES)
        fail('error', MESSAGES.request);
      if (failure !== undefined) return failure;
      return new Promise<Step>((resolve) => {
        resolveStep = resolve;
        clock.start();
        child?.stdin?.write(encodeFrame(kind, text));
      });
    });
    queue = step;
    return step;
  };

  /** Tail of the step queue. Its initial value is a step that starts the process and evaluates the module. */
  let queue: Promise<Step> = new Promise<Step>((resolve) => {
    resolveStep = resolve;
    const start = (confinement: Confinement): void => {
      if (signal?.aborted === true) onAbort();
      if (failure !== undefined) return;
      startTimer = setTimeout(() => fail('crashed', MESSAGES.start), START_TIMEOUT_MS);
      try {
        startProcess(confinement);
      } catch (error) {
        fail('crashed', `the sandbox could not start: ${messageOf(error)}`);
      }
    };
    if (context.confinement instanceof Promise) {
      context.confinement.then(start, (error: unknown) => fail('crashed', messageOf(error)));
    } else start(context.confinement);
  });
  signal?.addEventListener('abort', onAbort, { once: true });

  const close = async (): Promise<SessionReport> => {
    signal?.removeEventListener('abort', onAbort);
    fail('crashed', 'the run was closed');
    clock.close();
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit', { signal: AbortSignal.timeout(EXIT_TIMEOUT_MS) }).catch(() => undefined);
    }
    child?.stdin?.destroy();
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    context.onEnded();
    return { peakMemoryBytes: watchdog?.peak(), log: log.lines(), durationMs: endedAt - openedAt };
  };

  return {
    configuration: async () => sendStep('c', ''),
    dataBundle: async ({ fromDate, untilDate }) =>
      sendStep('d', JSON.stringify(fromDate === undefined ? { untilDate } : { fromDate, untilDate })),
    process: async (requestText) => sendStep('p', requestText),
    close: async () => (closePromise ??= close()),
  };
};

/**
 * Parses a failure frame; undefined if it is invalid. A function that escapes from its isolate can choose the content
 * of the frame.
 */
const parseFailure = (
  text: string,
): { readonly outcome: FailedStep['outcome']; readonly message: string } | undefined => {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(frame)) return undefined;
  const { outcome: reportedOutcome, message } = frame;
  const outcome = REPORTABLE_OUTCOMES.find((reportable) => reportable === reportedOutcome);
  return outcome === undefined || typeof message !== 'string' ? undefined : { outcome, message };
};
