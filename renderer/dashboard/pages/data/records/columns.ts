import { useMemo, useState } from 'react';
import { displayNameOf } from '../../../../../server/wire/display-name.ts';
import { isolateText } from '../../../../../server/wire/isolation.ts';
import type { BrowsedRecord, Field } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { arrangeColumns, type ColumnChoice } from '../record-table/column-choices.ts';
import { type ValueType, formatField, isPlainObject, plainText } from './field-format.ts';
import { nameWithoutUnit } from './field-name.ts';

export interface Column {
  /** Dotted path; empty for the whole record. */
  path: string;
  /** Includes the unit of a number. */
  label: string;
  width: number;
  /** True if the owner chose the width. Otherwise the width depends on the content. */
  isSized: boolean;
  isNumeric: boolean;
  field: ValueType;
}

const MAX_AUTOMATIC_COLUMNS = 40;
/** Sizes in pixels. */
const CHAR_WIDTH = 8.2;
/** Includes space for the rank among several sort orders. */
const SORT_ICON_WIDTH = 30;
const CELL_PADDING = 28;
const COLOUR_DOT_WIDTH = 14;
const MIN_WIDTH = 72;
const MAX_WIDTH = 280;
/** Share of a column's values that fit into the column. */
const FULLY_SHOWN_SHARE = 0.9;
/** Longer values are measured as if they had this length. */
const MAX_MEASURED_CHARS = 60;
/** Larger objects are shown in one column, unless their fields are known. */
const MAX_INLINE_PROPERTIES = 6;
const NUMERIC_TYPES: ReadonlySet<Field['type']> = new Set(['number', 'money', 'duration', 'latitude', 'longitude']);

/** A member whose own name contains dots takes precedence over a nested member. */
export function valueAt(data: unknown, path: string): unknown {
  if (path === '') return data;
  if (!isPlainObject(data)) return undefined;
  if (Object.hasOwn(data, path)) return data[path];
  const dot = path.indexOf('.');
  const name = path.slice(0, dot);
  return dot === -1 || !Object.hasOwn(data, name) ? undefined : valueAt(data[name], path.slice(dot + 1));
}

interface ColumnStatistics {
  lengths: number[];
  numberCount: number;
  valueCount: number;
}

type FieldsByPath = ReadonlyMap<string, Field>;

function isInline(value: Record<string, unknown>, path: string, fields: FieldsByPath): boolean {
  if (fields.has(path)) return false;
  if ([...fields.keys()].some((fieldPath) => fieldPath.startsWith(`${path}.`))) return true;
  const innerValues = Object.values(value);
  return (
    innerValues.length > 0 &&
    innerValues.length <= MAX_INLINE_PROPERTIES &&
    innerValues.every((member) => !isPlainObject(member) && !Array.isArray(member))
  );
}

function collectStatistics(
  records: readonly BrowsedRecord[],
  fields: FieldsByPath,
): ReadonlyMap<string, ColumnStatistics> {
  const statisticsByPath = new Map<string, ColumnStatistics>();
  const add = (path: string, value: unknown) => {
    const statistics = statisticsByPath.get(path) ?? { lengths: [], numberCount: 0, valueCount: 0 };
    const field = fields.get(path);
    const text = field === undefined ? plainText(value) : formatField(value, field, MAX_MEASURED_CHARS).text;
    statistics.lengths.push(Math.min(MAX_MEASURED_CHARS, text.length));
    if (value !== null) statistics.valueCount += 1;
    if (typeof value === 'number') statistics.numberCount += 1;
    statisticsByPath.set(path, statistics);
  };
  const visit = (value: unknown, path: string) => {
    if (!isPlainObject(value) || !isInline(value, path, fields)) add(path, value);
    else for (const [name, member] of Object.entries(value)) visit(member, `${path}.${name}`);
  };
  for (const { data } of records) {
    // A record that is not an object, or an object with a special type such as GeoJSON, is a single value.
    if (!isPlainObject(data) || (fields.has('') && fields.size === 1)) add('', data);
    else for (const [name, value] of Object.entries(data)) visit(value, name);
  }
  return statisticsByPath;
}

/** Guesses the type of a field that the PDA's sample of records did not contain. */
function guessField(path: string, { numberCount, valueCount }: ColumnStatistics): ValueType & { name: string } {
  const type = valueCount > 0 && numberCount === valueCount ? 'number' : 'text';
  return { path, type, unit: '', name: displayNameOf(path.slice(path.lastIndexOf('.') + 1)) };
}

