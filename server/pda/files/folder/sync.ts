import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, type Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { codeOf } from '../../../wire/values.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Sequence } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import { createFileScanner } from './scanner.ts';
import { parentOf } from './rules.ts';
import { createPathQueue, createSemaphore } from './path-queue.ts';
import { createReconciler } from './reconciler.ts';
import { createDirectoryWalk } from './directory-walk.ts';
import { openFolderWatcher, type FolderWatcher, type Hint } from './watcher.ts';
import type { FileStore } from '../store.ts';

export type FolderSync = ReturnType<typeof createFolderSync>;

export type FolderDelays = {
  /** Time without changes after which a file counts as completely written. Large files need longer. */
  quietMs: number;
  /** Time until a missing file counts as deleted, because it may have been moved or may be rewritten. */
  removalMs: number;
  /** Time until a path is reconciled again if the server itself was working on it. */
  busyRetryMs: number;
  /** Interval at which postponed paths that are due are queued again. */
  tickMs: number;
  /** Time between scans of the whole folder while it is watched. */
  watchedScanMs: number;
  /** Time until the next scan while the folder is not watched, and after most errors. */
  unwatchedScanMs: number;
  /** Time until the next check for a missing folder or disk. */
  missingCheckMs: number;
};

export type FolderSyncParts = {
  store: FileStore;
  disk: ContentLifecycle;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  sequence: Sequence;
  newId: (seq: number) => string;
  clock: Clock;
  log: Log;
  delays?: Partial<FolderDelays>;
  /** Clock with which the times of files are compared. Default: the system clock. */
  diskClock?: Clock;
  openWatcher?: typeof openFolderWatcher;
  /** A folder with more files is scanned periodically instead of watched. */
  maxWatchedFiles?: number;
};

const DEFAULT_DELAYS: FolderDelays = {
  quietMs: 2000,
  removalMs: 3000,
  busyRetryMs: 500,
  tickMs: 250,
  // A safety net: the watcher does not see changes that other computers make on a network disk.
  watchedScanMs: 30 * 60_000,
  unwatchedScanMs: 3 * 60_000,
  missingCheckMs: 10_000,
};

