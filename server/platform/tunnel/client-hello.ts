// Reads the server name (RFC 6066, section 3) from a TLS ClientHello (RFC 8446, section 4.1.2), which is untrusted.

export type ClientHelloResult =
  | { kind: 'hello'; serverName: string | undefined }
  /** Incomplete. `need`: number of bytes that the next attempt requires. */
  | { kind: 'more'; need: number }
  | { kind: 'bad' };

export const HANDSHAKE_RECORD_TYPE = 22;
const CLIENT_HELLO_TYPE = 1;
const RECORD_HEADER_BYTES = 5;
const MESSAGE_HEADER_BYTES = 4;
const MAX_RECORD_BYTES = 16_384;
const VERSION_BYTES = 2;
const RANDOM_BYTES = 32;
const SERVER_NAME_EXTENSION = 0;
const HOST_NAME_TYPE = 0;

const BAD: ClientHelloResult = { kind: 'bad' };

/** Normalised DNS names; IPv6 addresses and names with a trailing dot do not match. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/u;

/** Reads bytes in order. After a read beyond the end, `isOk` returns false and all reads are empty. */
const createReader = (bytes: Buffer) => {
  let position = 0;
  let isValid = true;
  const take = (count: number): Buffer => {
    if (position + count > bytes.length) isValid = false;
    const slice = isValid ? bytes.subarray(position, position + count) : Buffer.alloc(0);
    position += count;
    return slice;
  };
  const readNumber = (size: number): number => {
    const slice = take(size);
    return isValid ? slice.readUIntBE(0, size) : 0;
  };
  return {
    readNumber,
    take,
    readVector: (size: number): Buffer => take(readNumber(size)),
    isOk: () => isValid,
    hasMore: () => isValid && position < bytes.length,
  };
};

const serverNameIn = (extension: Buffer): string | undefined => {
  const list = createReader(createReader(extension).readVector(2));
  const type = list.readNumber(1);
  const name = list.readVector(2).toString('latin1').toLowerCase();
  // Require exactly one entry, as all clients send: two parsers might choose different entries.
  if (!list.isOk() || list.hasMore() || type !== HOST_NAME_TYPE || !NAME.test(name)) return undefined;
  return name;
};

const parseHelloMessage = (message: Buffer): ClientHelloResult => {
  const reader = createReader(message);
  reader.take(VERSION_BYTES + RANDOM_BYTES);
  reader.readVector(1);
  reader.readVector(2);
  reader.readVector(1);
  // Before TLS 1.3, a ClientHello may have no extensions.
  const extensions = createReader(reader.hasMore() ? reader.readVector(2) : Buffer.alloc(0));
  if (!reader.isOk() || reader.hasMore()) return BAD;
  let serverName: string | undefined;
  while (extensions.hasMore()) {
    const type = extensions.readNumber(2);
    const extension = extensions.readVector(2);
    if (!extensions.isOk()) return BAD;
    if (type !== SERVER_NAME_EXTENSION) continue;
    // Reject a second server name: two parsers might choose different ones.
    if (serverName !== undefined) return BAD;
    serverName = serverNameIn(extension);
    if (serverName === undefined) return BAD;
  }
  return { kind: 'hello', serverName };
};

const needMore = (need: number, maxBytes: number, receivedBytes = 0): ClientHelloResult =>
  need > maxBytes || receivedBytes >= maxBytes ? BAD : { kind: 'more', need: Math.max(need, receivedBytes + 1) };

export const parseClientHello = (bytes: Buffer, maxBytes: number): ClientHelloResult => {
  const fragments: Buffer[] = [];
  let receivedBytes = 0;
  let offset = 0;
  for (;;) {
    // Reject other protocols by their first byte instead of waiting for more.
    if (offset < bytes.length && bytes[offset] !== HANDSHAKE_RECORD_TYPE) return BAD;
    if (bytes.length < offset + RECORD_HEADER_BYTES) return needMore(offset + RECORD_HEADER_BYTES, maxBytes);
    const length = bytes.readUInt16BE(offset + 3);
    if (bytes[offset + 1] !== 3 || length === 0 || length > MAX_RECORD_BYTES) return BAD;
    const end = offset + RECORD_HEADER_BYTES + length;
    // The message begins with its type and length: reject invalid ones early.
    fragments.push(bytes.subarray(offset + RECORD_HEADER_BYTES, Math.min(end, bytes.length)));
    receivedBytes += Math.min(end, bytes.length) - offset - RECORD_HEADER_BYTES;
    if (receivedBytes >= MESSAGE_HEADER_BYTES) {
      const message = fragments.length === 1 ? (fragments[0] ?? Buffer.alloc(0)) : Buffer.concat(fragments);
      if (message[0] !== CLIENT_HELLO_TYPE) return BAD;
      const size = MESSAGE_HEADER_BYTES + message.readUIntBE(1, 3);
      if (size > maxBytes) return BAD;
      if (receivedBytes >= size) return parseHelloMessage(message.subarray(MESSAGE_HEADER_BYTES, size));
    }
    if (bytes.length < end) return needMore(Math.min(end, maxBytes), maxBytes, bytes.length);
    offset = end;
  }
};
