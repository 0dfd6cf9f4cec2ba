import { hashKey } from '@tanstack/react-query';
import { GUEST_PATH } from '../../../server/wire/guest-paths.ts';
import { isolateText } from '../../../server/wire/isolation.ts';
import { MAX_SHARED_COLUMNS, MAX_SHARED_VIEW_NAME_CHARS } from '../../../server/wire/limits.ts';
import type { SharedDefinition, SharedTable, SharedView } from '../../shared/api/contract.ts';
import type { DataNames } from '../../shared/components/display-names.ts';
import { m } from '../../shared/messages/texts.ts';
import { endpointPath, guestPreviewPath } from '../navigation.ts';
import type { RecordSelection } from '../api/queries.ts';
import { chartPath } from '../pages/data/charts/chart-settings.ts';
import type { Column } from '../pages/data/records/columns.ts';
import { viewParametersOf } from '../pages/data/records/use-view.ts';

/** Includes the characters that the server rejects in names. */
const INVISIBLE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** Removes invisible characters and limits the length. Returns the fallback if no valid name is left. */
export function shareableName(text: string, fallback: string): string {
  const name = text.replaceAll(INVISIBLE_CHARACTERS, '').trim().slice(0, MAX_SHARED_VIEW_NAME_CHARS).trim();
  return name.isWellFormed() && name !== '' ? name : fallback;
}

/** @param recordIds the only records that are shared; undefined to share all matching records */
export function tableDefinition(
  { search, filters, sorts, oldestFirst }: Omit<RecordSelection, 'endpoint'>,
  columns: readonly Column[],
  recordIds?: readonly string[],
): SharedTable {
  const selection = { search, filters: [...filters], sorts: [...sorts], oldestFirst };
  return {
    kind: 'table',
    // Sorted, so that definitions with the same records are equal.
    selection: recordIds === undefined ? selection : { ...selection, records: recordIds.toSorted() },
    columns: columns.slice(0, MAX_SHARED_COLUMNS).map(({ path, label, field }, index) => ({
      path,
      name: shareableName(label, shareableName(path, String(index + 1))),
      type: field.type,
    })),
  };
}

/** Returns the ids of the selected records; undefined if all matching records are shared. */
export const selectedRecordsOf = (definition: SharedDefinition): readonly string[] | undefined =>
  definition.kind === 'table' ? definition.selection.records : undefined;

/** Returns text such as "12 selected records of Steps"; undefined if all matching records are shared. */
export function selectedRecordsText(
  { definition, endpoint }: Pick<SharedView, 'definition' | 'endpoint'>,
  names: DataNames,
): string | undefined {
  const records = selectedRecordsOf(definition);
  if (records === undefined) return undefined;
  return m.sharedViews.selected.records(records.length, isolateText(names.endpoint(endpoint)));
}

export const isSameDefinition = (a: SharedDefinition, b: SharedDefinition): boolean => hashKey([a]) === hashKey([b]);

export function sharedViewPath({ sharedViewId, userId, endpoint, definition }: SharedView): string {
  if (definition.kind === 'chart') return chartPath(endpoint, definition.chart);
  // The owner's own table has no URL that selects individual records.
  if (definition.selection.records !== undefined)
    return guestPreviewPath(userId, `${GUEST_PATH}/tables/${sharedViewId}`);
  const view = {
    ...definition.selection,
    columns: definition.columns.map(({ path }) => ({ path })),
    showsFacets: false,
    mode: 'table' as const,
    at: 0,
    record: null,
  };
  return `${endpointPath(endpoint)}?${viewParametersOf(view)}`;
}
