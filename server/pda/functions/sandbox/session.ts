import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { MAX_FUNCTION_OUTPUT_BYTES, MAX_FUNCTION_REQUEST_BYTES } from '../../../wire/limits.ts';
import { messageOf } from '../../../wire/values.ts';
import type { FunctionSession, FunctionTarget, SessionReport, Step } from '../runs/function-host.ts';
import { collectLastWords, MAX_PATH_BYTES, startSandbox, type Confinement, type RunPlan } from './confinement.ts';
import { createFrameReader, encodeFrame, type Frame } from './frames.ts';
import { createGuestClock } from './guest-clock.ts';
import { MAX_LOG_LINE_CHARS, MAX_MESSAGE_CHARS, MEGABYTE, PROCESS_SHARE_OF_CAP } from './limits.ts';
import { createLogLines, fitToShow } from './run-log.ts';
import { startText } from './start-frame.ts';
import { watchMemory, type Watchdog } from './watchdog.ts';

type Failed = Exclude<Step, { outcome: 'done' }>;

/** Bytes of each kind of frame that a sandbox may send: started, output, failure, line of the log. */
const BOUNDS = {
  s: MAX_PATH_BYTES,
  o: MAX_FUNCTION_OUTPUT_BYTES,
  f: 8 * MAX_MESSAGE_CHARS,
  l: 4 * MAX_LOG_LINE_CHARS + 100,
};
const REPORTED = new Set(['memory', 'time', 'error', 'output']);
/** How V8, the addon and the C++ library say that there was no memory left. */
const OUT_OF_MEMORY =
  /out of memory|out-of-memory|<--- Last few GCs --->|is_heap_oom|bad_alloc|heap limit|failed to reserve|mmap.*fail/i;
/** A process that died this near to its limit died of it. */
const NEAR_LIMIT = 0.85;
const NEAR_LIMIT_OF_A_FAULT = 0.5;
const FAULTS: ReadonlySet<string> = new Set(['SIGSEGV', 'SIGBUS', 'SIGABRT', 'SIGTRAP', 'SIGILL']);
/** Milliseconds for a killed process to be gone: the kernel may first have to give back gigabytes. */
const GONE_MS = 10_000;

const MESSAGES = {
  memory: 'the function used more memory than its cap',
  time: 'the function took longer than it may',
  output: 'the function returned more than a run may save',
  stopping: 'the run was ended because the server is stopping',
  broken: 'the sandbox said something that it cannot say',
  request: 'the request is larger than a function may be sent',
} as const;

/** What one session needs of the host. */
export type SessionSetting = {
  readonly folder: string;
  /** Settles once this machine has been tried out; at once from the second run on. */
  readonly confinement: Confinement | Promise<Confinement>;
  readonly onStarted: (pid: number) => void;
  /** After the process has gone: its folder can go, too. */
  readonly onEnded: () => void;
};

