import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../../platform/workers/thread-environment.ts';
import type { DetectedExport } from '../../../../wire/imports.ts';
import { messageOf, codeOf } from '../../../../wire/values.ts';
import type { FromThread, ThreadWork, ToThread } from './messages.ts';

/** Memory limits of a reader thread, in MB. A reader that needs more fails alone. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** Milliseconds in which a piece of a file has to be read; a file made to take for ever is given up. */
const MAX_SILENCE_MS = 60_000;

const GAVE_UP: Readonly<Record<string, string>> = {
  ERR_WORKER_OUT_OF_MEMORY: 'reading this file takes more memory than it may',
};

/** What a file did to its reader; begins in lower case. */
export class UnreadableExport extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'UnreadableExport';
  }
}

type Options = { signal?: AbortSignal | undefined; maxSilenceMs?: number | undefined };

/** Reads in a worker thread. The next message is sent after the previous one was taken. @throws UnreadableExport */
export async function* inThread(
  work: ThreadWork,
  { signal, maxSilenceMs = MAX_SILENCE_MS }: Options = {},
): AsyncGenerator<FromThread> {
  signal?.throwIfAborted();
  const thread = new Worker(new URL('./thread.ts', import.meta.url), {
    workerData: work,
    env: threadEnvironment(),
    resourceLimits: MEMORY,
  });
  const arrived: FromThread[] = [];
  let failed: Error | undefined;
  let wake: (() => void) | undefined;
  const fail = (error: Error): void => {
    failed ??= error;
    wake?.();
  };
  thread.on('message', (message: FromThread) => {
    arrived.push(message);
    wake?.();
  });
  thread.on('error', (error: unknown) => {
    const code = codeOf(error);
    fail(new UnreadableExport(GAVE_UP[code] ?? `it could not be read (${messageOf(error)})`));
  });
  thread.on('exit', () => fail(new UnreadableExport('its reader has ended')));
  const abort = (): void => fail(signal?.reason instanceof Error ? signal.reason : new Error('stopped'));
  signal?.addEventListener('abort', abort, { once: true });
  try {
    for (;;) {
      const message = arrived.shift();
      if (message === undefined) {
        if (failed !== undefined) throw failed;
        // A reader that hangs is cancelled.
        const watch = setTimeout(() => fail(new UnreadableExport('reading a part of it took too long')), maxSilenceMs);
        await new Promise<void>((resolve) => (wake = resolve));
        clearTimeout(watch);
        continue;
      }
      if (message.say === 'end') return;
      if (message.say === 'failed') throw new UnreadableExport(message.problem);
      yield message;
      if (message.say === 'batch') thread.postMessage({ say: 'next' } satisfies ToThread);
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

/** @throws UnreadableExport */
export const lookInThread = async (
  work: Extract<ThreadWork, { what: 'look' }>,
  options: Options = {},
): Promise<DetectedExport> => {
  for await (const message of inThread(work, options)) if (message.say === 'found') return message.found;
  throw new UnreadableExport('nothing was found in it');
};
