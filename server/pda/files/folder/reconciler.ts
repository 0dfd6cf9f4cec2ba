import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Sequence } from '../../data/records/service.ts';
import type { Collector, Transaction, Writer } from '../../storage/index.ts';
import { foldedName } from '../content/disk-names.ts';
import type { Disk } from '../disk/content-lifecycle.ts';
import { takeFileId } from '../ids.ts';
import type { FolderLooks } from './scanner.ts';
import {
  isClosedFolder,
  isPassedOver,
  isRemounted,
  isSameFile,
  looksSame,
  nameOfPath,
  parentOf,
  restLeft,
  type Found,
} from './rules.ts';
import { sourceOfPath } from '../rules.ts';
import type { Content, FileRow, FileStore } from '../store.ts';

/**
 * Compares what is on the disk at one path with what the database says of it, and acts. It does not matter why a path is looked at, or how
 * often: nothing is done twice, and nothing is lost that is looked at later.
 */

export type Outcome =
  | { kind: 'done' }
  /** Scan again after this delay. */
  | { kind: 'later'; ms: number }
  /** A folder is here, in which there may be more; surely so, where it took a file's place. */
  | { kind: 'folder'; isNew: boolean }
  /** Nothing that counts is here; it may have been a folder with files. */
  | { kind: 'nothing' };

export type SettleParts = {
  store: FileStore;
  disk: Pick<Disk, 'busy' | 'quota'>;
  writer: Writer;
  events: Pick<EventService, 'tell'>;
  sequence: Sequence;
  idAt: (seq: number) => string;
  clock: Clock;
  looks: FolderLooks;
  /** The time that the disk's own times are compared with. */
  diskClock: Clock;
  /** Milliseconds. */
  waits: { rest: number; removal: number; busy: number };
  /** Lets a few read at the same time. */
  reading: <T>(work: () => Promise<T>) => Promise<T>;
  /** Not while the whole folder is looked through: where a file went may not have been looked at yet. */
  mayRemove: () => boolean;
  /** A file cannot be said to be gone, since its disk is. */
  onAway: () => void;
  /** Before some of them are written together. */
  beforeWrite: () => Promise<void>;
  isClosed: () => boolean;
};

const DONE: Outcome = { kind: 'done' };

/** Window in which single files are combined into one transaction, because each transaction waits for the disk. */
const GATHER_MS = 30;
const MAX_ODD = 10_000;

export type Settle = {
  settle(path: string): Promise<Outcome>;
  /** Nothing is remembered that was only noticed. */
  forget(): void;
};