/** Starts a sandbox process for one run. */
export const openSession = (setting: SessionSetting, target: FunctionTarget, signal?: AbortSignal): FunctionSession => {
  const openedAt = performance.now();
  let endedAt = openedAt;
  const log = createLogLines();
  const limitBytes = target.memoryMb * MEGABYTE * PROCESS_SHARE_OF_CAP;
  const plan: RunPlan = {
    folder: setting.folder,
    module: target.location,
    memoryMb: target.memoryMb,
    timeoutMs: target.timeoutMs,
  };

  let child: ChildProcess | undefined;
  let watchdog: Watchdog | undefined;
  let lastWords: () => string = () => '';
  let failure: Failed | undefined;
  let waiting: ((step: Step) => void) | undefined;
  let closing: Promise<SessionReport> | undefined;

  const settle = (step: Step): void => {
    clock.stop();
    const answer = waiting;
    if (answer === undefined) return;
    waiting = undefined;
    endedAt = performance.now();
    answer(step);
  };

  const kill = (): void => {
    watchdog?.close();
    // From outside and without asking: a guest can bring its process to where it hears nothing else.
    child?.kill('SIGKILL');
  };

  const fail = (outcome: Failed['outcome'], message: string): void => {
    if (failure === undefined)
      failure = { outcome, message: fitToShow(message.replaceAll('\n', ' '), MAX_MESSAGE_CHARS) };
    kill();
    settle(failure);
  };

  const clock = createGuestClock(target.timeoutMs, () => fail('time', MESSAGES.time));

  const onFrame = ({ kind, text }: Frame): void => {
    if (failure !== undefined) return;
    if (kind === 'l') log.add(text);
    else if (kind === 'o' && waiting !== undefined) settle({ outcome: 'done', text });
    else if (kind === 'f' && waiting !== undefined) {
      const told = readFailure(text);
      if (told === undefined) fail('crashed', MESSAGES.broken);
      else fail(told.outcome, told.message);
    } else if (kind !== 's') fail('crashed', MESSAGES.broken);
  };

  const onGone = (code: number | null, by: NodeJS.Signals | null): void => {
    if (failure !== undefined || closing !== undefined) return;
    // What is written in C ends by a fault when it gets no memory, without a word and between two looks at its size.
    const least = by !== null && FAULTS.has(by) ? NEAR_LIMIT_OF_A_FAULT : NEAR_LIMIT;
    const near = (watchdog?.peak() ?? 0) > limitBytes * least;
    if (by !== 'SIGKILL' && (near || OUT_OF_MEMORY.test(lastWords()))) fail('memory', MESSAGES.memory);
    else fail('crashed', `the sandbox ended by itself (${by ?? `code ${code ?? 'unknown'}`})`);
  };

  const begin = (confinement: Confinement): void => {
    if (failure !== undefined) return;
    const started = startSandbox(confinement, plan);
    child = started;
    lastWords = collectLastWords(started);
    started.once('error', (error) => fail('crashed', `the sandbox does not start: ${error.message}`));
    started.once('exit', (code, by) => {
      // What it managed to say is still in the pipe, and so is what it died of.
      const { stdout, stderr } = started;
      void Promise.all(
        [stdout, stderr].map(async (stream) => (stream === null || stream.closed ? undefined : once(stream, 'close'))),
      )
        .catch(() => undefined)
        .then(() => onGone(code, by));
    });
    const read = createFrameReader(BOUNDS, onFrame, (why, kind) => {
      if (why === 'too-long' && kind === 'o') fail('output', MESSAGES.output);
      else fail('crashed', MESSAGES.broken);
    });
    started.stdout?.on('data', read);
    // A write to a process that has just died: its exit says it all.
    started.stdin?.on('error', () => undefined);
    started.stdout?.on('error', () => undefined);
    if (started.pid === undefined) return;
    watchdog = watchMemory(started.pid, limitBytes, () => fail('memory', MESSAGES.memory));
    setting.onStarted(started.pid);
    started.stdin?.write(encodeFrame('s', startText(plan)));
  };

  const onAbort = (): void => fail('crashed', MESSAGES.stopping);

  /** The steps one after the other: the process does one thing at a time. */
  const ask = async (kind: string, text: string): Promise<Step> => {
    const before = queue;
    const answer = before.then(async () => {
      if (failure !== undefined) return failure;
      return new Promise<Step>((resolve) => {
        waiting = resolve;
        clock.start();
        child?.stdin?.write(encodeFrame(kind, text));
      });
    });
    queue = answer;
    return answer;
  };

  /** The first step is ours: start the process, evaluate the module. */
  let queue: Promise<Step> = new Promise<Step>((resolve) => {
    waiting = resolve;
    const start = (confinement: Confinement): void => {
      if (signal?.aborted === true) onAbort();
      if (failure !== undefined) return;
      clock.start();
      try {
        begin(confinement);
      } catch (error) {
        fail('crashed', `the sandbox does not start: ${messageOf(error)}`);
      }
    };
    if (setting.confinement instanceof Promise) {
      setting.confinement.then(start, (error: unknown) => fail('crashed', messageOf(error)));
    } else start(setting.confinement);
  });
  signal?.addEventListener('abort', onAbort, { once: true });

  const close = async (): Promise<SessionReport> => {
    signal?.removeEventListener('abort', onAbort);
    fail('crashed', 'the run was closed');
    clock.close();
    if (child?.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      await once(child, 'exit', { signal: AbortSignal.timeout(GONE_MS) }).catch(() => undefined);
    }
    child?.stdin?.destroy();
    child?.stdout?.destroy();
    child?.stderr?.destroy();
    setting.onEnded();
    return { peakMemoryBytes: watchdog?.peak(), log: log.lines(), durationMs: endedAt - openedAt };
  };

  return {
    configuration: async () => ask('c', ''),
    dataBundle: async ({ fromDate, untilDate }) =>
      ask('d', JSON.stringify(fromDate === undefined ? { untilDate } : { fromDate, untilDate })),
    process: async (requestText) => {
      if (Buffer.byteLength(requestText, 'utf8') > MAX_FUNCTION_REQUEST_BYTES)
        return failure ?? { outcome: 'error', message: MESSAGES.request };
      return ask('p', requestText);
    },
    close: async () => (closing ??= close()),
  };
};

/** What a sandbox says of a failure, checked: it may be lying, but not more than in words. */
const readFailure = (text: string): { readonly outcome: Failed['outcome']; readonly message: string } | undefined => {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof said !== 'object' || said === null || !('outcome' in said) || !('message' in said)) return undefined;
  const { outcome, message } = said;
  if (typeof message !== 'string' || typeof outcome !== 'string' || !isReported(outcome)) return undefined;
  return { outcome, message };
};

const isReported = (outcome: string): outcome is 'memory' | 'time' | 'error' | 'output' => REPORTED.has(outcome);
