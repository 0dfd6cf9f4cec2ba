import { MAX_NAMED_FILES } from '../../../../server/wire/limits.ts';
import type { LedgerGroup } from '../../../shared/api/contract.ts';
import { loadsAutomatically } from '../../../shared/components/list-end.tsx';
import { dayHeading } from '../../../shared/format/local-date.ts';

interface GroupsOfDay {
  /** Local date such as `2026-03-01`. */
  date: string;
  label: string;
  groups: LedgerGroup[];
}

/** Returns a key of the properties by which the server groups entries, so that groups can be joined across pages. */
export function groupKey({ day: date, row }: LedgerGroup): string {
  const { who, action, reason, consent, endpoints } = row;
  const consentKey = consent === null ? null : [consent.kind, consent.name, consent.detail];
  return JSON.stringify([date, who.kind, who.name, action, reason, consentKey, endpoints]);
}

function mergeGroups(newer: LedgerGroup, older: LedgerGroup): LedgerGroup {
  const files = [...newer.row.files];
  for (const file of older.row.files)
    if (files.length < MAX_NAMED_FILES && files.every(({ fileId }) => fileId !== file.fileId)) files.push(file);
  return {
    ...newer,
    entries: newer.entries + older.entries,
    oldest: Math.min(newer.oldest, older.oldest),
    since: newer.since < older.since ? newer.since : older.since,
    row: {
      ...newer.row,
      files,
      count: newer.row.count + older.row.count,
      records: newer.row.records + older.row.records,
      bytes:
        newer.row.bytes === null && older.row.bytes === null ? null : (newer.row.bytes ?? 0) + (older.row.bytes ?? 0),
    },
  };
}

/** Returns the groups by day, newest first. Joins groups of different pages, because a page can end within a day. */
export function joinByDay(pages: readonly (readonly LedgerGroup[])[], now: Date = new Date()): GroupsOfDay[] {
  const groups = new Map<string, LedgerGroup>();
  for (const group of pages.flat()) {
    const key = groupKey(group);
    const newer = groups.get(key);
    groups.set(key, newer === undefined ? group : mergeGroups(newer, group));
  }
  const days = new Map<string, LedgerGroup[]>();
  for (const group of groups.values()) days.set(group.day, [...(days.get(group.day) ?? []), group]);
  // Entries arrive in write order, which can differ from chronological order if the clock was changed.
  return [...days]
    .toSorted(([a], [b]) => (a < b ? 1 : -1))
    .map(([date, members]) => ({
      date,
      label: dayHeading(date, now),
      groups: members.toSorted((a, b) => (a.row.time < b.row.time ? 1 : a.row.time > b.row.time ? -1 : 0)),
    }));
}

/**
 * Returns true if the next page of a search must be fetched to find matches: a page can be empty although older entries
 * match.
 */
export function shouldContinueSearch(
  groups: readonly LedgerGroup[],
  { hasNextPage, isFetching, isError }: { hasNextPage: boolean; isFetching: boolean; isError: boolean },
): boolean {
  const state = { hasMore: hasNextPage, isLoading: isFetching, hasFailed: isError };
  return groups.length === 0 && loadsAutomatically(state);
}
