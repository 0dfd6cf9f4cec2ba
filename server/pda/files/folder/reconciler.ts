import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Sequence } from '../../data/records/service.ts';
import type { Collector, Transaction, Writer } from '../../storage/index.ts';
import { foldedName } from '../content/disk-names.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import { uploaderOf } from '../disk/quota.ts';
import { assignFileId } from '../ids.ts';
import type { FileScanner } from './scanner.ts';
import {
  isIgnoredFolder,
  isIgnoredFile,
  differsAtMostInDevice,
  isSameFile,
  hasSameAttributes,
  nameOfPath,
  parentOf,
  remainingQuietMs,
  type ScannedEntry,
} from './rules.ts';
import { sourceOfPath } from '../rules.ts';
import type { Content, FileRow, FileStore } from '../store.ts';

// Reconciling is idempotent: a late or repeated call finds the current state.

export type ReconcileOutcome =
  | { kind: 'done' }
  /** The path must be reconciled again after this delay. */
  | { kind: 'later'; ms: number }
  /** The path is a folder. `hasReplacedFile`: a file was there before, so the files in the folder are not known yet. */
  | { kind: 'folder'; hasReplacedFile: boolean }
  /** The path has no file or folder, or leads through a link. There may have been a folder with files before. */
  | { kind: 'nothing' };

export type ReconcilerParts = {
  store: FileStore;
  disk: Pick<ContentLifecycle, 'busyPaths' | 'quota'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  sequence: Sequence;
  newId: (seq: number) => string;
  clock: Clock;
  scanner: FileScanner;
  diskClock: Clock;
  /** See `FolderDelays`. */
  delays: { quietMs: number; removalMs: number; busyRetryMs: number };
  withReadSlot: <T>(work: () => Promise<T>) => Promise<T>;
  /** Returns false during a scan of the whole folder, which may not have reached the new path of a moved file. */
  mayRemove: () => boolean;
  /** Called if the disk of a missing file may have been unmounted. */
  onUnmounted: () => void;
  beforeWrite: () => Promise<void>;
  isClosed: () => boolean;
};

const DONE: ReconcileOutcome = { kind: 'done' };

/** Changes within this window are combined into one transaction, because each transaction waits for the disk. */
const BATCH_WINDOW_MS = 30;
const FUTURE_FILES_MAX = 10_000;

