import { join, sep } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { watch } from 'chokidar';
import { asError, codeOf } from '../../../wire/values.ts';
import { isIgnoredFolder } from './rules.ts';
import type { WatcherMessage, Hint } from './watcher.ts';

// Runs chokidar in a worker thread, because its first scan of 10,000 files blocks an event loop for 0.2 to 0.8 s. The
// caller reconciles each path itself, so chokidar neither waits for writes to finish nor merges atomic writes.

const port = parentPort;
if (port === null) throw new Error('This module runs in a worker thread.');
const { root } = workerData as { root: string };

/**
 * If one turn of the event loop receives this many events, others may have been lost: Linux queues 16,384 events by
 * default and drops further ones, which Node does not report.
 */
const LOSSY_EVENTS_PER_TURN = 8000;
const CREATIONS_AND_REMOVALS = new Set(['add', 'addDir', 'unlink', 'unlinkDir']);

const post = (message: WatcherMessage): void => port.postMessage(message);
const relative = (path: string): string => path.slice(root.length + 1).replaceAll(sep, '/');
const isIgnored = (path: string): boolean => path !== root && isIgnoredFolder(relative(path));

let hints: Hint[] = [];
let eventsInTurn = 0;

const addHint = (path: string, isCreatedOrRemoved: boolean): void => {
  if (isIgnored(path) || hints.push({ path: relative(path), isCreatedOrRemoved }) > 1) return;
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
  // The scan of the folder reports unreadable entries.
  ignorePermissionErrors: true,
})
  .on('all', (event, path) => addHint(path, CREATIONS_AND_REMOVALS.has(event)))
  // chokidar 6 reports no event when a folder replaces a file, but the raw events of the operating system include one.
  .on('raw', (event, name, details) => {
    const { watchedPath } = details as { watchedPath: string };
    if (event === 'rename' && name !== null) addHint(join(watchedPath, name), true);
    eventsInTurn += 1;
    if (eventsInTurn === 1) setImmediate(() => (eventsInTurn = 0));
    if (eventsInTurn === LOSSY_EVENTS_PER_TURN) post({ isLossy: true });
  })
  .on('ready', () => post({ isReady: true }))
  .on('error', (error) => post({ error: asError(error), code: codeOf(error) }));