const CONCURRENT_READS_MAX = 2;
const PAGE_ROWS = 500;
/** chokidar takes 3 to 4 kB for each file. */
const MAX_WATCHED_FILES = 50_000;
const PRIVATE_FOLDER_MODE = 0o700;
/** Codes of errors that persist until the owner acts. Such an error at a single path triggers no scan. */
const PERSISTENT_ERRORS = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']);

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const readFolderIdentity = (folder: string): string | undefined => {
  const stats = statSync(folder, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.dev}:${stats.ino}`;
};

export const createFolderSync = (parts: FolderSyncParts) => {
  const { store, disk, log } = parts;
  const delays: FolderDelays = { ...DEFAULT_DELAYS, ...parts.delays };
  const diskClock = parts.diskClock ?? systemClock;
  const root = disk.folder;
  const home = dirname(root);
  const homeIdentity = readFolderIdentity(home);
  const scanner = createFileScanner(root);

  let isClosed = false;
  let isStarted = false;
  let watcher: FolderWatcher | undefined;
  let unwatchedReason: string | undefined;
  let isFolderMissing = false;
  let scan: Promise<void> | undefined;
  /** Set when paths were dropped, events may have been lost, or watching must be restarted. */
  let isScanNeeded = false;
  let nextScan: { timer: NodeJS.Timeout; dueAt: number } | undefined;
  let lastChangedPath: string | undefined;
  /** Number of errors since the last log line, by error code. File names are private and not logged. */
  let errorCounts = new Map<string, number>();

  const scheduleScan = (ms: number): void => {
    const dueAt = performance.now() + ms;
    if (isClosed || (nextScan !== undefined && nextScan.dueAt <= dueAt)) return;
    clearTimeout(nextScan?.timer);
    const timer = setTimeout(() => {
      nextScan = undefined;
      void scanAll();
    }, ms).unref();
    nextScan = { timer, dueAt };
  };

  const onError = (error: unknown): void => {
    if (isClosed) return;
    const code = codeOf(error) === '' ? 'unknown' : codeOf(error);
    if (code === 'unknown') log.error({ err: error }, 'the files folder, or a file in it, could not be processed');
    errorCounts.set(code, (errorCounts.get(code) ?? 0) + 1);
    if (!PERSISTENT_ERRORS.has(code)) scheduleScan(delays.unwatchedScanMs);
  };

  const reconciler = createReconciler({
    ...parts,
    scanner,
    diskClock,
    delays,
    withReadSlot: createSemaphore(CONCURRENT_READS_MAX),
    mayRemove: () => scan === undefined,
    /**
     * An fsync of the database also waits for recent writes of other programs to the same disk. While other programs
     * copy many files, the fsync would block the event loop, so the folder of the last change is first synced
     * asynchronously.
     */
    async beforeWrite() {
      if (lastChangedPath === undefined) return;
      const folder = parentOf(lastChangedPath);
      lastChangedPath = undefined;
      await scanner.flush(folder).catch(onError);
    },
    onUnmounted: () => scheduleScan(delays.missingCheckMs),
    isClosed: () => isClosed,
  });

  const queue = createPathQueue({
    reconcile: reconciler.reconcile,
    onFolder(path, hasReplacedFile) {
      // chokidar 6 does not watch a folder that replaced a file.
      if (hasReplacedFile) restartWatching();
      else void walk.walk(path);
    },
    onNoFolder: (path) => void queueKnownPathsBelow(path).catch(onError),
    onError,
    onOverflow: () => requestScan(),
    diskClock,
    tickMs: delays.tickMs,
  });

  const requestScan = (): void => {
    isScanNeeded = true;
    void scanWhenIdle();
  };

  const onHints = (hints: readonly Hint[]): void => {
    for (const { path, isCreatedOrRemoved } of hints) {
      // The files folder itself was created, removed or replaced.
      if (path === '') {
        restartWatching();
        continue;
      }
      if (isCreatedOrRemoved) scanner.clearCache();
      lastChangedPath = path;
      queue.add(path, isCreatedOrRemoved);
    }
  };

  const onUnwatched = (code: string): void => {
    watcher = undefined;
    if (unwatchedReason !== code)
      log.warn({ code }, 'the files folder cannot be watched; it is scanned every few minutes instead');
    unwatchedReason = code;
    scheduleScan(delays.unwatchedScanMs);
  };

  const stopWatching = async (): Promise<void> => {
    const previousWatcher = watcher;
    watcher = undefined;
    await previousWatcher?.close();
  };

  const restartWatching = (): void => {
    void stopWatching();
    requestScan();
  };

  const watch = async (): Promise<void> => {
    if (watcher !== undefined) return;
    if (store.countPaths() > (parts.maxWatchedFiles ?? MAX_WATCHED_FILES)) return onUnwatched('too many files');
    const onFailure = (error: unknown): void => {
      if (!isClosed) onUnwatched(codeOf(error));
    };
    try {
      const newWatcher = await (parts.openWatcher ?? openFolderWatcher)({
        root,
        onHints,
        onLoss: requestScan,
        onFailure,
      });
      watcher = newWatcher;
      unwatchedReason = undefined;
      if (isClosed) await stopWatching();
    } catch (error) {
      onFailure(error);
    }
  };

  let invalidNameCount = 0;
  let isFullScan = false;
  const walk = createDirectoryWalk({
    root,
    scanner,
    onFile(path) {
      if (!isFullScan || !store.hasPath(path)) queue.add(path, false);
    },
    waitForCapacity: () => queue.waitForCapacity(),
    onError,
    onInvalidName: () => (invalidNameCount += 1),
  });

  const queueKnownPathsBelow = async (folder: string): Promise<void> => {
    let after = `${folder}/`;
    while (!isClosed) {
      const rows = store.filesBelowFolder(folder, after, PAGE_ROWS);
      for (const { path } of rows) if (path !== null) queue.add(path, false);
      after = rows.at(-1)?.path ?? after;
      if (rows.length < PAGE_ROWS) return;
      await queue.waitForCapacity();
    }
  };

  /** Resolves when each known path is reconciled or postponed. */
  const reconcileKnownPaths = async (): Promise<void> => {
    let after = '';
    for (;;) {
      const rows = store.filesAfterPath(after, PAGE_ROWS);
      for (const { path } of rows) {
        if (path === null) continue;
        after = path;
        queue.add(path, false);
      }
      await queue.waitForCapacity();
      if (isClosed || rows.length < PAGE_ROWS) break;
      await yieldToEventLoop();
    }
    await queue.waitUntilDrained();
  };

  /**
   * Creates a missing folder. Returns false, and creates nothing, if a file is known or the home was replaced: a disk
   * may have been removed.
   */
  const ensureFolder = async (): Promise<boolean> => {
    if ((await scanner.stat(''))?.kind === 'folder') return true;
    if (store.filesAfterPath('', 1).length > 0 || readFolderIdentity(home) !== homeIdentity) return false;
    await mkdir(root, { mode: PRIVATE_FOLDER_MODE });
    return true;
  };

  const logErrorCounts = (): void => {
    if (errorCounts.size > 0)
      log.warn(
        { problems: Object.fromEntries(errorCounts) },
        'some files or folders in the files folder could not be processed',
      );
    errorCounts = new Map();
  };

  const runScan = async (): Promise<void> => {
    logErrorCounts();
    if (!(await ensureFolder())) {
      if (!isFolderMissing) log.warn('the files folder is missing; no file counts as deleted until it is back');
      isFolderMissing = true;
      await stopWatching();
      reconciler.reset();
      scheduleScan(delays.missingCheckMs);
      return;
    }
    isFolderMissing = false;
    invalidNameCount = 0;
    // Watching starts before the walk, so that changes during the walk are reported.
    await watch();
    // Known paths come first, so that missing files are known when a moved file is found.
    await reconcileKnownPaths();
    isFullScan = true;
    await walk.walk('');
    await queue.waitUntilDrained();
    if (isClosed) return;
    if (invalidNameCount > 0)
      log.warn({ count: invalidNameCount }, 'files and folders whose names are not valid UTF-8 were ignored');
    logErrorCounts();
    scheduleScan(watcher === undefined ? delays.unwatchedScanMs : delays.watchedScanMs);
  };

  const scanAll = (): Promise<void> => {
    if (isClosed) return Promise.resolve();
    scan ??= runScan()
      .catch((error: unknown) => {
        onError(error);
        scheduleScan(delays.unwatchedScanMs);
      })
      .finally(() => {
        isFullScan = false;
        scan = undefined;
      });
    return scan;
  };

  let isWaitingForIdle = false;
  /** Scans the whole folder when the queue is empty, so that a burst of changes leads to one scan. */
  const scanWhenIdle = async (): Promise<void> => {
    if (isWaitingForIdle || !isStarted) return;
    isWaitingForIdle = true;
    try {
      while (isScanNeeded && !isClosed) {
        await scan;
        await walk.waitUntilIdle();
        await queue.waitUntilDrained();
        isScanNeeded = false;
        await scanAll();
        if (isScanNeeded) await sleep(delays.quietMs, undefined, { ref: false });
      }
    } finally {
      isWaitingForIdle = false;
    }
  };

  const isQuiet = (): boolean =>
    queue.isQuiet() && walk.isIdle() && scan === undefined && !isScanNeeded && !isWaitingForIdle;

  return {
    isWatching: (): boolean => watcher !== undefined && !isFolderMissing,

    async start(): Promise<void> {
      await scanAll();
      isStarted = true;
      if (isScanNeeded) void scanWhenIdle();
    },

    /** For tests. Resolves when all changes detected so far are in the database. */
    async waitUntilIdle(): Promise<void> {
      // Pending file system events are delivered in the next turns of the event loop.
      for (let quietTurns = 0; quietTurns < 3 && !isClosed; quietTurns = isQuiet() ? quietTurns + 1 : 0) {
        await yieldToEventLoop();
        await scan;
        await walk.waitUntilIdle();
        if (!isQuiet()) await sleep(Math.min(5, delays.tickMs));
      }
    },

    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(nextScan?.timer);
      await Promise.all([stopWatching(), walk.close(), queue.close()]);
      await scan;
    },
  };
};
