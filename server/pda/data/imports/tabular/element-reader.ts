import type { ColumnChoice, ImportFormat } from '../../../../wire/imports.ts';
import { CsvElements, type CsvOptions } from './csv-elements.ts';
import type { ElementBatch, ElementSource, ImportedElement } from './element-source.ts';
import { convertMembers, recordOfFeature } from './json-columns.ts';
import { JsonElements, NdjsonElements } from './json-elements.ts';
import { readTopology } from '../topology/reader.ts';

export interface ReadOptions {
  /** Index of the first element to return. Default 0. */
  readonly from?: number;
  /**
   * Names that lead to the list of records in a JSON file. Default: the file itself is the list or the only record; in
   * TopoJSON, the object with the most geometries. Ignored in GeoJSON.
   */
  readonly list?: readonly string[] | undefined;
  /** Types that the owner chose, by column name. */
  readonly columnTypes?: Readonly<Record<string, ColumnChoice>> | undefined;
  readonly csv?: Omit<CsvOptions, 'types'>;
}

export const FEATURES_PATH: readonly string[] = ['features'];

const MAX_BATCH_ELEMENTS = 1000;
const MAX_BATCH_CHARS = 1_000_000;
/** Maximum number of bytes that are parsed in one step. */
const SLICE_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file in batches of elements. Keeps a bounded part of it in memory, except for TopoJSON, which is parsed as a
 * whole.
 * @throws BrokenElement at the first element that cannot be read, after yielding the elements before it; in TopoJSON,
 *   only before the first batch, if the file or the chosen object cannot be read
 */
export async function* readElements(
  stream: AsyncIterable<Buffer>,
  format: ImportFormat,
  options: ReadOptions = {},
): AsyncGenerator<ElementBatch, void, undefined> {
  const convert = conversionOf(format, options);
  const convertAll = (elements: readonly ImportedElement[]): readonly ImportedElement[] =>
    convert === undefined ? elements : elements.map((element) => ({ ...element, text: convert(element.text) }));
  if (format === 'topojson') {
    for await (const batch of readTopology(slicesOf(stream), options))
      yield { ...batch, elements: convertAll(batch.elements) };
    return;
  }
  const source = sourceOf(format, options);
  const batchOf = (elements: readonly ImportedElement[], bytes: number): ElementBatch => ({
    elements: convertAll(elements),
    problems: [],
    next: (elements.at(-1)?.index ?? -1) + 1,
    bytesRead: bytes,
  });
  let bytesRead = 0;
  let parsedElements: ImportedElement[] = [];
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const slice of slicesOf(stream)) {
      bytesRead += slice.fileBytes;
      await source.push(slice.bytes, parsedElements);
      const batches = batchesOf(parsedElements, false);
      parsedElements = batches.remainder;
      for (const elements of batches.complete) yield batchOf(elements, bytesRead);
    }
    await source.end(parsedElements);
  } catch (error) {
    failure = { error };
  }
  for (const elements of batchesOf(parsedElements, true).complete) yield batchOf(elements, bytesRead);
  if (failure !== undefined) throw failure.error;
}

function sourceOf(
  format: Exclude<ImportFormat, 'topojson'>,
  { from = 0, list, columnTypes, csv }: ReadOptions,
): ElementSource {
  switch (format) {
    case 'csv':
      return new CsvElements(from, { ...csv, types: columnTypes });
    case 'json':
      return new JsonElements(from, list);
    case 'geojson':
      return new JsonElements(from, FEATURES_PATH);
    case 'ndjson':
      return new NdjsonElements(from);
  }
}

function conversionOf(format: ImportFormat, { columnTypes }: ReadOptions): ((text: string) => string) | undefined {
  // Cells are converted when the rows are parsed.
  if (format === 'csv') return undefined;
  const types = new Map(Object.entries(columnTypes ?? {}));
  if (format === 'geojson') return (text) => convertMembers(recordOfFeature(text), types);
  return types.size === 0 ? undefined : (text) => convertMembers(text, types);
}

/** Yields slices of bounded size, without the byte order mark. */
async function* slicesOf(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<{ bytes: Buffer; fileBytes: number }, void, undefined> {
  // The byte order mark may be split between two chunks, so the first bytes are buffered.
  let beginning: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    let bytes = chunk;
    let start = 0;
    if (beginning !== undefined) {
      bytes = Buffer.concat([beginning, chunk]);
      beginning = bytes.length < BYTE_ORDER_MARK.length ? bytes : undefined;
      if (beginning !== undefined) continue;
      start = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
    }
    for (let sliceStart = start; sliceStart < bytes.length; sliceStart += SLICE_BYTES) {
      const slice = bytes.subarray(sliceStart, sliceStart + SLICE_BYTES);
      yield { bytes: slice, fileBytes: slice.length + (sliceStart === start ? start : 0) };
    }
  }
  if (beginning !== undefined && beginning.length > 0) yield { bytes: beginning, fileBytes: beginning.length };
}

function batchesOf(
  parsedElements: ImportedElement[],
  isEnd: boolean,
): { complete: ImportedElement[][]; remainder: ImportedElement[] } {
  const complete: ImportedElement[][] = [];
  let start = 0;
  let chars = 0;
  for (const [index, { text }] of parsedElements.entries()) {
    chars += text.length;
    if (index + 1 - start < MAX_BATCH_ELEMENTS && chars < MAX_BATCH_CHARS) continue;
    complete.push(parsedElements.slice(start, index + 1));
    start = index + 1;
    chars = 0;
  }
  const remainder = start === 0 ? parsedElements : parsedElements.slice(start);
  if (!isEnd || remainder.length === 0) return { complete, remainder };
  return { complete: [...complete, remainder], remainder: [] };
}
