import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock, type Clock } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { codeOf } from '../../../wire/values.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Sequence } from '../../data/records/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Disk } from '../disk/content-lifecycle.ts';
import { createFolderLooks } from './scanner.ts';
import { parentOf } from './rules.ts';
import { createFolderQueue, createGate } from './path-queue.ts';
import { createSettle } from './reconciler.ts';
import { createFolderWalk } from './directory-walk.ts';
import { openFolderWatcher, type FolderWatcher, type Hint } from './watcher.ts';
import type { FileStore } from '../store.ts';

/** Follows what the owner does in the files folder with other programs. */
export type Folder = {
  /** Looks through the whole folder, and follows it from then on. */
  start(): Promise<void>;
  isWatching(): boolean;
  /** All that was noticed so far is in the database when this resolves. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

/** Milliseconds. */
export type FolderWaits = {
  /** For which a file has to be left alone before it counts as written; large ones longer. */
  rest: number;
  /** Milliseconds until a missing file counts as deleted: it may be moved or rewritten. */
  removal: number;
  /** Until a path is looked at again at which the server itself was at work. */
  busy: number;
  /** Between two looks at what waits for its time. */
  tick: number;
  /** Until the whole folder is looked through again: as it is, while the system tells of changes only in part, and while the folder is away. */
  calm: number;
  blind: number;
  away: number;
};

export type FolderParts = {
  store: FileStore;
  disk: Disk;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  sequence: Sequence;
  idAt: (seq: number) => string;
  clock: Clock;
  log: Log;
  waits?: Partial<FolderWaits>;
  /** The time by which the disk dates its files, whatever time the account keeps. */
  diskClock?: Clock;
  openWatcher?: typeof openFolderWatcher;
  /** Known files above which the folder is walked and not watched. */
  mostWatched?: number;
};

const WAITS: FolderWaits = {
  rest: 2000,
  removal: 3000,
  busy: 500,
  tick: 250,
  // Nothing should be missed; on a network disk what others change is never told.
  calm: 30 * 60_000,
  blind: 3 * 60_000,
  away: 10_000,
};

/** Files that are read at the same time. */
const READERS = 2;
const PAGE = 500;
/** Above this number of known files the folder is walked and not watched: chokidar takes 3 to 4 kB for each file. */
const MAX_WATCHED_FILES = 50_000;
const PRIVATE_FOLDER = 0o700;
/** Failures that stay until the owner does something: looking again soon would not help. */
const LASTING = new Set(['EACCES', 'EPERM', 'ENAMETOOLONG', 'ELOOP', 'EINVAL']);

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createFolder = (parts: FolderParts): Folder => {
  const { store, disk, log } = parts;
  const waits: FolderWaits = { ...WAITS, ...parts.waits };
  const diskClock = parts.diskClock ?? systemClock;
  const root = disk.folder;
  const looks = createFolderLooks(root);

  let closed = false;
  let started = false;
  let watcher: FolderWatcher | undefined;
  /** Why it is not watched, once that is logged. */
  let unwatchedBecause: string | undefined;
  let isAway = false;
  let looking: Promise<void> | undefined;
  /** Something was not kept, or not heard: look through everything once it is calm. */
  let lookAgain = false;
  let nextLook: { timer: NodeJS.Timeout; at: number } | undefined;
  /** Where something was written last. */
  let lastHint: string | undefined;
  /** What could not be looked at since the last look, by the system's reason. Names are the owner's, and stay out of the log. */
  let problems = new Map<string, number>();

  const lookWithin = (ms: number): void => {
    const at = performance.now() + ms;
    if (closed || (nextLook !== undefined && nextLook.at <= at)) return;
    clearTimeout(nextLook?.timer);
    const timer = setTimeout(() => {
      nextLook = undefined;
      void lookThrough();
    }, ms).unref();
    nextLook = { timer, at };
  };

  const onError = (error: unknown): void => {
    if (closed) return;
    const code = codeOf(error) === '' ? 'unknown' : codeOf(error);
    if (code === 'unknown') log.error({ err: error }, 'a file in the files folder could not be registered');
    problems.set(code, (problems.get(code) ?? 0) + 1);
    if (!LASTING.has(code)) lookWithin(waits.blind);
  };

  const settler = createSettle({
    ...parts,
    looks,
    diskClock,
    waits,
    reading: createGate(READERS),
    mayRemove: () => looking === undefined,
    /**
     * A sync of the database waits for everything that other programs wrote to that disk shortly before: hundreds of milliseconds, while they copy
     * many files, for which the event loop would be held. So a thread waits for it first.
     */
    async beforeWrite() {
      if (lastHint === undefined) return;
      const folder = parentOf(lastHint);
      lastHint = undefined;
      await looks.flush(folder).catch(onError);
    },
    onAway: () => lookWithin(waits.away),
    isClosed: () => closed,
  });

  const queue = createFolderQueue({
    settle: settler.settle,
    onFolder(path, isNew) {
      // chokidar 6 does not watch a folder that took a file's place.
      if (isNew) watchAnew();
      else void walk.walk(path);
    },
    onNoFolder: (path) => void lookBelow(path).catch(onError),
    onError,
    onOverflow: () => lookAgainWhenCalm(),
    diskClock,
    tickMs: waits.tick,
  });

  const lookAgainWhenCalm = (): void => {
    lookAgain = true;
    void whenCalm();
  };

  const onHints = (hints: readonly Hint[]): void => {
    for (const { path, renamed } of hints) {
      // The folder itself came or went: another one may have taken its place.
      if (path === '') {
        watchAnew();
        continue;
      }
      if (renamed) looks.distrust();
      lastHint = path;
      queue.add(path, renamed);
    }
  };

  const unwatched = (code: string): void => {
    watcher = undefined;
    if (unwatchedBecause !== code)
      log.warn({ code }, 'the files folder cannot be watched; it is walked every few minutes instead');
    unwatchedBecause = code;
    lookWithin(waits.blind);
  };

  const stopWatching = async (): Promise<void> => {
    const open = watcher;
    watcher = undefined;
    await open?.close();
  };

  const watchAnew = (): void => {
    void stopWatching();
    lookAgainWhenCalm();
  };

  const watch = async (): Promise<void> => {
    if (watcher !== undefined) return;
    if (store.countPaths() > (parts.mostWatched ?? MAX_WATCHED_FILES)) return unwatched('too many files');
    const onFailure = (error: unknown): void => {
      if (!closed) unwatched(codeOf(error));
    };
    try {
      const opened = await (parts.openWatcher ?? openFolderWatcher)({
        root,
        onHints,
        onLoss: lookAgainWhenCalm,
        onFailure,
      });
      watcher = opened;
      unwatchedBecause = undefined;
      if (closed) await stopWatching();
    } catch (error) {
      onFailure(error);
    }
  };

  let notText = 0;
  /** Whether the walk is one through everything, for which what the database knows was looked at already. */
  let walksAll = false;
  const walk = createFolderWalk({
    root,
    looks,
    onFile(path) {
      if (!walksAll || !store.isAt(path)) queue.add(path, false);
    },
    room: () => queue.room(),
    onError,
    onNotText: () => (notText += 1),
  });

  /** A folder may have been here: what lay in it is looked at one by one. */
  const lookBelow = async (folder: string): Promise<void> => {
    let after = `${folder}/`;
    while (!closed) {
      const rows = store.pathsBelow(folder, after, PAGE);
      for (const { path } of rows) if (path !== null) queue.add(path, false);
      after = rows.at(-1)?.path ?? after;
      if (rows.length < PAGE) return;
      await queue.room();
    }
  };

  const lookAtKnown = async (): Promise<void> => {
    let after = '';
    for (;;) {
      const rows = store.paths(after, PAGE);
      for (const { path } of rows) {
        if (path === null) continue;
        after = path;
        queue.add(path, false);
      }
      await queue.room();
      if (closed || rows.length < PAGE) break;
      await turn();
    }
    await queue.drained();
  };

  /** Whether there is a folder to look through; made when nothing of it can be missed. */
  const isHere = async (): Promise<boolean> => {
    if ((await looks.find(''))?.kind === 'folder') return true;
    if (store.paths('', 1).length > 0) return false;
    await mkdir(root, { recursive: true, mode: PRIVATE_FOLDER });
    return true;
  };

  const tellProblems = (): void => {
    if (problems.size > 0)
      log.warn({ problems: Object.fromEntries(problems) }, 'some of the files folder could not be looked at');
    problems = new Map();
  };

  const look = async (): Promise<void> => {
    tellProblems();
    if (!(await isHere())) {
      if (!isAway) log.warn('the files folder is not there; nothing is taken as deleted until it is back');
      isAway = true;
      await stopWatching();
      settler.forget();
      lookWithin(waits.away);
      return;
    }
    isAway = false;
    notText = 0;
    // Before the walk: what changes meanwhile is reported.
    await watch();
    // First what is known, so that what went is known when it is found elsewhere.
    await lookAtKnown();
    walksAll = true;
    await walk.walk('');
    await queue.drained();
    if (closed) return;
    if (notText > 0) log.warn({ count: notText }, 'names in the files folder that are not text were passed over');
    tellProblems();
    lookWithin(watcher === undefined ? waits.blind : waits.calm);
  };

  const lookThrough = (): Promise<void> => {
    if (closed) return Promise.resolve();
    looking ??= look()
      .catch((error: unknown) => {
        onError(error);
        lookWithin(waits.blind);
      })
      .finally(() => {
        walksAll = false;
        looking = undefined;
      });
    return looking;
  };

  /** Looks through everything once what is known of has been looked at; a storm is not followed step by step. */
  let calming = false;
  const whenCalm = async (): Promise<void> => {
    if (calming || !started) return;
    calming = true;
    try {
      while (lookAgain && !closed) {
        await looking;
        await walk.idle();
        await queue.drained();
        lookAgain = false;
        await lookThrough();
        if (lookAgain) await sleep(waits.rest, undefined, { ref: false });
      }
    } finally {
      calming = false;
    }
  };

  const isQuiet = (): boolean => queue.isQuiet() && walk.isIdle() && looking === undefined && !lookAgain && !calming;

  return {
    isWatching: () => watcher !== undefined && !isAway,

    async start() {
      await lookThrough();
      started = true;
      if (lookAgain) void whenCalm();
    },

    async settled() {
      // What the system has to tell is heard in the next turns.
      for (let quiet = 0; quiet < 3 && !closed; quiet = isQuiet() ? quiet + 1 : 0) {
        await turn();
        await looking;
        await walk.idle();
        if (!isQuiet()) await sleep(Math.min(5, waits.tick));
      }
    },

    async close() {
      closed = true;
      clearTimeout(nextLook?.timer);
      await Promise.all([stopWatching(), walk.close(), queue.close()]);
      await looking;
    },
  };
};