export const createSettle = (parts: SettleParts): Settle => {
  const { store, disk, writer, sequence, clock, looks, diskClock, waits, isClosed } = parts;
  /** Paths with a row at which nothing was found, and since when. */
  const gone = new Map<string, number>();
  /** Files whose times lie in the future: how they looked, and since when. */
  const odd = new Map<string, { key: string; since: number }>();

  // Once for all changes of one transaction.
  const tell: Collector<true> = { flush: (tx) => parts.events.tell(tx, 'files') };
  const change = async <T>(job: (tx: Transaction) => T | undefined): Promise<T | undefined> => {
    await together();
    return writer.write((tx) => {
      const done = job(tx);
      if (done !== undefined) tx.collect(tell, true);
      return done;
    });
  };

  let gathering: Promise<void> | undefined;
  const together = (): Promise<void> => {
    gathering ??= pause(GATHER_MS).then(async () => {
      await parts.beforeWrite();
      gathering = undefined;
    });
    return gathering;
  };

  const later = (ms: number): Outcome => ({ kind: 'later', ms });
  const usageOf = (row: Pick<FileRow, 'uploader' | 'application'>) => ({
    kind: row.uploader,
    application: row.application,
  });

  /** Returns the current row if it is still the evaluated one and no operation is in progress. */
  const unchanged = (row: FileRow): FileRow | undefined => {
    const now = store.bySeq(row.seq);
    const isSame = now?.path === row.path && now.status === row.status && now.moving === 0;
    return isSame && (row.path === null || !disk.busy.has(row.path)) ? now : undefined;
  };
  const isFree = (path: string): boolean => !disk.busy.has(path) && !store.isAt(path);

  const seenFor = (path: string, found: Found): number => {
    const now = diskClock.now();
    if (found.changed <= now) {
      odd.delete(path);
      return 0;
    }
    const key = `${found.inode} ${found.size} ${found.modified} ${found.changed}`;
    const before = odd.get(path);
    if (before?.key === key) return now - before.since;
    if (odd.size > MAX_ODD) odd.clear();
    odd.set(path, { key, since: now });
    return 0;
  };

  /** Marks it as deleted, once it has been gone for a moment and did not turn up elsewhere. */
  const missing = async (row: FileRow, path: string): Promise<Outcome> => {
    const now = diskClock.now();
    const since = gone.get(path) ?? now;
    gone.set(path, since);
    if (now - since < waits.removal) return later(waits.removal - (now - since));
    if (!parts.mayRemove()) return later(waits.removal);
    gone.delete(path);
    if (await looks.isAway(path, row.inode)) {
      parts.onAway();
      return DONE;
    }
    const removed = await change((tx) => {
      const current = unchanged(row);
      if (current === undefined) return undefined;
      store.remove(tx, { seq: row.seq, time: clock.now(), by: 'outside', undo_path: null, inode: row.inode });
      return current;
    });
    if (removed === undefined) return later(waits.busy);
    disk.quota.changed(usageOf(removed), -(removed.size ?? 0));
    return DONE;
  };

  const edited = async (row: FileRow, found: Found, content: Content): Promise<Outcome> => {
    const done = await change((tx) => {
      const current = unchanged(row);
      if (current === undefined) return undefined;
      if (current.sha256 === content.sha256) store.looked(tx, row.seq, found);
      else store.edited(tx, row.seq, content, found, clock.now());
      return current;
    });
    if (done === undefined) return later(waits.busy);
    disk.quota.changed(usageOf(done), content.size - (done.size ?? 0));
    return DONE;
  };

  /** Two paths lead to one file: one entry that answers to several spellings, or two entries of the owner's. */
  const isRespelled = async (path: string, found: Found, other: string): Promise<'renamed' | 'known' | 'two'> => {
    if (found.links > 1 && foldedName(path) !== foldedName(other)) return 'two';
    if (!(await looks.isSpelled(path))) return 'known';
    return (await looks.isSpelled(other)) ? 'two' : 'renamed';
  };

  /** The row of a file that lay elsewhere until now. `known`: it lies here under another spelling. */
  const cameFrom = async (path: string, found: Found, sha256?: string): Promise<FileRow | 'known' | undefined> => {
    const rows = store.byInode(found.inode);
    if (sha256 !== undefined) {
      // Only what is known to be gone: a thousand copies of one file are not all looked for.
      if (gone.size > 0) rows.push(...store.byHash(sha256).filter((row) => row.path !== null && gone.has(row.path)));
      rows.push(...store.goneByHash(sha256));
    }
    const name = nameOfPath(path);
    const at = { name, sha256, now: clock.now() };
    let best: FileRow | undefined;
    for (const row of rows) {
      if (row.path !== null) {
        if (disk.busy.has(row.path)) continue;
        const other = await looks.find(row.path);
        if (other?.kind === 'file' && (await looks.isWithin(parentOf(row.path)))) {
          if (other.inode !== found.inode) continue;
          const spelling = await isRespelled(path, found, row.path);
          if (spelling === 'known') return 'known';
          if (spelling === 'two') continue;
        }
      }
      if (!isSameFile(row, found, at)) continue;
      if (best === undefined || (best.name !== name && row.name === name)) best = row;
    }
    return best;
  };

  const moved = async (row: FileRow, path: string, found: Found): Promise<Outcome> => {
    const before = row.path === null ? undefined : nameOfPath(row.path);
    const followsName = before === undefined ? row.uploader === 'folder' : row.name === before;
    const to = {
      path,
      name: followsName ? nameOfPath(path) : row.name,
      source: row.uploader === 'folder' ? sourceOfPath(path) : row.source,
      updated: clock.now(),
    };
    const done = await change((tx) => {
      const current = unchanged(row);
      if (current === undefined || !isFree(path)) return undefined;
      store.moved(tx, current, to, found);
      return current;
    });
    if (done === undefined) return later(waits.busy);
    if (row.path === null) disk.quota.changed(usageOf(done), done.size ?? 0);
    else gone.delete(row.path);
    return DONE;
  };

  const added = async (path: string, found: Found, content: Content): Promise<Outcome> => {
    const name = nameOfPath(path);
    const source = sourceOfPath(path);
    const done = await change((tx) => {
      if (!isFree(path)) return undefined;
      const now = clock.now();
      const seq = sequence.next(now);
      store.insert(tx, {
        seq,
        id: parts.idAt(seq),
        file_id: takeFileId(store, tx, source, name),
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
        modified: found.modified,
        inode: found.inode,
      });
      return true;
    });
    if (done === undefined) return later(waits.busy);
    disk.quota.changed({ kind: 'folder', application: null }, content.size);
    return DONE;
  };

  const read = (path: string, found: Found): Promise<Content | undefined> =>
    parts.reading(async () => (isClosed() ? undefined : looks.read(path, found, () => !isClosed())));

  return {
    forget() {
      gone.clear();
      odd.clear();
    },

    async settle(path) {
      const row = store.byPath(path);
      if (disk.busy.has(path) || row?.moving === 1) return later(waits.busy);
      return row === undefined ? settleUnknown(path) : settleKnown(row, path);
    },
  };

  async function settleKnown(row: FileRow, path: string): Promise<Outcome> {
    const found = await looks.find(path);
    const isHere = found !== undefined && found.kind !== 'other' && (await looks.isWithin(parentOf(path)));
    if (!isHere || found.kind === 'folder') {
      const outcome = await missing(row, path);
      return outcome.kind === 'done' && isHere ? { kind: 'folder', isNew: true } : outcome;
    }
    gone.delete(path);
    if (looksSame(row, found)) return DONE;
    if (isRemounted(row, found)) return edited(row, found, contentOf(row, found));
    const left = restLeft(found, diskClock.now(), seenFor(path, found), waits.rest);
    if (left > 0) return later(left);
    const content = await read(path, found);
    return content === undefined ? later(waits.rest) : edited(row, found, content);
  }

  async function settleUnknown(path: string): Promise<Outcome> {
    gone.delete(path);
    if (isClosedFolder(path)) return DONE;
    const found = await looks.find(path);
    if (found?.kind === 'file') return isPassedOver(path) ? DONE : settleNew(path, found);
    const isFolder = found?.kind === 'folder' && (await looks.isWithin(parentOf(path)));
    return isFolder ? { kind: 'folder', isNew: false } : { kind: 'nothing' };
  }

  async function settleNew(path: string, found: Found): Promise<Outcome> {
    const left = restLeft(found, diskClock.now(), seenFor(path, found), waits.rest);
    if (left > 0) return later(left);
    if (!(await looks.isWithin(parentOf(path)))) return DONE;
    // Looks alone tell that a file was moved: none of it has to be read.
    const before = await cameFrom(path, found);
    if (before === 'known') return DONE;
    if (before !== undefined) return moved(before, path, found);
    const content = await read(path, found);
    if (content === undefined) return later(waits.rest);
    const same = await cameFrom(path, found, content.sha256);
    if (same === 'known') return DONE;
    return same === undefined ? added(path, found, content) : moved(same, path, found);
  }
};

const contentOf = (row: FileRow, found: Found): Content => ({
  size: found.size,
  sha256: row.sha256 ?? '',
  type: row.type ?? 'application/octet-stream',
  kind: row.kind,
});
