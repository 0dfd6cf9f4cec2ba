import { useState } from 'react';
import { isObject } from '../../../../../server/wire/values.ts';
import type { BrowsedRecord } from '../../../../shared/api/contract.ts';

/** The columns of an endpoint's table, taken from its records: their names, how wide, and which way they align. */

export interface Column {
  /** Dotted path in the data; empty for records that are no objects. */
  path: string;
  label: string;
  width: number;
  numeric: boolean;
}

const MAX_COLUMNS = 40;
const CHAR = 8.2;
const MIN_WIDTH = 72;
const MAX_WIDTH = 280;
/** An object of at most this many plain values is shown as separate columns. */
const MAX_INNER = 6;

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !('rawJSON' in value);
}

/** Own value under a dotted path of at most two steps, as the columns are named. */
export function valueAt(data: unknown, path: string): unknown {
  if (path === '') return data;
  if (!isPlain(data)) return undefined;
  if (Object.hasOwn(data, path)) return data[path];
  const dot = path.indexOf('.');
  const inner = dot === -1 ? undefined : data[path.slice(0, dot)];
  const rest = path.slice(dot + 1);
  return isPlain(inner) && Object.hasOwn(inner, rest) ? inner[rest] : undefined;
}

export function cellText(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  return JSON.stringify(value);
}

interface Seen {
  lengths: number[];
  numbers: number;
  values: number;
}

function look(paths: Map<string, Seen>, path: string, value: unknown): void {
  const seen = paths.get(path) ?? { lengths: [], numbers: 0, values: 0 };
  seen.lengths.push(Math.min(60, cellText(value).length));
  if (value !== null) seen.values += 1;
  if (typeof value === 'number') seen.numbers += 1;
  paths.set(path, seen);
}

function columnsOf(records: readonly BrowsedRecord[]): Column[] {
  const paths = new Map<string, Seen>();
  for (const { data } of records) {
    if (!isPlain(data)) {
      look(paths, '', data);
      continue;
    }
    for (const [key, value] of Object.entries(data)) {
      const inner = isPlain(value) ? Object.entries(value) : [];
      if (
        inner.length > 0 &&
        inner.length <= MAX_INNER &&
        inner.every(([, part]) => !isPlain(part) && !Array.isArray(part))
      ) {
        for (const [name, part] of inner) look(paths, `${key}.${name}`, part);
      } else {
        look(paths, key, value);
      }
    }
  }
  return [...paths].map(([path, seen]) => {
    const lengths = seen.lengths.toSorted((a, b) => a - b);
    const numeric = seen.values > 0 && seen.numbers === seen.values;
    // A long text may be cut; a number that is cut is another number.
    const usual = (numeric ? lengths.at(-1) : lengths[Math.floor(lengths.length * 0.9)]) ?? 0;
    const width = Math.max(usual * CHAR, path.length * CHAR + 16) + 28;
    return {
      path,
      label: path,
      width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))),
      numeric,
    };
  });
}

/** Columns that stay where they are while one searches and orders: later pages only add what is new. */
export function useColumns(
  endpoint: string,
  records: readonly BrowsedRecord[] | undefined,
): { columns: Column[]; hidden: number } {
  const [known, setKnown] = useState<{ endpoint: string; columns: Column[] }>({ endpoint, columns: [] });
  const base = known.endpoint === endpoint ? known.columns : [];
  const fresh = (records === undefined ? [] : columnsOf(records)).filter(
    ({ path }) => !base.some((column) => column.path === path),
  );
  const columns = fresh.length === 0 ? base : [...base, ...fresh];
  if (fresh.length > 0 || known.endpoint !== endpoint) setKnown({ endpoint, columns });
  return { columns: columns.slice(0, MAX_COLUMNS), hidden: Math.max(0, columns.length - MAX_COLUMNS) };
}
