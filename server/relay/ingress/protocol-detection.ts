import type { Socket } from 'node:net';
import { parseClientHello, HANDSHAKE_RECORD_TYPE } from '../../platform/tunnel/client-hello.ts';
import { MAX_LINE_BYTES } from '../../platform/tunnel/protocol.ts';
import { parseHead } from './http-head.ts';

/** `bytes` are all bytes received so far, and `rest` those after `line`. */
export type DetectedProtocol =
  | { kind: 'tls'; serverName: string | undefined; bytes: Buffer }
  | { kind: 'http'; host: string; bytes: Buffer }
  | { kind: 'tunnel'; line: string; rest: Buffer }
  | { kind: 'none'; reason: 'closed' | 'timeout' | 'invalid' };

/** `need` is the total number of bytes with which detection can continue. */
type DetectionResult = DetectedProtocol | { kind: 'more'; need: number };

const LINE_FEED = 10;
/** `p`. The tunnel protocol begins in lower case, whereas all HTTP methods are in upper case. */
const TUNNEL_FIRST_BYTE = 112;
const INVALID: DetectedProtocol = { kind: 'none', reason: 'invalid' };

const isUpperCaseLetter = (byte: number | undefined): boolean => byte !== undefined && byte >= 65 && byte <= 90;

export const parseFirstBytes = (bytes: Buffer, maxBytes: number): DetectionResult => {
  if (bytes.length === 0) return { kind: 'more', need: 1 };
  if (bytes[0] === HANDSHAKE_RECORD_TYPE) {
    const hello = parseClientHello(bytes, maxBytes);
    if (hello.kind === 'bad') return INVALID;
    return hello.kind === 'more' ? hello : { kind: 'tls', serverName: hello.serverName, bytes };
  }
  if (bytes[0] === TUNNEL_FIRST_BYTE) {
    const end = bytes.subarray(0, MAX_LINE_BYTES).indexOf(LINE_FEED);
    if (end !== -1) return { kind: 'tunnel', line: bytes.toString('latin1', 0, end), rest: bytes.subarray(end + 1) };
    return bytes.length >= MAX_LINE_BYTES ? INVALID : { kind: 'more', need: bytes.length + 1 };
  }
  if (!isUpperCaseLetter(bytes[0])) return INVALID;
  const head = parseHead(bytes, maxBytes);
  if (head.kind === 'invalid') return INVALID;
  if (head.kind === 'incomplete') return { kind: 'more', need: bytes.length + 1 };
  return { kind: 'http', host: head.host, bytes };
};

/**
 * Reads from a socket until its protocol is detected, the socket closes or the time is up. Afterwards the socket is
 * paused and has no listeners of this function.
 */
export const detectProtocol = (
  socket: Socket,
  bounds: { maxBytes: number; timeoutMs: number },
  onDetected: (protocol: DetectedProtocol) => void,
): void => {
  const { maxBytes, timeoutMs } = bounds;
  let bytes: Buffer = Buffer.alloc(0);
  let length = 0;
  let need = 1;

  const finish = (protocol: DetectedProtocol): void => {
    clearTimeout(timer);
    socket.off('data', onData).off('end', onClosed).off('close', onClosed).pause();
    onDetected(protocol);
  };
  const onClosed = (): void => finish({ kind: 'none', reason: 'closed' });
  const onData = (chunk: Buffer): void => {
    if (length === 0) bytes = chunk;
    else {
      // The buffer doubles, so that a client that sends single bytes does not cause quadratic copying.
      if (length + chunk.length > bytes.length) {
        const larger = Buffer.alloc(Math.max(2 * bytes.length, length + chunk.length));
        bytes.copy(larger, 0, 0, length);
        bytes = larger;
      }
      chunk.copy(bytes, length);
    }
    length += chunk.length;
    if (length < need) return;
    const result = parseFirstBytes(bytes.subarray(0, length), maxBytes);
    if (result.kind === 'more') need = result.need;
    else finish(result);
  };
  const timer = setTimeout(() => finish({ kind: 'none', reason: 'timeout' }), timeoutMs);
  socket.on('data', onData).once('end', onClosed).once('close', onClosed);
};
