import { setImmediate as nextTurn } from 'node:timers/promises';
import { isoTime } from '../../../../platform/clock.ts';
import { createLocalDateFormat } from '../../../../platform/local-date.ts';
import type { LedgerGroup, LedgerGroupFilter, LedgerGroupPage } from '../../../../wire/ledger.ts';
import { MAX_NAMED_FILES } from '../../../../wire/limits.ts';
import type { AccessLogStore } from '../store.ts';
import type { Interning } from './interning.ts';
import { alikeKey, ROW_ID_LIMIT, type EntryListing } from './listing.ts';
import { timeOfRow, type WireRows } from './wire-rows.ts';

const PAGE_GROUPS = 50;
/** Maximum number of matching rows per page. An application that polls creates thousands of alike entries per day. */
const MAX_PAGE_ROWS = 20_000;
const BATCH_ROWS = 500;

/** Returns a function that groups the alike entries of each day. A group can continue on the next page. */
export const createGrouping = (parts: {
  store: AccessLogStore;
  shapes: Interning;
  listing: EntryListing;
  rows: WireRows;
}) => {
  const { store, shapes, listing, rows: wireRows } = parts;

  return async ({ timeZone, before, ...filter }: LedgerGroupFilter): Promise<LedgerGroupPage> => {
    const dateOf = createLocalDateFormat(timeZone);
    const groups = new Map<string, LedgerGroup>();
    const page = (next: number | null): LedgerGroupPage => ({ groups: [...groups.values()], next });

    let cursor = before;
    for (let count = 0; count < MAX_PAGE_ROWS; count += BATCH_ROWS) {
      const { ids, end } = await listing.find({ ...filter, before: cursor ?? ROW_ID_LIMIT }, BATCH_ROWS);
      for (const id of ids) {
        const row = store.row(id);
        if (row === undefined) continue;
        const time = timeOfRow(row);
        const day = dateOf(time);
        const key = `${day} ${alikeKey(shapes.read(row.shape))}`;
        const group = groups.get(key);
        if (group === undefined) {
          if (groups.size === PAGE_GROUPS) return page(cursor ?? null);
          groups.set(key, { day, row: wireRows.toWire(row), entries: 1, oldest: id, since: isoTime(time) });
        } else {
          group.entries += 1;
          group.oldest = id;
          group.since = isoTime(time);
          group.row.count += row.count;
          group.row.records += row.records;
          if (row.bytes !== null) group.row.bytes = (group.row.bytes ?? 0) + row.bytes;
          if (group.row.files.length < MAX_NAMED_FILES && row.records > 0) addFiles(group, wireRows.toWire(row).files);
        }
        cursor = id;
      }
      if (end !== undefined) return page(end);
      if (ids.length < BATCH_ROWS) return page(null);
      await nextTurn();
    }
    return page(cursor ?? null);
  };
};

const addFiles = ({ row }: LedgerGroup, files: LedgerGroup['row']['files']): void => {
  for (const file of files)
    if (row.files.length < MAX_NAMED_FILES && row.files.every(({ fileId }) => fileId !== file.fileId))
      row.files.push(file);
};
