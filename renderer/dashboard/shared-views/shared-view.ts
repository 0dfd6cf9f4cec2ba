import { hashKey } from '@tanstack/react-query';
import { MAX_SHARED_COLUMNS, MAX_SHARED_VIEW_NAME_CHARS } from '../../../server/wire/limits.ts';
import type { SharedDefinition, SharedView } from '../../shared/api/contract.ts';
import { endpointPath } from '../navigation.ts';
import type { RecordSelection } from '../api/queries.ts';
import { chartPath } from '../pages/data/charts/chart-settings.ts';
import type { Column } from '../pages/data/records/columns.ts';
import { savedViewOf } from '../pages/data/records/use-view.ts';

/** The server rejects these characters in names. */
const INVISIBLE_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}]+/gu;

/** Removes characters that shared names may not contain. Returns the fallback if nothing is left. */
export function shareableName(text: string, fallback: string): string {
  const name = text.replaceAll(INVISIBLE_CHARACTERS, '').trim().slice(0, MAX_SHARED_VIEW_NAME_CHARS).trim();
  return name.isWellFormed() && name !== '' ? name : fallback;
}

export function tableDefinition(
  { search, filters, sorts, oldestFirst }: RecordSelection,
  columns: readonly Column[],
): SharedDefinition {
  return {
    kind: 'table',
    selection: { search, filters: [...filters], sorts: [...sorts], oldestFirst },
    columns: columns.slice(0, MAX_SHARED_COLUMNS).map(({ path, label, field }, index) => ({
      path,
      name: shareableName(label, shareableName(path, String(index + 1))),
      type: field.type,
    })),
  };
}

export const isSameDefinition = (a: SharedDefinition, b: SharedDefinition): boolean => hashKey([a]) === hashKey([b]);

export function sharedViewPath({ endpoint, definition }: SharedView): string {
  if (definition.kind === 'chart') return chartPath(endpoint, definition.chart);
  const view = {
    ...definition.selection,
    columns: definition.columns.map(({ path }) => ({ path })),
    facets: false,
    mode: 'table' as const,
    at: 0,
    record: null,
  };
  return `${endpointPath(endpoint)}?${savedViewOf(view)}`;
}
