import type { LedgerConditions, LedgerFilter } from '../../../../wire/ledger.ts';
import { LEDGER_SEARCH_MAX_WORDS } from '../../../../wire/limits.ts';
import type { AccessNames } from '../names.ts';
import { rowAt } from '../rules.ts';
import type { AccessLogStore, SearchGroup } from '../store.ts';
import type { Interning, Shape } from './interning.ts';
import type { RecordNumbers } from './record-lookup.ts';
import type { createSearch, RowIdRange, RowSource } from './search.ts';
import type { ShapeSearch } from './shape-search.ts';
import { timeOfRow } from './wire-rows.ts';

export type RowFilter = LedgerConditions & Pick<LedgerFilter, 'after' | 'before' | 'alike'>;

/**
 * Ids of matching rows, newest first. `end` is the row at which the search ended early; undefined if the search is
 * complete or the page is full.
 */
export type FoundRows = { ids: number[]; end: number | undefined };

export const ROW_ID_LIMIT = Number.MAX_SAFE_INTEGER;
/** Maximum number of shapes that are searched one by one. If more shapes match, the rows are scanned. */
const MAX_SHAPE_SOURCES = 500;
/** Maximum number of rows per scan. A scan takes about 0.2 s and runs in slices. */
const MAX_SCANNED_ROWS = 100_000;

export const alikeKey = ([kind, name, action, , reason, consent, endpoints]: Shape): string =>
  JSON.stringify([kind, name, action, reason, consent, endpoints]);

type GroupAttributes = Pick<SearchGroup, 'who_kind' | 'who_name' | 'consent_kind' | 'consent_name' | 'refused'>;

const groupAttributes = ([kind, name, , , reason, consent]: Shape): GroupAttributes => ({
  who_kind: kind,
  who_name: name,
  consent_kind: consent?.[0] ?? '',
  consent_name: consent?.[1] ?? '',
  refused: reason === null ? 0 : 1,
});

const matches = (group: GroupAttributes, filter: LedgerConditions): boolean => {
  const matchesPrincipal = (kind: string, name: string | undefined): boolean =>
    name === undefined || (group.who_kind === kind && group.who_name === name);
  const matchesConsent = (kind: string, name: string | undefined): boolean =>
    name === undefined || (group.consent_kind === kind && group.consent_name === name);
  return (
    (filter.who === undefined || group.who_kind === filter.who) &&
    matchesPrincipal('application', filter.application) &&
    matchesPrincipal('function', filter.function) &&
    matchesPrincipal('user', filter.user) &&
    (matchesPrincipal('contract', filter.contract) || matchesConsent('contract', filter.contract)) &&
    matchesConsent('debit', filter.debit) &&
    matchesConsent('link', filter.link) &&
    (filter.outcome === undefined || (filter.outcome === 'refused') === (group.refused === 1))
  );
};