export const createReconciler = (parts: ReconcilerParts) => {
  const { store, disk, writer, sequence, clock, scanner, diskClock, delays, isClosed } = parts;
  /** Unix milliseconds at which files were first found to be missing, by path. */
  const missingSince = new Map<string, number>();
  /**
   * Files whose times are in the future, by path. `key`: attributes of the file. `since`: Unix milliseconds at which
   * these attributes were first seen.
   */
  const futureFiles = new Map<string, { key: string; since: number }>();

  const notification: Collector<true> = { flush: (tx) => parts.events.notify(tx, 'files') };
  const change = async <T>(work: (tx: Transaction) => T | undefined): Promise<T | undefined> => {
    await waitForBatch();
    return writer.write((tx) => {
      const result = work(tx);
      if (result !== undefined) tx.collect(notification, true);
      return result;
    });
  };

  let batch: Promise<void> | undefined;
  const waitForBatch = (): Promise<void> => {
    batch ??= pause(BATCH_WINDOW_MS).then(async () => {
      await parts.beforeWrite();
      batch = undefined;
    });
    return batch;
  };

  const retryAfter = (ms: number): ReconcileOutcome => ({ kind: 'later', ms });

  /** Returns undefined if the path or status has changed, or an operation on the file is in progress. */
  const reloadIfUnchanged = (row: FileRow): FileRow | undefined => {
    const current = store.findBySeq(row.seq);
    const isSame = current?.path === row.path && current.status === row.status && current.moving === 0;
    return isSame && (row.path === null || !disk.busyPaths.has(row.path)) ? current : undefined;
  };
  const isFree = (path: string): boolean => !disk.busyPaths.has(path) && !store.hasPath(path);

  /**
   * Returns the milliseconds for which a file with times in the future has had the same attributes; 0 for other files.
   */
  const trackUnchangedMs = (path: string, entry: ScannedEntry): number => {
    const now = diskClock.now();
    if (entry.changed <= now) {
      futureFiles.delete(path);
      return 0;
    }
    const key = `${entry.inode} ${entry.size} ${entry.modified} ${entry.changed}`;
    const previous = futureFiles.get(path);
    // If the clock was set back, the time is measured again.
    if (previous?.key === key && previous.since <= now) return now - previous.since;
    if (futureFiles.size > FUTURE_FILES_MAX) futureFiles.clear();
    futureFiles.set(path, { key, since: now });
    return 0;
  };

  /** Marks a missing file as deleted after some time, because it may have been moved or may be rewritten. */
  const onMissing = async (row: FileRow, path: string): Promise<ReconcileOutcome> => {
    const now = diskClock.now();
    // If the clock was set back, the time is measured again.
    const since = Math.min(missingSince.get(path) ?? now, now);
    missingSince.set(path, since);
    if (now - since < delays.removalMs) return retryAfter(delays.removalMs - (now - since));
    if (!parts.mayRemove()) return retryAfter(delays.removalMs);
    missingSince.delete(path);
    if (await scanner.isUnmounted(path, row.inode)) {
      parts.onUnmounted();
      return DONE;
    }
    const removedRow = await change((tx) => {
      const current = reloadIfUnchanged(row);
      if (current === undefined) return undefined;
      store.remove(tx, { seq: row.seq, time: clock.now(), by: 'outside', undo_path: null, inode: row.inode });
      return current;
    });
    if (removedRow === undefined) return retryAfter(delays.busyRetryMs);
    disk.quota.adjust(uploaderOf(removedRow), -(removedRow.size ?? 0));
    return DONE;
  };

  const onEdited = async (row: FileRow, entry: ScannedEntry, content: Content): Promise<ReconcileOutcome> => {
    const previous = await change((tx) => {
      const current = reloadIfUnchanged(row);
      if (current === undefined) return undefined;
      if (current.sha256 === content.sha256) store.setAttributes(tx, row.seq, entry);
      else store.setContent(tx, row.seq, content, entry, clock.now());
      return current;
    });
    if (previous === undefined) return retryAfter(delays.busyRetryMs);
    disk.quota.adjust(uploaderOf(previous), content.size - (previous.size ?? 0));
    return DONE;
  };

  /**
   * Compares two paths of one inode. `renamed`: the entry was renamed to another spelling; `known`: the database
   * already has the actual spelling; `hard-links`: the paths are two hard links.
   */
  const compareSpelling = async (
    path: string,
    entry: ScannedEntry,
    otherPath: string,
  ): Promise<'renamed' | 'known' | 'hard-links'> => {
    if (entry.links > 1 && foldedName(path) !== foldedName(otherPath)) return 'hard-links';
    if (!(await scanner.hasExactName(path))) return 'known';
    return (await scanner.hasExactName(otherPath)) ? 'hard-links' : 'renamed';
  };

  /**
   * Finds the row of a file that was moved to the path. Returns `known` if the file is registered under another
   * spelling of the path.
   */
  const findMovedRow = async (
    path: string,
    entry: ScannedEntry,
    sha256?: string,
  ): Promise<FileRow | 'known' | undefined> => {
    const rows = store.listByInode(entry.inode);
    if (sha256 !== undefined) {
      // Adds only rows whose file is missing, because there can be thousands of copies of one file.
      if (missingSince.size > 0)
        rows.push(
          ...store.listByHash(sha256).filter(({ path: rowPath }) => rowPath !== null && missingSince.has(rowPath)),
        );
      rows.push(...store.listDeletedOutsideByHash(sha256));
    }
    const name = nameOfPath(path);
    const candidate = { name, sha256, now: clock.now() };
    let bestMatch: FileRow | undefined;
    for (const row of rows) {
      if (row.path !== null) {
        if (disk.busyPaths.has(row.path)) continue;
        const otherEntry = await scanner.stat(row.path);
        if (otherEntry?.kind === 'file' && (await scanner.isWithin(parentOf(row.path)))) {
          if (otherEntry.inode !== entry.inode) continue;
          const spelling = await compareSpelling(path, entry, row.path);
          if (spelling === 'known') return 'known';
          if (spelling === 'hard-links') continue;
        }
      }
      if (!isSameFile(row, entry, candidate)) continue;
      if (bestMatch === undefined || (bestMatch.name !== name && row.name === name)) bestMatch = row;
    }
    return bestMatch;
  };

  const onMoved = async (row: FileRow, path: string, entry: ScannedEntry): Promise<ReconcileOutcome> => {
    const previousName = row.path === null ? undefined : nameOfPath(row.path);
    // A name that the owner chose does not change.
    const followsName = previousName === undefined ? row.uploader === 'folder' : row.name === previousName;
    const target = {
      path,
      name: followsName ? nameOfPath(path) : row.name,
      source: row.uploader === 'folder' ? sourceOfPath(path) : row.source,
      updated: clock.now(),
    };
    const previous = await change((tx) => {
      const current = reloadIfUnchanged(row);
      if (current === undefined || !isFree(path)) return undefined;
      store.setPath(tx, current, target, entry);
      return current;
    });
    if (previous === undefined) return retryAfter(delays.busyRetryMs);
    if (row.path === null) disk.quota.adjust(uploaderOf(previous), previous.size ?? 0);
    else missingSince.delete(row.path);
    return DONE;
  };

  const onAdded = async (path: string, entry: ScannedEntry, content: Content): Promise<ReconcileOutcome> => {
    const name = nameOfPath(path);
    const source = sourceOfPath(path);
    const isAdded = await change((tx) => {
      if (!isFree(path)) return undefined;
      const now = clock.now();
      const seq = sequence.next(now);
      store.insert(tx, {
        seq,
        id: parts.newId(seq),
        file_id: assignFileId(store, tx, source, name),
        name,
        source,
        title: null,
        description: null,
        tags: null,
        created: now,
        updated: now,
        added: now,
        status: 'Completed',
        uploader: 'folder',
        application: null,
        nonce: null,
        ...content,
        path,
        modified: entry.modified,
        inode: entry.inode,
      });
      return true;
    });
    if (isAdded === undefined) return retryAfter(delays.busyRetryMs);
    disk.quota.adjust({ kind: 'folder', application: null }, content.size);
    return DONE;
  };

  const readContent = (path: string, entry: ScannedEntry): Promise<Content | undefined> =>
    parts.withReadSlot(async () => (isClosed() ? undefined : scanner.read(path, entry, () => !isClosed())));

  return {
    reset(): void {
      missingSince.clear();
      futureFiles.clear();
    },

    async reconcile(path: string): Promise<ReconcileOutcome> {
      const row = store.findByPath(path);
      if (disk.busyPaths.has(path) || row?.moving === 1) return retryAfter(delays.busyRetryMs);
      return row === undefined ? reconcileUnknown(path) : reconcileKnown(row, path);
    },
  };

  async function reconcileKnown(row: FileRow, path: string): Promise<ReconcileOutcome> {
    const entry = await scanner.stat(path);
    const isPresent = entry !== undefined && entry.kind !== 'other' && (await scanner.isWithin(parentOf(path)));
    if (!isPresent || entry.kind === 'folder') {
      const outcome = await onMissing(row, path);
      return outcome.kind === 'done' && isPresent ? { kind: 'folder', hasReplacedFile: true } : outcome;
    }
    missingSince.delete(path);
    if (hasSameAttributes(row, entry)) return DONE;
    if (differsAtMostInDevice(row, entry)) return onEdited(row, entry, contentOf(row, entry));
    const remainingMs = remainingQuietMs(entry, diskClock.now(), trackUnchangedMs(path, entry), delays.quietMs);
    if (remainingMs > 0) return retryAfter(remainingMs);
    const content = await readContent(path, entry);
    return content === undefined ? retryAfter(delays.quietMs) : onEdited(row, entry, content);
  }

  async function reconcileUnknown(path: string): Promise<ReconcileOutcome> {
    missingSince.delete(path);
    if (isIgnoredFolder(path)) return DONE;
    const entry = await scanner.stat(path);
    if (entry?.kind === 'file') return isIgnoredFile(path) ? DONE : reconcileNew(path, entry);
    const isFolder = entry?.kind === 'folder' && (await scanner.isWithin(parentOf(path)));
    return isFolder ? { kind: 'folder', hasReplacedFile: false } : { kind: 'nothing' };
  }

  async function reconcileNew(path: string, entry: ScannedEntry): Promise<ReconcileOutcome> {
    const remainingMs = remainingQuietMs(entry, diskClock.now(), trackUnchangedMs(path, entry), delays.quietMs);
    if (remainingMs > 0) return retryAfter(remainingMs);
    if (!(await scanner.isWithin(parentOf(path)))) return DONE;
    // A moved file is recognised by its attributes, without reading its content.
    const attributeMatch = await findMovedRow(path, entry);
    if (attributeMatch === 'known') return DONE;
    if (attributeMatch !== undefined) return onMoved(attributeMatch, path, entry);
    const content = await readContent(path, entry);
    if (content === undefined) return retryAfter(delays.quietMs);
    const contentMatch = await findMovedRow(path, entry, content.sha256);
    if (contentMatch === 'known') return DONE;
    return contentMatch === undefined ? onAdded(path, entry, content) : onMoved(contentMatch, path, entry);
  }
};

const contentOf = (row: FileRow, entry: ScannedEntry): Content => ({
  size: entry.size,
  sha256: row.sha256 ?? '',
  type: row.type ?? 'application/octet-stream',
  kind: row.kind,
});
