/**
 * Reads the server name (RFC 6066, 3) from a TLS ClientHello (RFC 8446, 4.1.2). The relay routes by it and holds no
 * key. Pure functions over untrusted bytes.
 */

export type ClientHelloResult =
  | { kind: 'hello'; serverName: string | undefined }
  /** Incomplete: the number of bytes needed before parsing again. */
  | { kind: 'more'; need: number }
  | { kind: 'bad' };

export const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEADER = 5;
const MESSAGE_HEADER = 4;
const MAX_RECORD = 16_384;
const SERVER_NAME = 0;
const HOST_NAME = 0;

const BAD: ClientHelloResult = { kind: 'bad' };

/** DNS names in normalised spelling; IP addresses and names with a trailing dot do not match. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/u;

/** Reads bytes in order. After a read beyond the end, `isOk` returns false and all reads are empty. */
const createReader = (bytes: Buffer) => {
  let position = 0;
  let ok = true;
  const take = (count: number): Buffer => {
    if (position + count > bytes.length) ok = false;
    const slice = ok ? bytes.subarray(position, position + count) : Buffer.alloc(0);
    position += count;
    return slice;
  };
  const number = (size: number): number => {
    const slice = take(size);
    return ok ? slice.readUIntBE(0, size) : 0;
  };
  return {
    number,
    take,
    /** Reads a vector that is prefixed with its length in `size` bytes. */
    vector: (size: number): Buffer => take(number(size)),
    isOk: () => ok,
    isMore: () => ok && position < bytes.length,
  };
};

const serverNameIn = (extension: Buffer): string | undefined => {
  const list = createReader(createReader(extension).vector(2));
  const type = list.number(1);
  const name = list.vector(2).toString('latin1').toLowerCase();
  // Exactly one entry, as all clients send it: with two, two parsers might choose different ones.
  if (!list.isOk() || list.isMore() || type !== HOST_NAME || !NAME.test(name)) return undefined;
  return name;
};

const readHello = (message: Buffer): ClientHelloResult => {
  const reader = createReader(message);
  reader.take(2 + 32);
  reader.vector(1);
  reader.vector(2);
  reader.vector(1);
  // Before TLS 1.3 a ClientHello may have no extensions.
  const extensions = createReader(reader.isMore() ? reader.vector(2) : Buffer.alloc(0));
  if (!reader.isOk() || reader.isMore()) return BAD;
  let serverName: string | undefined;
  while (extensions.isMore()) {
    const type = extensions.number(2);
    const extension = extensions.vector(2);
    if (!extensions.isOk()) return BAD;
    if (type !== SERVER_NAME) continue;
    // At most once: with two, two parsers might choose different ones.
    if (serverName !== undefined) return BAD;
    serverName = serverNameIn(extension);
    if (serverName === undefined) return BAD;
  }
  return { kind: 'hello', serverName };
};

const needMore = (need: number, maxBytes: number, have = 0): ClientHelloResult =>
  need > maxBytes || have >= maxBytes ? BAD : { kind: 'more', need: Math.max(need, have + 1) };

/** Parses the first bytes of a connection. A ClientHello may span several records. */
export const parseClientHello = (bytes: Buffer, maxBytes: number): ClientHelloResult => {
  const parts: Buffer[] = [];
  let receivedBytes = 0;
  let offset = 0;
  for (;;) {
    // Reject other protocols by their first byte instead of waiting for more.
    if (offset < bytes.length && bytes[offset] !== HANDSHAKE_RECORD) return BAD;
    if (bytes.length < offset + RECORD_HEADER) return needMore(offset + RECORD_HEADER, maxBytes);
    const length = bytes.readUInt16BE(offset + 3);
    if (bytes[offset + 1] !== 3 || length === 0 || length > MAX_RECORD) return BAD;
    const end = offset + RECORD_HEADER + length;
    // Type and length of the message are in its first bytes: reject invalid ones early.
    parts.push(bytes.subarray(offset + RECORD_HEADER, Math.min(end, bytes.length)));
    receivedBytes += Math.min(end, bytes.length) - offset - RECORD_HEADER;
    if (receivedBytes >= MESSAGE_HEADER) {
      const message = parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts);
      if (message[0] !== CLIENT_HELLO) return BAD;
      const size = MESSAGE_HEADER + message.readUIntBE(1, 3);
      if (size > maxBytes) return BAD;
      if (receivedBytes >= size) return readHello(message.subarray(MESSAGE_HEADER, size));
    }
    if (bytes.length < end) return needMore(Math.min(end, maxBytes), maxBytes, bytes.length);
    offset = end;
  }
};
