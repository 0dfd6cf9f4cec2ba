import { createReadStream } from 'node:fs';
import type { ImportFormat, ImportPreview, RecordLists } from '../../../../wire/imports.ts';
import type { CsvColumn } from '../tabular/csv-columns.ts';
import { readElements, type ReadOptions } from '../tabular/element-reader.ts';
import { BrokenElement } from '../tabular/element-source.ts';
import type { ElementPreview, ImportThreadTask } from '../worker/messages.ts';
import { convertMembers } from '../tabular/json-columns.ts';
import { ColumnSummaries, PREVIEW_MAX_COLUMNS } from './column-summary.ts';
import { findRecordLists } from './record-lists.ts';

/** The types of columns, except in CSV, are inferred from the first elements, until one of these limits is reached. */
const MAX_TYPED_ELEMENTS = 1000;
const MAX_TYPED_CHARS = 2_000_000;
const CHUNK_BYTES = 256 * 1024;
/** Limits for the values within an element, which keep the response small. */
const MAX_TEXT_CHARS = 500;
const MAX_MEMBERS = 100;
const MAX_DEPTH = 8;

function shortenValue(value: unknown, maxMembers: number, depth = 0): unknown {
  if (typeof value === 'string')
    return value.length <= MAX_TEXT_CHARS ? value : `${value.slice(0, MAX_TEXT_CHARS).toWellFormed()}…`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, maxMembers).map((item) => shortenValue(item, MAX_MEMBERS, depth + 1));
  const entries = Object.entries(value).slice(0, maxMembers);
  return Object.fromEntries(entries.map(([name, item]) => [name, shortenValue(item, MAX_MEMBERS, depth + 1)]));
}

type PreviewLimits = {
  /** Number of elements to return. */
  readonly count: number;
  /** Size of the file in bytes, from which the number of elements is estimated. */
  readonly size: number;
  readonly maxMs: number;
};

/**
 * Reads a file as an import would, up to the first error or the time limit. Returns the columns, the first elements
 * (shortened), the number of elements, and the error if there was one. The number is estimated if the time limit was
 * reached.
 */
export async function previewElements(
  stream: AsyncIterable<Buffer>,
  format: ImportFormat,
  { count, size, maxMs }: PreviewLimits,
  options: ReadOptions = {},
): Promise<Pick<ImportPreview, 'columns' | 'elements' | 'rows' | 'error'>> {
  const deadline = performance.now() + maxMs;
  let csvColumns: readonly CsvColumn[] = [];
  const csv = { ...options.csv, onColumns: (columns: readonly CsvColumn[]) => (csvColumns = columns) };
  // Except in CSV, column types are inferred from the values in the file. Therefore the types that the owner chose are
  // applied here, and not while the file is read.
  const chosenTypes = new Map(format === 'csv' ? [] : Object.entries(options.columnTypes ?? {}));
  const readOptions = format === 'csv' ? { ...options, csv } : { ...options, columnTypes: undefined };
  const summaries = new ColumnSummaries();
  const elements: ImportPreview['elements'] = [];
  let brokenElement: BrokenElement | undefined;
  let rows = 0;
  let typedChars = 0;
  let bytes = 0;
  let isExact = true;
  try {
    for await (const batch of readElements(stream, format, readOptions)) {
      // Counting stops only between the slices in which a file is parsed: within a slice, `bytesRead` includes elements
      // that are not yet counted.
      isExact = bytes === 0 || bytes === batch.bytesRead || performance.now() <= deadline;
      if (!isExact) break;
      bytes = batch.bytesRead;
      for (const { text } of batch.elements) {
        if (elements.length < count) {
          const element: unknown = JSON.parse(convertMembers(text, chosenTypes));
          elements.push(shortenValue(element, PREVIEW_MAX_COLUMNS));
        }
        if (rows < MAX_TYPED_ELEMENTS && typedChars < MAX_TYPED_CHARS) summaries.add(text);
        typedChars += text.length;
        rows += 1;
      }
    }
  } catch (error) {
    if (!(error instanceof BrokenElement)) throw error;
    brokenElement = error;
  }
  return {
    columns: csvColumns.length > 0 ? csvColumns.slice(0, PREVIEW_MAX_COLUMNS) : summaries.columns(),
    elements,
    rows: { count: isExact ? rows : Math.round((rows * size) / bytes), exact: isExact },
    error: brokenElement === undefined ? null : { line: brokenElement.line, problem: brokenElement.message },
  };
}

export const runPreviewTask = async (task: Extract<ImportThreadTask, { task: 'preview' }>): Promise<ElementPreview> => {
  const { path, columnTypes, count, size } = task;
  const open = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
  const detectsFormat = !task.isFormatChosen && task.list === undefined;
  const isTopology = task.format === 'topojson';
  const isJson = task.format === 'json' || task.format === 'geojson' || isTopology;
  const recordLists = isJson ? await findRecordLists(open(), task.listsMaxMs, isTopology || detectsFormat) : null;
  const kind = recordLists?.kind ?? 'object';
  const format = detectsFormat && kind !== 'object' ? kind : task.format;
  const list = task.list ?? recordLists?.chosen;
  const lists: RecordLists | null = recordLists === null ? null : { ...recordLists, chosen: [...(list ?? [])] };
  const elementPreview = await previewElements(
    open(),
    format,
    { count, size, maxMs: task.countMaxMs },
    { list, columnTypes },
  );
  return { ...elementPreview, format, lists };
};
