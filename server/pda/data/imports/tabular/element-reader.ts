import { CsvElements, type CsvOptions } from './csv-elements.ts';
import type { BrokenElement, ElementSource, ImportedElement } from './element-source.ts';
import { JsonElements, NdjsonElements } from './json-elements.ts';

export { BrokenElement, type ImportedElement, type ImportProblem } from './element-source.ts';

/** Returns the message of an error without its line, which is stored separately. */
export const withoutLine = (broken: BrokenElement): string => broken.message.replace(/^Line \d+: /u, '');

export type ImportFormat = 'json' | 'ndjson' | 'csv';

export interface ReadOptions {
  /** Index of the first element to return: a resumed import skips what it has stored. Default 0. */
  readonly from?: number;
  readonly csv?: CsvOptions;
}

export interface ElementBatch {
  readonly elements: ImportedElement[];
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
}

/** Elements per batch, which the caller stores in one transaction: large enough to be fast, small enough not to block others. */
const MAX_BATCH_ELEMENTS = 1000;
/** Characters per batch. */
const MAX_BATCH_CHARS = 1_000_000;
/** Bytes that are parsed at once, however large the chunks of the stream are. */
const SLICE_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file of any size in batches of values to store, in the order of the file. Only one batch is held in memory.
 *
 * Throws BrokenElement at the first element that cannot be read, after yielding everything before it. An error of the stream is rethrown
 * in the same way. A byte order mark is skipped.
 */
export async function* readElements(
  stream: AsyncIterable<Buffer>,
  format: ImportFormat,
  options: ReadOptions = {},
): AsyncGenerator<ElementBatch, void, undefined> {
  const source = await sourceOf(format, options);
  let bytesRead = 0;
  let ready: ImportedElement[] = [];
  let failed: { readonly error: unknown } | undefined;
  try {
    for await (const slice of slicesOf(stream)) {
      bytesRead += slice.fileBytes;
      await source.push(slice.bytes, ready);
      const batches = batchesOf(ready, false);
      ready = batches.rest;
      for (const elements of batches.full) yield { elements, bytesRead };
    }
    await source.end(ready);
  } catch (error) {
    failed = { error };
  }
  for (const elements of batchesOf(ready, true).full) yield { elements, bytesRead };
  if (failed !== undefined) throw failed.error;
}

async function sourceOf(format: ImportFormat, options: ReadOptions): Promise<ElementSource> {
  const from = options.from ?? 0;
  if (format === 'csv') {
    return new CsvElements(from, options.csv ?? {});
  }
  return format === 'json' ? new JsonElements(from) : new NdjsonElements(from);
}

/** Cuts a stream into slices of bounded size, without its byte order mark. */
async function* slicesOf(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<{ bytes: Buffer; fileBytes: number }, void, undefined> {
  // Buffered until it is known whether the file begins with the mark, which may be split between two chunks.
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
    for (let at = start; at < bytes.length; at += SLICE_BYTES) {
      const slice = bytes.subarray(at, at + SLICE_BYTES);
      yield { bytes: slice, fileBytes: slice.length + (at === start ? start : 0) };
    }
  }
  if (beginning !== undefined && beginning.length > 0) yield { bytes: beginning, fileBytes: beginning.length };
}

/** Splits parsed elements into batches. The last batch may still grow, unless `isEnd`. */
function batchesOf(ready: ImportedElement[], isEnd: boolean): { full: ImportedElement[][]; rest: ImportedElement[] } {
  const full: ImportedElement[][] = [];
  let start = 0;
  let chars = 0;
  for (const [index, { text }] of ready.entries()) {
    chars += text.length;
    if (index + 1 - start < MAX_BATCH_ELEMENTS && chars < MAX_BATCH_CHARS) continue;
    full.push(ready.slice(start, index + 1));
    start = index + 1;
    chars = 0;
  }
  const rest = start === 0 ? ready : ready.slice(start);
  if (!isEnd || rest.length === 0) return { full, rest };
  return { full: [...full, rest], rest: [] };
}
