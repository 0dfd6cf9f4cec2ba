import type { Socket } from 'node:net';
import { findHello, HANDSHAKE_RECORD } from '../platform/client-hello.ts';
import { MAX_LINE_BYTES } from '../platform/tunnel-protocol.ts';
import { findHead } from './http-head.ts';

/** What a line wants, by the bytes that it begins with; `bytes` are all that have come so far. */
export type First =
  | { kind: 'tls'; serverName: string | undefined; bytes: Buffer }
  | { kind: 'http'; host: string; bytes: Buffer }
  /** `rest` is what came after the line. */
  | { kind: 'tunnel'; line: string; rest: Buffer }
  | { kind: 'nothing'; why: 'gone' | 'late' | 'garbage' };

type Looked = First | { kind: 'more'; need: number };

const LINE_FEED = 10;
/** `p`: the preface is lower case, and every method of HTTP is upper case. */
const PREFACE = 112;
const GARBAGE: First = { kind: 'nothing', why: 'garbage' };

const isMethod = (byte: number | undefined): boolean => byte !== undefined && byte >= 65 && byte <= 90;

/** Decides over what has come, or says how much more it needs. */
export const lookAt = (bytes: Buffer, maxBytes: number): Looked => {
  if (bytes.length === 0) return { kind: 'more', need: 1 };
  if (bytes[0] === HANDSHAKE_RECORD) {
    const hello = findHello(bytes, maxBytes);
    if (hello.kind === 'bad') return GARBAGE;
    return hello.kind === 'more' ? hello : { kind: 'tls', serverName: hello.serverName, bytes };
  }
  if (bytes[0] === PREFACE) {
    const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf(LINE_FEED);
    if (end !== -1) return { kind: 'tunnel', line: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 1) };
    return bytes.length >= MAX_LINE_BYTES ? GARBAGE : { kind: 'more', need: bytes.length + 1 };
  }
  if (!isMethod(bytes[0])) return GARBAGE;
  const head = findHead(bytes, maxBytes);
  if (head.kind === 'bad') return GARBAGE;
  return head.kind === 'more' ? { kind: 'more', need: bytes.length + 1 } : { kind: 'http', host: head.host, bytes };
};

/** Reads until it is clear what a line wants, bounded in bytes and time. The socket is paused afterwards, and nobody listens to it. */
export const readFirstBytes = (
  socket: Socket,
  bounds: { maxBytes: number; timeMs: number },
  done: (first: First) => void,
): void => {
  const { maxBytes, timeMs } = bounds;
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  let need = 1;

  const finish = (first: First): void => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onGone).off('close', onGone).pause();
    done(first);
  };
  const onGone = (): void => finish({ kind: 'nothing', why: 'gone' });
  const onData = (chunk: Buffer): void => {
    if (length === 0) bytes = chunk;
    else {
      // Doubled each time: a line that drips bytes must not make us copy all of them at each one.
      if (length + chunk.length > bytes.length) {
        const larger = Buffer.alloc(Math.max(2 * bytes.length, length + chunk.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      chunk.copy(bytes, length);
    }
    length += chunk.length;
    if (length < need) return;
    const found = lookAt(bytes.subarray(0, length), maxBytes);
    if (found.kind === 'more') need = found.need;
    else finish(found);
  };
  const timer = setTimeout(() => finish({ kind: 'nothing', why: 'late' }), timeMs);
  socket.on('data', onData).once('end', onGone).once('close', onGone);
};
