import type { BackupArchive } from '../format/archive.ts';
import { openChunks } from '../format/chunks.ts';
import { chunksIn, type BackupManifest } from '../format/manifest-rules.ts';
import { readManifest } from './backup.ts';
import { BackupProblem } from '../format/error.ts';
import { selectBackupsToKeep, type Retention } from './retention-rules.ts';

/** The needed chunks of a pack are rewritten if they make up less than this share of its bytes. */
const NEEDED_SHARE_MIN = 0.5;

/** Reads a pack again, because a read error during the last verification may have been temporary. */
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
 * Removes backups outside the retention, and content that no remaining backup needs. An interruption at any point
 * leaves the remaining backups complete: backups are deleted first, and the needed chunks of a pack are rewritten and
 * indexed before the pack is deleted.
 * @returns names of the removed backups
 * @param damagedPacks packs that a verification found damaged; those that are still damaged are removed if other packs
 *   contain all needed chunks
 */
export const prune = async (
  archive: BackupArchive,
  retention: Retention,
  pause: () => Promise<void>,
  damagedPacks: readonly string[] = [],
): Promise<string[]> => {
  const manifests: { name: string; manifest: BackupManifest; created: number }[] = [];
  const unreadableNames: string[] = [];
  for (const name of archive.listNames('backup')) {
    try {
      const manifest = readManifest(archive, name);
      manifests.push({ name, manifest, created: Date.parse(manifest.created) });
    } catch (error) {
      if (!(error instanceof BackupProblem) || (error.kind !== 'damaged' && error.kind !== 'newer')) throw error;
      unreadableNames.push(name);
    }
  }
  const retainedBackups = selectBackupsToKeep(manifests, retention);
  const remainingBackups = manifests.filter((backup) => retainedBackups.has(backup));
  const removedNames = manifests.filter((backup) => !retainedBackups.has(backup)).map(({ name }) => name);
  const remainingNames = [...unreadableNames, ...remainingBackups.map(({ name }) => name)].toSorted();
  const chunks = openChunks(archive, { includeUnlistedPacks: true });
  if (removedNames.length > 0) {
    // The index is written first, because a backup that is in the index but not in the folder counts as lost.
    chunks.saveIndex(remainingNames);
    for (const name of removedNames) archive.remove('backup', name);
  }
  // The chunks of an unreadable backup are unknown, and it may become readable again, so no pack is removed.
  if (unreadableNames.length > 0) return removedNames;
  for (const name of damagedPacks) chunks.forget(name);
  const neededChunks = new Set<string>();
  // Backups share most of their lists, so each list is read once.
  const readListIds = new Set<string>();
  for (const { manifest } of remainingBackups) {
    try {
      for (const list of manifest.lists) {
        if (readListIds.has(list)) continue;
        readListIds.add(list);
        neededChunks.add(list);
        for (const id of chunksIn(chunks.read(list).content.toString('utf8'))) neededChunks.add(id);
      }
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      return removedNames;
    }
    await pause();
  }

  const obsoletePacks = new Set<string>();
  const assignedChunks = new Set<string>();
  for (const [pack, table] of chunks.packs) {
    // A chunk in two packs counts as needed in only one of them.
    const neededEntries = table.filter(({ id }) => neededChunks.has(id) && !assignedChunks.has(id));
    const totalBytes = table.reduce((sum, { length }) => sum + length, 0);
    const neededBytes = neededEntries.reduce((sum, { length }) => sum + length, 0);
    if (neededBytes >= totalBytes * NEEDED_SHARE_MIN && neededEntries.length > 0)
      for (const { id } of neededEntries) assignedChunks.add(id);
    else obsoletePacks.add(pack);
  }
  if (obsoletePacks.size === 0 && removedNames.length === 0 && damagedPacks.length === 0) return removedNames;
  for (const pack of obsoletePacks) {
    const remainingEntries = (chunks.packs.get(pack) ?? []).filter(
      ({ id }) => neededChunks.has(id) && !assignedChunks.has(id),
    );
    const contents: { id: string; content: Buffer }[] = [];
    try {
      for (const { id } of remainingEntries) contents.push({ id, content: Buffer.from(chunks.read(id).content) });
    } catch (error) {
      if (!(error instanceof BackupProblem) || error.kind !== 'damaged') throw error;
      // An unreadable pack is retained for manual recovery.
      obsoletePacks.delete(pack);
      continue;
    }
    chunks.forget(pack);
    for (const { id, content } of contents) {
      // The chunk is rewritten with another obsolete pack that also contains it.
      if (chunks.has(id)) continue;
      chunks.add(content, true);
      assignedChunks.add(id);
    }
    await pause();
  }
  chunks.flush();
  chunks.saveIndex(remainingNames);
  const replacedPacks = [...neededChunks].every((id) => chunks.has(id))
    ? damagedPacks.filter((pack) => isStillDamaged(archive, pack))
    : [];
  for (const pack of [...obsoletePacks, ...replacedPacks]) archive.remove('pack', pack);
  return removedNames;
};
