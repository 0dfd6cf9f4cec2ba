import type { FileHandle } from 'node:fs/promises';
import { Failure } from '../../platform/failure.ts';
import { PooledReadable } from '../../platform/pooled-stream.ts';
import type { Answer } from '../../platform/route.ts';
import { CONTENT_HEADERS, PDF_HEADERS } from '../../platform/security-headers.ts';
import { normalizeText } from '../../wire/normalize.ts';
import { contentTypeHeader, isInline } from './content-types.ts';
import { rangeOf } from './rules.ts';
import type { FileRow } from './store.ts';

/** Bytes that are read at once. */
const PIECE_BYTES = 128 * 1024;
/** Pieces that are under way at one time: read ahead, queued, and being sent. */
const MAX_PIECES = 6;
/** Whether the right still holds is looked up again after so many bytes, or milliseconds. */
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
 * A part of a file, a piece after the other, read ahead while the one before is on its way. `still` is asked again and again; `count` hears at the end
 * how much there was. Opened at the first look, so that an answer without a body opens nothing.
 */
class Pieces extends PooledReadable {
  readonly #reading: Reading;
  readonly #end: number;
  #handle: FileHandle | undefined;
  #at: number;
  #sent = 0;
  #looked = { sent: 0, time: 0 };
  readonly #free: Buffer<ArrayBuffer>[] = [];
  readonly #ours = new WeakSet<ArrayBuffer>();
  #pending = false;
  #closing: (() => void) | undefined;

  constructor({ start, end }: { start: number; end: number }, reading: Reading) {
    super({ highWaterMark: 2 * PIECE_BYTES });
    this.#reading = reading;
    this.#at = start;
    this.#end = end;
  }

  override _read(): void {
    this.#pending = true;
    this.#next().then(
      (piece) => {
        this.#settled();
        this.push(piece);
      },
      (error: unknown) => {
        this.#settled();
        this.destroy(error instanceof Error ? error : new Error(String(error)));
      },
    );
  }

  async #next(): Promise<Buffer | null> {
    if (this.#at > this.#end) return null;
    this.#handle ??= await this.#reading.open();
    const time = performance.now();
    if (this.#sent - this.#looked.sent >= STILL_BYTES || time - this.#looked.time >= STILL_MS || this.#sent === 0) {
      if (!this.#reading.still()) throw new Failure('forbidden', 'The right to this file has ended.');
      this.#looked = { sent: this.#sent, time };
    }
    const left = this.#end - this.#at + 1;
    const buffer = this.#free.pop() ?? this.#newBuffer(Math.min(PIECE_BYTES, left));
    const { bytesRead } = await this.#handle.read(buffer, 0, Math.min(buffer.length, left), this.#at);
    // Shorter than it was: the length is promised already, so the line has to break.
    if (bytesRead === 0) throw new Failure('internal_error', 'The file became shorter while it was read.');
    this.#at += bytesRead;
    this.#sent += bytesRead;
    return buffer.subarray(0, bytesRead);
  }

  override giveBack(piece: Uint8Array<ArrayBuffer>): void {
    // A stream may put two pieces into one of its own making: that memory may be anybody's.
    if (this.#ours.has(piece.buffer) && this.#free.length < MAX_PIECES) this.#free.push(Buffer.from(piece.buffer));
  }

  #newBuffer(bytes: number): Buffer<ArrayBuffer> {
    const buffer = Buffer.allocUnsafeSlow(bytes);
    this.#ours.add(buffer.buffer);
    return buffer;
  }

  #settled(): void {
    this.#pending = false;
    this.#closing?.();
  }

  /** Closed under a read that is still running, the number of the file could be another's by then. */
  async #close(): Promise<void> {
    if (this.#pending) await new Promise<void>((resolve) => (this.#closing = resolve));
    this.#reading.count(this.#sent);
    await this.#handle?.close();
  }

  override _destroy(reason: Error | null, done: (error?: Error | null) => void): void {
    this.#close().then(
      () => done(reason),
      (late: Error) => done(reason ?? late),
    );
  }
}

/** The answer with the content of a file, or the part of it that was asked for (RFC 9110). */
export const contentAnswer = (row: FileRow, conditions: Conditions, reading: Reading): Answer => {
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
    stream: new Pieces(range, reading),
  };
};
