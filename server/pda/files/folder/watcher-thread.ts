import { join, sep } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { watch } from 'chokidar';
import { asError } from '../../../wire/values.ts';
import { isClosedFolder } from './rules.ts';
import type { FromWatchThread, Hint } from './watcher.ts';

/**
 * Runs chokidar. Its first scan of 10,000 files holds an event loop for 0.2 to 0.8 s, so that it has a thread.
 * The caller settles each path itself: chokidar neither waits for writes to finish nor merges atomic writes.
 */

const port = parentPort;
if (port === null) throw new Error('watch-thread.ts runs in a worker thread');
const { root } = workerData as { root: string };

/** Linux queues 16,384 events for all watchers of a process, and drops the rest without notice. */
const LOSSY_EVENTS_PER_TURN = 8000;
const RENAMES = new Set(['add', 'addDir', 'unlink', 'unlinkDir']);

const post = (message: FromWatchThread): void => port.postMessage(message);
const relative = (path: string): string => path.slice(root.length + 1).replaceAll(sep, '/');
const isIgnored = (path: string): boolean => path !== root && isClosedFolder(relative(path));

let hints: Hint[] = [];
let eventsOfTurn = 0;

const hint = (path: string, renamed: boolean): void => {
  if (isIgnored(path) || hints.push({ path: relative(path), renamed }) > 1) return;
  setImmediate(() => {
    post({ hints });
    hints = [];
  });
};

watch(root, {
  ignored: isIgnored,
  ignoreInitial: true,
  followSymlinks: false,
  atomic: false,
  awaitWriteFinish: false,
  // The walk through the folder reports what cannot be read.
  ignorePermissionErrors: true,
})
  .on('all', (event, path) => hint(path, RENAMES.has(event)))
  // chokidar 6 reports neither the file nor the folder where a folder takes a file's place at once: the system does.
  .on('raw', (event, name, details) => {
    const { watchedPath } = details as { watchedPath: string };
    if (event === 'rename' && name !== null) hint(join(watchedPath, name), true);
    eventsOfTurn += 1;
    if (eventsOfTurn === 1) setImmediate(() => (eventsOfTurn = 0));
    if (eventsOfTurn === LOSSY_EVENTS_PER_TURN) post({ isLossy: true });
  })
  .on('ready', () => post({ isReady: true }))
  .on('error', (error) => post({ error: asError(error) }));
