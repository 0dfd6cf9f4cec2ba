import { CsvElements, type CsvOptions } from './csv-elements.ts';
import type { BrokenElement, ElementSource, ImportedElement } from './element-source.ts';
import { JsonElements, NdjsonElements } from './json-elements.ts';

export { BrokenElement, type ImportedElement, type ImportProblem } from './element-source.ts';

/** What is wrong in a file, without the line, which goes beside it. */
export const withoutLine = (broken: BrokenElement): string => broken.message.replace(/^Line \d+: /u, '');

export type ImportFormat = 'json' | 'ndjson' | 'csv';

export interface ReadOptions {
  /** Index of the first element wanted: a resumed import passes over what it has stored. Default 0. */
  readonly from?: number;
  readonly csv?: CsvOptions;
}

export interface ElementBatch {
  readonly elements: ImportedElement[];
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
}

/** A batch is one transaction for its reader: large enough to be fast, small enough not to hold others up. */
const MAX_BATCH_ELEMENTS = 1000;
/** Characters. */
const MAX_BATCH_CHARS = 1_000_000;
/** Bytes read before others have a turn, however large the chunks of the stream are. */
const PIECE_BYTES = 256 * 1024;
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Reads a file of any size as the values to store, in the order of the file, holding a batch in memory and no more.
 *
 * Throws BrokenElement at the first thing that cannot be read, after everything before it has been handed out; an error of the stream
 * is passed on in the same way. A byte order mark is passed over.
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
    for await (const piece of piecesOf(stream)) {
      bytesRead += piece.fileBytes;
      await source.push(piece.bytes, ready);
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

/** Cuts a stream into pieces of bounded size, without its byte order mark. */
async function* piecesOf(
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<{ bytes: Buffer; fileBytes: number }, void, undefined> {
  // Held back until it is known whether the file begins with the mark, which may be cut in two.
  let beginning: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of stream) {
    let bytes = chunk;
    let marked = 0;
    if (beginning !== undefined) {
      bytes = Buffer.concat([beginning, chunk]);
      beginning = bytes.length < BYTE_ORDER_MARK.length ? bytes : undefined;
      if (beginning !== undefined) continue;
      marked = bytes.indexOf(BYTE_ORDER_MARK) === 0 ? BYTE_ORDER_MARK.length : 0;
    }
    for (let at = marked; at < bytes.length; at += PIECE_BYTES) {
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      yield { bytes: piece, fileBytes: piece.length + (at === marked ? marked : 0) };
    }
  }
  if (beginning !== undefined && beginning.length > 0) yield { bytes: beginning, fileBytes: beginning.length };
}

/** Takes what is ready apart into batches. The last one may still grow, unless this is `all`. */
function batchesOf(ready: ImportedElement[], all: boolean): { full: ImportedElement[][]; rest: ImportedElement[] } {
  const full: ImportedElement[][] = [];
  let start = 0;
  let chars = 0;
  for (const [place, { text }] of ready.entries()) {
    chars += text.length;
    if (place + 1 - start < MAX_BATCH_ELEMENTS && chars < MAX_BATCH_CHARS) continue;
    full.push(ready.slice(start, place + 1));
    start = place + 1;
    chars = 0;
  }
  const rest = start === 0 ? ready : ready.slice(start);
  if (!all || rest.length === 0) return { full, rest };
  return { full: [...full, rest], rest: [] };
}
