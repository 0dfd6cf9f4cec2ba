import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Failure } from '../../../platform/failure.ts';
import type { RouteResponse } from '../../../platform/http/route.ts';
import { CONTENT_HEADERS, PDF_HEADERS } from '../../../platform/http/response/security-headers.ts';
import { normalizeText } from '../../../wire/normalize.ts';
import { contentTypeHeader, isInline } from './types.ts';
import { rangeOf } from '../rules.ts';
import type { FileRow } from '../store.ts';

/** Bytes that are read at once. With 64 kB, Node's default, a download takes a third more processor time. */
const PIECE_BYTES = 256 * 1024;
/** The right is checked again after this many bytes or milliseconds. */
const STILL_BYTES = 1024 * 1024;
const STILL_MS = 250;

export type Conditions = {
  range?: string | undefined;
  'if-range'?: string | undefined;
  'if-none-match'?: string | undefined;
};

const hasTag = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  (header.trim() === '*' || header.split(',').some((tag) => tag.trim().replace(/^W\//u, '') === etag));

/** The name for saving it (RFC 6266): as letters that every program reads, and as it is. */
const disposition = (row: FileRow): string => {
  const plain = normalizeText(row.name, 'NFKD')
    .replace(/[^\x20-\x7e]/gu, '')
    .replace(/["\\/%;]/gu, '_');
  const exact = encodeURIComponent(row.name.toWellFormed()).replace(
    /['()*]/gu,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  const how = isInline(row.type) ? 'inline' : 'attachment';
  return `${how}; filename="${plain === '' ? 'file' : plain}"; filename*=UTF-8''${exact}`;
};

type Reading = { open: () => Promise<FileHandle>; still: () => boolean; count: (bytes: number) => void };

/**
 * A part of a file. Looks again and again whether the right to it still holds, and counts the bytes that were sent. The file is opened with
 * the first read, so that a response without a body opens nothing.
 */
async function* partOf({ start, end }: { start: number; end: number }, reading: Reading): AsyncGenerator<Buffer> {
  if (start > end) return;
  const handle = await reading.open();
  let sent = 0;
  let checked = { sent: -Infinity, time: -Infinity };
  try {
    const pieces = handle.createReadStream({ start, end, highWaterMark: PIECE_BYTES, autoClose: false });
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      const time = performance.now();
      if (sent - checked.sent >= STILL_BYTES || time - checked.time >= STILL_MS) {
        if (!reading.still()) throw new Failure('forbidden', 'The right to this file has ended.');
        checked = { sent, time };
      }
      sent += piece.length;
      yield piece;
    }
    // The length is promised already, so the connection has to break.
    if (sent < end - start + 1) throw new Failure('internal_error', 'The file became shorter while it was read.');
  } finally {
    reading.count(sent);
    await handle.close();
  }
}

/** The answer with the content of a file, or the part of it that was asked for (RFC 9110). */
export const contentAnswer = (row: FileRow, conditions: Conditions, reading: Reading): RouteResponse => {
  const size = row.size ?? 0;
  const etag = `"${row.sha256 ?? ''}"`;
  const base = row.type === 'application/pdf' ? PDF_HEADERS : CONTENT_HEADERS;
  const headers = { etag, 'accept-ranges': 'bytes', 'last-modified': new Date(row.updated).toUTCString() };
  if (hasTag(conditions['if-none-match'], etag)) return { status: 304, base, headers };

  const wanted =
    conditions['if-range'] === undefined || conditions['if-range'] === etag
      ? rangeOf(conditions.range, size)
      : undefined;
  if (wanted === null) {
    return { status: 416, base, headers: { ...headers, 'content-range': `bytes */${size}` } };
  }
  const range = wanted ?? { start: 0, end: size - 1 };
  return {
    status: wanted === undefined ? 200 : 206,
    base,
    contentType: contentTypeHeader(row.type),
    headers: {
      ...headers,
      'content-disposition': disposition(row),
      'content-length': String(range.end - range.start + 1),
      ...(wanted === undefined ? {} : { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
    },
    stream: Readable.from(partOf(range, reading), { objectMode: false }),
  };
};
