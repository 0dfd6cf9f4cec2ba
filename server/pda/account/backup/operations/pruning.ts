import type { BackupArchive } from '../format/archive.ts';
import { openChunks } from '../format/chunks.ts';
import { chunksIn, type Page } from '../format/manifest-rules.ts';
import { pageOf } from './backup.ts';
import { BackupProblem } from '../format/error.ts';
import { keptBackups, type Retention } from './retention-rules.ts';

export type Pruned = { removed: string[]; kept: string[]; packs: number };

/** Share of needed bytes below which a pack is rewritten without its unneeded chunks. */
const WORTH_KEEPING = 0.5;

/** A disk that did not answer well yesterday may do so today. */
const isStillDamaged = (archive: BackupArchive, pack: string): boolean => {
  try {
    archive.read('pack', pack);
    return false;
  } catch (error) {
    if (error instanceof BackupProblem && error.kind === 'damaged') return true;
    throw error;
  }
};

/**
 * Removes backups that the retention rules do not keep, then the content that only they needed. An interruption at any point
 * leaves the remaining backups complete: backups are deleted first, and the needed chunks of a pack are rewritten and
 * indexed before the pack is deleted.
 * @param damaged packs that a check found damaged; deleted once no needed chunk is only in them
 */
export const prune = async (
  archive: BackupArchive,
  retention: Retention,
  pause: () => Promise<void>,
  damaged: readonly string[] = [],
): Promise<Pruned> => {
  const pages: { name: string; page: Page; created: number }[] = [];
  const unreadable: string[] = [];
  for (const name of archive.names('backup')) {
    try {
      const page = pageOf(archive, name);
      pages.push({ name, page, created: Date.parse(page.created) });
    } catch (error) {
      if (!(error instanceof BackupProblem) || (error.kind !== 'damaged' && error.kind !== 'newer')) throw error;
      unreadable.push(name);
    }
  }
  const keep = keptBackups(pages, retention);
  const kept = pages.filter((one) => keep.has(one));
  const removed = pages.filter((one) => !keep.has(one)).map(({ name }) => name);
  const names = [...unreadable, ...kept.map(({ name }) => name)].toSorted();
  const chunks = openChunks(archive, { complete: true });
  if (removed.length > 0) {
    // Said before it is done: a backup that the index has and the folder has not counts as lost.
    chunks.saveIndex(names);
    for (const name of removed) archive.remove('backup', name);
  }
  // What a backup needs that cannot be read just now is not known: perhaps it can be read again tomorrow.
  if (unreadable.length > 0) return { removed, kept: names, packs: 0 };
  for (const name of damaged) chunks.forget(name);
  const wanted = new Set<string>();
  /** Backups share most of their lists. */
  const lists = new Set<string>();
  for (const { page } of kept) {
    try {
      for (const list of page.lists) {
        if (lists.has(list)) continue;
        lists.add(list);
        wanted.add(list);
        for (const id of chunksIn(chunks.read(list).content.toString('utf8'))) wanted.add(id);
      }
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      return { removed, kept: names, packs: 0 };
    }
    await pause();
  }

  const going = new Set<string>();
  const assigned = new Set<string>();
  for (const [pack, table] of chunks.packs) {
    // A chunk that lies in two packs counts in one.
    const live = table.filter(({ id }) => wanted.has(id) && !assigned.has(id));
    const size = table.reduce((sum, { length }) => sum + length, 0);
    const used = live.reduce((sum, { length }) => sum + length, 0);
    if (used >= size * WORTH_KEEPING && live.length > 0) for (const { id } of live) assigned.add(id);
    else going.add(pack);
  }
  if (going.size === 0 && removed.length === 0 && damaged.length === 0) return { removed, kept: names, packs: 0 };
  for (const pack of going) {
    const stillWanted = (chunks.packs.get(pack) ?? []).filter(({ id }) => wanted.has(id) && !assigned.has(id));
    const contents: Buffer[] = [];
    try {
      for (const { id } of stillWanted) {
        contents.push(Buffer.from(chunks.read(id).content));
        assigned.add(id);
      }
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      // An unreadable pack stays for a manual recovery.
      going.delete(pack);
      continue;
    }
    chunks.forget(pack);
    for (const content of contents) chunks.add(content, true);
    await pause();
  }
  chunks.flush();
  chunks.saveIndex(names);
  // What the index before still leads to must be found for as long as that index may be read: it skips packs that are gone.
  const useless = [...wanted].every((id) => chunks.has(id))
    ? damaged.filter((pack) => isStillDamaged(archive, pack))
    : [];
  for (const pack of [...going, ...useless]) archive.remove('pack', pack);
  return { removed, kept: names, packs: going.size };
};
