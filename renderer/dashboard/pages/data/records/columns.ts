import { useState } from 'react';
import { isObject } from '../../../../../server/wire/values.ts';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';

/** Derives the table columns of an endpoint (path, width and alignment) from its records. */

export interface Column {
  /** Dotted path in the data. Empty for records that are not objects. */
  path: string;
  label: string;
  width: number;
  numeric: boolean;
}

const MAX_COLUMNS = 40;
/** Widths in pixels. */
const CHAR_WIDTH = 8.2;
const MIN_WIDTH = 72;
const MAX_WIDTH = 280;
/** An object with at most this many plain values is shown as separate columns. */
const MAX_INLINE_PROPERTIES = 6;

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('rawJSON' in value);
}

/** Returns the own value at a dotted path of at most two steps, as used by the columns. */
export function valueAt(data: unknown, path: string): unknown {
  if (path === '') return data;
  if (!isPlain(data)) return undefined;
  if (Object.hasOwn(data, path)) return data[path];
  const dot = path.indexOf('.');
  const inner = dot === -1 ? undefined : data[path.slice(0, dot)];
  const innerPath = path.slice(dot + 1);
  return isPlain(inner) && Object.hasOwn(inner, innerPath) ? inner[innerPath] : undefined;
}

export function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

/** Statistics of the values at one path. */
interface ColumnStatistics {
  lengths: number[];
  numbers: number;
  values: number;
}

function addValue(paths: Map<string, ColumnStatistics>, path: string, value: unknown): void {
  const statistics = paths.get(path) ?? { lengths: [], numbers: 0, values: 0 };
  statistics.lengths.push(Math.min(60, cellText(value).length));
  if (value !== null) statistics.values += 1;
  if (typeof value === 'number') statistics.numbers += 1;
  paths.set(path, statistics);
}

function columnsOf(records: readonly BrowsedRecord[]): Column[] {
  const paths = new Map<string, ColumnStatistics>();
  for (const { data } of records) {
    if (!isPlain(data)) {
      addValue(paths, '', data);
      continue;
    }
    for (const [key, value] of Object.entries(data)) {
      const inner = isPlain(value) ? Object.entries(value) : [];
      if (
        inner.length > 0 &&
        inner.length <= MAX_INLINE_PROPERTIES &&
        inner.every(([, part]) => !isPlain(part) && !Array.isArray(part))
      ) {
        for (const [name, part] of inner) addValue(paths, `${key}.${name}`, part);
      } else {
        addValue(paths, key, value);
      }
    }
  }
  return [...paths].map(([path, statistics]) => {
    const lengths = statistics.lengths.toSorted((a, b) => a - b);
    const numeric = statistics.values > 0 && statistics.numbers === statistics.values;
    // A text may be truncated, so the 90th percentile is enough. A truncated number would be a different number.
    const typicalLength = (numeric ? lengths.at(-1) : lengths[Math.floor(lengths.length * 0.9)]) ?? 0;
    const width = Math.max(typicalLength * CHAR_WIDTH, path.length * CHAR_WIDTH + 16) + 28;
    return {
      path,
      label: path,
      width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))),
      numeric,
    };
  });
}

/** Returns columns that keep their positions while the owner searches and sorts. Later pages only append columns. */
export function useColumns(
  endpoint: string,
  records: readonly BrowsedRecord[] | undefined,
): { columns: Column[]; hidden: number } {
  const [stored, setStored] = useState<{ endpoint: string; columns: Column[] }>({ endpoint, columns: [] });
  const base = stored.endpoint === endpoint ? stored.columns : [];
  const added = (records === undefined ? [] : columnsOf(records)).filter(
    ({ path }) => !base.some((column) => column.path === path),
  );
  const columns = added.length === 0 ? base : [...base, ...added];
  if (added.length > 0 || stored.endpoint !== endpoint) setStored({ endpoint, columns });
  return { columns: columns.slice(0, MAX_COLUMNS), hidden: Math.max(0, columns.length - MAX_COLUMNS) };
}
