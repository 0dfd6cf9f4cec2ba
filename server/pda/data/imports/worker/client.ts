import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import type { DetectedExport } from '../../../../wire/imports.ts';
import { messageOf, codeOf } from '../../../../wire/values.ts';
import type { ElementBatch } from '../tabular/element-source.ts';
import { createSharedPosition, isSameEntry, positionIn } from './abandoned-entries.ts';
import type {
  ElementPreview,
  EntryPosition,
  ExportCursor,
  ImportThreadData,
  ImportThreadMessage,
  ImportThreadRequest,
  ImportThreadTask,
} from './messages.ts';

/** Memory limits of a reader thread, in MB. A reader that needs more fails without affecting the server. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** Time within which the thread must send a message. Bounds the damage of files that are crafted to hang a reader. */
const MAX_SILENCE_MS = 60_000;
/** Maximum number of entries that one task skips because they make the thread hang. Each costs MAX_SILENCE_MS. */
const MAX_ABANDONED_ENTRIES = { read: 20, summarise: 3 } as const;

/** Thrown for a file that cannot be read. */
export class UnreadableFile extends Error {
  readonly line: number | null;

  constructor(problem: string, line: number | null = null) {
    super(problem);
    this.line = line;
  }
}

class SilentThread extends UnreadableFile {
  /** Entry that the thread was reading, if any. */
  readonly position: EntryPosition | undefined;
  constructor(position: EntryPosition | undefined) {
    super('reading a part of the file took too long');
    this.position = position;
  }
}

type ThreadOptions = {
  signal?: AbortSignal | undefined;
  maxSilenceMs?: number | undefined;
  /** Module of the thread, for tests. */
  module?: URL | undefined;
};

/**
 * Returns a task that leaves out the entry at which the thread hung; undefined if the task cannot continue. A `read`
 * continues after the last batch; a `summarise` starts again.
 * @param lastCursor cursor of the last batch, if there was one
 */
const taskWithoutEntry = (
  task: ImportThreadTask,
  position: EntryPosition | undefined,
  lastCursor: ExportCursor | undefined,
): ImportThreadTask | undefined => {
  if (position === undefined || task.task === 'preview' || task.task === 'topology') return undefined;
  const abandonedEntries = (task.task === 'read' ? task.from.abandoned : task.abandoned) ?? [];
  if (abandonedEntries.length >= MAX_ABANDONED_ENTRIES[task.task]) return undefined;
  // This entry was left out already, so the thread hangs after it.
  if (abandonedEntries.some((entry) => isSameEntry(entry, position))) return undefined;
  const abandoned = [...abandonedEntries, position];
  return task.task === 'read' ? { ...task, from: { ...(lastCursor ?? task.from), abandoned } } : { ...task, abandoned };
};

/**
 * Runs a task in a worker thread, which waits until batches are consumed. If the thread of a `read` or `summarise`
 * hangs while it reads an entry, a new thread reports this entry as a problem and reads the others. This is repeated
 * for up to MAX_ABANDONED_ENTRIES entries.
 * @throws UnreadableFile, or another error if `signal` is aborted
 */
export async function* readInThread(
  task: ImportThreadTask,
  options: ThreadOptions = {},
): AsyncGenerator<ImportThreadMessage> {
  let lastCursor: ExportCursor | undefined;
  let nextTask: ImportThreadTask | undefined = task;
  for (;;) {
    try {
      for await (const message of runThread(nextTask, options)) {
        if (message.type === 'batch') lastCursor = message.cursor;
        yield message;
      }
      return;
    } catch (error) {
      nextTask = error instanceof SilentThread ? taskWithoutEntry(nextTask, error.position, lastCursor) : undefined;
      if (nextTask === undefined) throw error;
    }
  }
}

async function* runThread(
  task: ImportThreadTask,
  { signal, maxSilenceMs = MAX_SILENCE_MS, module = new URL('./thread.ts', import.meta.url) }: ThreadOptions,
): AsyncGenerator<ImportThreadMessage> {
  signal?.throwIfAborted();
  const position = createSharedPosition();
  const thread = new Worker(module, {
    workerData: { task, position } satisfies ImportThreadData,
    env: threadEnvironment(),
    resourceLimits: RESOURCE_LIMITS,
  });
  const queue: ImportThreadMessage[] = [];
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    wake?.();
  };
  thread.on('message', (message: ImportThreadMessage) => {
    queue.push(message);
    wake?.();
  });
  thread.on('error', (error: unknown) => {
    if (codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY')
      return fail(new UnreadableFile('reading this file takes more memory than allowed'));
    fail(new UnreadableFile(`it could not be read (${messageOf(error)})`));
  });
  thread.on('exit', () => fail(new UnreadableFile('its reader has stopped')));
  const abort = (): void => fail(signal?.reason instanceof Error ? signal.reason : new Error('stopped'));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const message = queue.shift();
      if (message === undefined) {
        if (failure !== undefined) throw failure;
        const timer = setTimeout(() => fail(new SilentThread(positionIn(position))), maxSilenceMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(timer);
        continue;
      }
      if (message.type === 'end') return;
      if (message.type === 'failed') throw new UnreadableFile(message.problem, message.line);
      yield message;
      if (message.type === 'batch' || message.type === 'elements')
        thread.postMessage({ type: 'next' } satisfies ImportThreadRequest);
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

/** @throws UnreadableFile, or another error if `signal` is aborted */
const runTask = async <Type extends 'summary' | 'preview'>(
  type: Type,
  task: ImportThreadTask,
  options: ThreadOptions,
): Promise<Extract<ImportThreadMessage, { type: Type }>> => {
  const isResult = (message: ImportThreadMessage): message is Extract<ImportThreadMessage, { type: Type }> =>
    message.type === type;
  for await (const message of readInThread(task, options)) if (isResult(message)) return message;
  throw new UnreadableFile(`its reader returned no ${type}`);
};

/** @throws UnreadableFile, or another error if `signal` is aborted */
export const summariseInThread = async (
  task: Extract<ImportThreadTask, { task: 'summarise' }>,
  options: ThreadOptions = {},
): Promise<DetectedExport> => (await runTask('summary', task, options)).summary;

/** @throws UnreadableFile */
export const previewInThread = async (task: Extract<ImportThreadTask, { task: 'preview' }>): Promise<ElementPreview> =>
  (await runTask('preview', task, {})).preview;

/** @throws UnreadableFile, or another error if `signal` is aborted */
export async function* readTopologyInThread(
  task: Omit<Extract<ImportThreadTask, { task: 'topology' }>, 'task'>,
  options: ThreadOptions = {},
): AsyncGenerator<ElementBatch, void, undefined> {
  for await (const message of readInThread({ task: 'topology', ...task }, options))
    if (message.type === 'elements') yield message;
}