const splitSearch = (search: string | undefined): string[] =>
  [...new Set((search ?? '').split(/[\s"]+/u).filter((word) => word !== ''))].slice(0, LEDGER_SEARCH_MAX_WORDS);

export const createEntryListing = (parts: {
  store: AccessLogStore;
  search: ReturnType<typeof createSearch>;
  shapes: Interning;
  shapeSearch: ShapeSearch;
  recordNumbers: RecordNumbers;
  names: AccessNames;
  /** Returns the largest difference between the time in a row id and the row's first request, in milliseconds. */
  maxLagMs: () => number;
}) => {
  const { store, search, shapes, shapeSearch, recordNumbers, names, maxLagMs } = parts;

  // The time in a row id is never earlier than the request. It can be later, by at most `maxLagMs`.
  const rangeOf = ({ from, to, after, before }: RowFilter): RowIdRange => ({
    after: Math.max(0, rowAt(from ?? 0) - 1, after ?? 0),
    below: Math.min(before ?? ROW_ID_LIMIT, to === undefined ? ROW_ID_LIMIT : rowAt(to + 1 + maxLagMs())),
  });

  const createRowMatcher = ({ from, to, alike }: RowFilter): ((id: number) => boolean) => {
    const alikeRow = alike === undefined ? undefined : store.row(alike);
    const key = alikeRow === undefined ? undefined : alikeKey(shapes.read(alikeRow.shape));
    // If the time in each row id is the time of the first request, the range of row ids is exactly the time range.
    const isExactRange = maxLagMs() === 0 || (from ?? to) === undefined;
    return (id) => {
      if (isExactRange && alike === undefined) return true;
      const row = store.row(id);
      if (row === undefined) return false;
      const time = timeOfRow(row);
      if (!isExactRange && (time < (from ?? 0) || time > (to ?? Number.POSITIVE_INFINITY))) return false;
      return alike === undefined || alikeKey(shapes.read(row.shape)) === key;
    };
  };

  /** Returns sources of rows with files whose names match some words. The row's shape must match the other words. */
  const fileSources = async (filter: RowFilter, words: readonly string[]): Promise<RowSource[]> => {
    const wordsByFile = new Map<number, Set<string>>();
    for (const word of words)
      for (const seq of names.findFilesByName(word))
        wordsByFile.set(seq, (wordsByFile.get(seq) ?? new Set()).add(word));
    const groups = store.groups().filter((group) => group.has_records === 1 && matches(group, filter));
    const sources: RowSource[] = [];
    const { act, endpoint } = filter;
    // Files whose names match the same words share one search.
    const shapesByWords = new Map<string, ReadonlySet<number>>();
    const shapesWith = async (otherWords: readonly string[]): Promise<ReadonlySet<number>> => {
      const key = otherWords.join(' ');
      const shapeIds = shapesByWords.get(key) ?? new Set(await shapeSearch.find({ act, endpoint, words: otherWords }));
      shapesByWords.set(key, shapeIds);
      return shapeIds;
    };
    for (const [seq, fileWords] of wordsByFile) {
      const recordNumber = recordNumbers.findBySeq(seq);
      if (recordNumber === undefined) continue;
      const otherWords = words.filter((word) => !fileWords.has(word));
      const matchesEveryShape = otherWords.length === 0 && act === undefined && endpoint === undefined;
      const shapeIds = matchesEveryShape ? undefined : await shapesWith(otherWords);
      const isMatch = (id: number): boolean => {
        const shape = store.row(id)?.shape;
        return shapeIds === undefined || (shape !== undefined && shapeIds.has(shape));
      };
      for (const { id } of groups) sources.push({ ...search.groupSource(id, recordNumber), isMatch });
    }
    return sources;
  };

  return {
    async find(filter: RowFilter, count: number): Promise<FoundRows> {
      const recordNumber = filter.record === undefined ? undefined : recordNumbers.find(filter.record);
      if (filter.record !== undefined && recordNumber === undefined) return { ids: [], end: undefined };
      const range = rangeOf(filter);
      const isMatch = createRowMatcher(filter);
      const words = splitSearch(filter.search);
      const findNewest = async (sources: readonly RowSource[], within: RowIdRange = range): Promise<number[]> =>
        search.findNewest(sources, within, { count, isMatch });
      const searchSources = async (sources: readonly RowSource[]) => ({
        ids: await findNewest(sources),
        end: undefined,
      });

      const groups = store
        .groups()
        .filter((group) => matches(group, filter) && (recordNumber === undefined || group.has_records === 1));
      if (filter.act === undefined && filter.endpoint === undefined && words.length === 0)
        return searchSources(groups.map(({ id }) => search.groupSource(id, recordNumber)));

      const { act, endpoint } = filter;
      const matchingShapes = await shapeSearch.find({ act, endpoint, words });
      if (recordNumber !== undefined) {
        const shapeIds = new Set(matchingShapes);
        const hasMatchingShape = (id: number): boolean => shapeIds.has(store.row(id)?.shape ?? 0);
        return searchSources(
          groups.map(({ id }) => ({ ...search.groupSource(id, recordNumber), isMatch: hasMatchingShape })),
        );
      }
      const fileRowSources = await fileSources(filter, words);
      if (matchingShapes.length <= MAX_SHAPE_SOURCES) {
        const selectedShapes = matchingShapes.filter((id) => matches(groupAttributes(shapes.read(id)), filter));
        return searchSources([...selectedShapes.map((id) => search.shapeSource(id)), ...fileRowSources]);
      }
      const [shapeIds, groupIds] = [new Set(matchingShapes), new Set(groups.map(({ id }) => id))];
      const { rows, end } = await search.scan(range, {
        count,
        maxRows: MAX_SCANNED_ROWS,
        isMatch: (id, grp, shape) => groupIds.has(grp) && shapeIds.has(shape) && isMatch(id),
      });
      const fileRowIds = await findNewest(fileRowSources, { ...range, after: Math.max(range.after, (end ?? 0) - 1) });
      const ids = [...new Set([...rows, ...fileRowIds])].toSorted((a, b) => b - a).slice(0, count);
      return { ids, end: ids.length === count ? undefined : end };
    },
  };
};

export type EntryListing = ReturnType<typeof createEntryListing>;
