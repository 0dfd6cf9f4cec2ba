import { realpath } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../../platform/workers/thread-environment.ts';

/** A path at which the operating system reported a change. */
export type Hint = {
  /** Relative to `files/`, with `/`; empty for the folder itself. */
  path: string;
  /** True if an entry of this name was created or removed. */
  isCreatedOrRemoved: boolean;
};

/**
 * `isLossy`: the operating system may have dropped events. `code`: the code of the error, or an empty string, sent
 * separately because an error loses this property in a message to another thread.
 */
export type WatcherMessage = { hints: Hint[] } | { isLossy: true } | { isReady: true } | { error: Error; code: string };

export type FolderWatcher = { close(): Promise<void> };

export type FolderWatcherParts = {
  root: string;
  onHints: (hints: readonly Hint[]) => void;
  onLoss: () => void;
  /** Called at most once, if the watcher fails after it was opened. It then closes itself. */
  onFailure: (error: unknown) => void;
};

/** chokidar took 42 MB for 10,000 files and 320 MB for 100,000. */
const THREAD_HEAP_MAX_MB = 256;

/**
 * Watches the files folder in a worker thread. Resolves when the watcher reports all further changes.
 * @throws errors of the operating system, for example `ENOSPC` when no watches are left, or of the thread
 */
export async function openFolderWatcher(parts: FolderWatcherParts): Promise<FolderWatcher> {
  const root = await realpath(parts.root);
  const thread = new Worker(new URL('./watcher-thread.ts', import.meta.url), {
    workerData: { root },
    env: threadEnvironment(),
    resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MAX_MB },
  });
  thread.unref();
  let isReady = false;
  let isClosed = false;
  const close = async (): Promise<void> => {
    isClosed = true;
    await thread.terminate();
  };
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown): void => {
    if (isClosed) return;
    void close();
    if (isReady) parts.onFailure(error);
    else reject(error);
  };
  thread.on('message', (message: WatcherMessage) => {
    if (isClosed) return;
    if ('hints' in message) parts.onHints(message.hints);
    else if ('isLossy' in message) parts.onLoss();
    else if ('isReady' in message) {
      isReady = true;
      resolve();
    } else fail(Object.assign(message.error, { code: message.code }));
  });
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('the folder watcher thread has ended')));
  await ready;
  return { close };
}
