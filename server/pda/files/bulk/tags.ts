import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { TagChange, TagChangeResult, TagCounts, TagGroup } from '../../../wire/bulk-files.ts';
import { BULK_TAGS_MAX_BYTES, MAX_FILE_TAGS } from '../../../wire/limits.ts';
import type { EventService } from '../../core/events/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { tagsColumn, tagsOf } from '../rules.ts';
import type { FileRow, FileStore } from '../store.ts';
import { changedTags } from './rules.ts';

type FileTaggingParts = {
  store: Pick<FileStore, 'findByFileId' | 'setTags'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

export const createFileTagging = ({ store, writer, events, clock }: FileTaggingParts) => {
  const setTags = (tx: Transaction, row: FileRow, tags: readonly string[]): void =>
    store.setTags(tx, row, tags, row.status === 'New' ? row.updated : clock.now());

  const requireRow = (fileId: string): FileRow => {
    const row = store.findByFileId(fileId);
    if (row === undefined || row.status === 'Deleted')
      throw new Failure('not_found', 'One of the files does not exist or was deleted. Nothing was changed.');
    return row;
  };

  /** Groups files by their tags. @throws Failure too_large if the request that undoes a change would be too large */
  const groupByTags = (rows: readonly FileRow[]): TagGroup[] => {
    const groups = [...Map.groupBy(rows, ({ tags }) => tags ?? '[]').values()].map((group): TagGroup => ({
      tags: group[0] === undefined ? [] : tagsOf(group[0]),
      fileIds: group.map(({ file_id: fileId }) => fileId),
    }));
    if (Buffer.byteLength(JSON.stringify(groups)) > BULK_TAGS_MAX_BYTES)
      throw new Failure(
        'too_large',
        'These files have too many long tags to be changed at once. Select fewer files. Nothing was changed.',
      );
    return groups;
  };

  return {
    count(fileIds: readonly string[]): TagCounts {
      const counts = new Map<string, number>();
      let files = 0;
      for (const fileId of new Set(fileIds)) {
        const row = store.findByFileId(fileId);
        if (row === undefined || row.status === 'Deleted') continue;
        files += 1;
        for (const tag of tagsOf(row)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
      const tags = Array.from(counts, ([tag, count]) => ({ tag, files: count }));
      return { files, tags: tags.toSorted((a, b) => b.files - a.files || a.tag.localeCompare(b.tag)) };
    },

    /**
     * Adds and removes tags of all files or of none.
     * @throws Failure not_found for an unknown or deleted file | invalid_input if a file would have too many tags |
     *   too_large
     */
    change: ({ fileIds, add, remove }: TagChange): Promise<TagChangeResult> =>
      writer.write((tx) => {
        const changes = [...new Set(fileIds)].flatMap((fileId) => {
          const row = requireRow(fileId);
          const tags = changedTags(tagsOf(row), { add, remove });
          return tagsColumn(tags) === row.tags ? [] : [{ row, tags }];
        });
        for (const { row, tags } of changes)
          if (tags.length > MAX_FILE_TAGS)
            throw new Failure(
              'invalid_input',
              `“${row.title ?? row.name}” would have more than ${MAX_FILE_TAGS} tags. Nothing was changed.`,
            );
        const previousTags = groupByTags(changes.map(({ row }) => row));
        for (const { row, tags } of changes) setTags(tx, row, tags);
        if (changes.length > 0) events.notify(tx, 'files');
        return { changed: changes.length, previousTags };
      }),

    /** Sets the tags of files, including deleted ones, to undo a change. Returns the number of changed files. */
    assign: (groups: readonly TagGroup[]): Promise<number> =>
      writer.write((tx) => {
        let changedCount = 0;
        for (const { tags, fileIds } of groups) {
          for (const fileId of fileIds) {
            const row = store.findByFileId(fileId);
            // Files that were erased in the meantime have no tags to restore.
            if (row === undefined || row.tags === tagsColumn(tags)) continue;
            setTags(tx, row, tags);
            changedCount += 1;
          }
        }
        if (changedCount > 0) events.notify(tx, 'files');
        return changedCount;
      }),
  };
};

export type FileTagging = ReturnType<typeof createFileTagging>;
