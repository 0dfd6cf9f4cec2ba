import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../platform/failure.ts';
import type { Answer } from '../../platform/route.ts';
import { CONTENT_HEADERS, PDF_HEADERS } from '../../platform/security-headers.ts';
import { contentTypeHeader, isInline } from './content-types.ts';
import { rangeOf } from './rules.ts';
import type { FileRow } from './store.ts';

/** Bytes that are read at once. */
const PIECE_BYTES = 256 * 1024;

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
  const plain = row.name
    .normalize('NFKD')
    .replace(/[^\x20-\x7e]/gu, '')
    .replace(/["\\/%;]/gu, '_');
  const exact = encodeURIComponent(row.name.toWellFormed()).replace(
    /['()*]/gu,
    (c) => `%${c.charCodeAt(0).toString(16)}`,
  );
  const how = isInline(row.type) ? 'inline' : 'attachment';
  return `${how}; filename="${plain === '' ? 'file' : plain}"; filename*=UTF-8''${exact}`;
};

/** A piece after the other, the next being read while one is on its way. `still` is asked before each. */
async function* pieces(
  open: () => Promise<FileHandle>,
  { start, end }: { start: number; end: number },
  { still, count }: { still: () => boolean; count: (bytes: number) => void },
): AsyncGenerator<Buffer> {
  const handle = await open();
  let sent = 0;
  const piece = async (at: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, end - at + 1));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    // Shorter than it was: the length is promised already, so the line has to break.
    if (bytesRead === 0) throw new Failure('internal_error', 'The file became shorter while it was read.');
    return buffer.subarray(0, bytesRead);
  };
  let next = start > end ? undefined : piece(start);
  try {
    for (let at = start; next !== undefined;) {
      const ready = await next;
      at += ready.length;
      next = at > end ? undefined : piece(at);
      // Its failure is met when its turn comes.
      next?.catch(() => undefined);
      if (!still()) throw new Failure('forbidden', 'The right to this file has ended.');
      sent += ready.length;
      yield ready;
    }
  } finally {
    // Closed under a read that is still running, the number of the file could be another's by then.
    await next?.catch(() => undefined);
    await handle.close();
    count(sent);
  }
}

/** The answer with the content of a file, or the part of it that was asked for (RFC 9110). */
export const contentAnswer = (
  row: FileRow,
  conditions: Conditions,
  reading: { open: () => Promise<FileHandle>; still: () => boolean; count: (bytes: number) => void },
): Answer => {
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
    stream: pieces(reading.open, range, reading),
  };
};