function nameOf(path: string, name: string, isAmbiguous: boolean): string {
  if (path === '') return m.data.endpoint.value;
  const dot = path.lastIndexOf('.');
  if (!isAmbiguous || dot === -1) return name;
  const outer = path.slice(0, dot);
  return m.data.endpoint.innerName(displayNameOf(outer.slice(outer.lastIndexOf('.') + 1)), name);
}

function columnsOf(records: readonly BrowsedRecord[], fields: FieldsByPath): Column[] {
  const statisticsByPath = collectStatistics(records, fields);
  const measuredFields = [...statisticsByPath].map(([path, statistics]) => {
    const knownField = fields.get(path);
    return {
      statistics,
      field:
        knownField === undefined ? guessField(path, statistics) : { ...knownField, name: nameWithoutUnit(knownField) },
    };
  });
  const nameCounts = new Map<string, number>();
  for (const { field } of measuredFields) nameCounts.set(field.name, (nameCounts.get(field.name) ?? 0) + 1);
  return measuredFields.map(({ statistics, field }) => {
    const { path, colour } = field;
    const lengths = statistics.lengths.toSorted((a, b) => a - b);
    const isNumeric = NUMERIC_TYPES.has(field.type);
    const name = nameOf(path, field.name, (nameCounts.get(field.name) ?? 0) > 1);
    const label =
      field.type === 'number' && field.unit !== '' ? m.data.endpoint.withUnit(name, field.unit) : isolateText(name);
    // Long strings may be truncated. Numbers may not, because a truncated number would be a different number.
    const typicalLength = (isNumeric ? lengths.at(-1) : lengths[Math.floor(lengths.length * FULLY_SHOWN_SHARE)]) ?? 0;
    const headingWidth = label.length * CHAR_WIDTH + SORT_ICON_WIDTH + (colour === undefined ? 0 : COLOUR_DOT_WIDTH);
    const width = Math.max(typicalLength * CHAR_WIDTH, headingWidth) + CELL_PADDING;
    return {
      path,
      label,
      width: Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width))),
      isSized: false,
      isNumeric,
      field,
    };
  });
}

interface StoredColumns {
  endpoint: string;
  fields: readonly Field[] | undefined;
  columns: Column[];
}

/**
 * Returns all columns and the displayed ones. Columns keep their positions while the owner searches and sorts: new
 * records only append columns, and corrected fields change columns in place.
 * @param choices empty for the automatic columns
 */
export function useColumns(
  endpoint: string,
  records: readonly BrowsedRecord[] | undefined,
  fields: readonly Field[] | undefined,
  choices: readonly ColumnChoice[],
): { columns: Column[]; shownColumns: Column[] } {
  const [storedColumns, setStoredColumns] = useState<StoredColumns>({ endpoint, fields, columns: [] });
  const knownColumns = storedColumns.endpoint === endpoint ? storedColumns.columns : [];
  const isCurrent = storedColumns.endpoint === endpoint && storedColumns.fields === fields;
  const currentColumns = useMemo(
    () => columnsOf(records ?? [], new Map(fields?.map((field) => [field.path, field]))),
    [records, fields],
  );
  const addedColumns = currentColumns.filter(({ path }) => !knownColumns.some((column) => column.path === path));
  const updatedColumns = isCurrent
    ? knownColumns
    : knownColumns.map((column) => currentColumns.find(({ path }) => path === column.path) ?? column);
  const columns = addedColumns.length === 0 ? updatedColumns : [...updatedColumns, ...addedColumns];
  if (addedColumns.length > 0 || !isCurrent) setStoredColumns({ endpoint, fields, columns });
  return { columns, shownColumns: useShownColumns(columns, choices) };
}

export const automaticColumns = (columns: readonly Column[]): Column[] => columns.slice(0, MAX_AUTOMATIC_COLUMNS);

/** Returns the columns that the table shows. If none of the chosen columns exists, it shows the automatic ones. */
export function chooseColumns(columns: readonly Column[], choices: readonly ColumnChoice[]): Column[] {
  const arrangedColumns = arrangeColumns(columns, choices);
  return arrangedColumns.length === 0 ? automaticColumns(columns) : arrangedColumns;
}

/** Returns the same array until its content changes, because rows compare the columns by identity. */
function useShownColumns(columns: Column[], choices: readonly ColumnChoice[]): Column[] {
  // Each render parses the choices in the URL again.
  const choicesText = JSON.stringify(choices);
  return useMemo(
    () => chooseColumns(columns, JSON.parse(choicesText) as readonly ColumnChoice[]),
    [columns, choicesText],
  );
}
