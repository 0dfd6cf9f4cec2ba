/** The first thing that a TLS client says (RFC 8446, 4.1.2), read only as far as one question goes, and before a server is chosen that answers it. */

/** Bytes of the longest first message that is listened to. */
export const MAX_HELLO_BYTES = 20_000;

const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const ALPN = 16;
const RECORD_HEAD = 5;

/** Reads over bytes that somebody else chose: whatever is not there ends the reading. */
class TooShort extends Error {}

const createReader = (bytes: Buffer) => {
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new TooShort();
    at += count;
    return bytes.subarray(at - count, at);
  };
  return {
    take,
    number: (count: number): number => take(count).readUIntBE(0, count),
    /** What stands behind its own length, that of `count` bytes. */
    vector: (count: number): Buffer => take(take(count).readUIntBE(0, count)),
    more: (): boolean => at < bytes.length,
  };
};

/** The content of the handshake's records, put together, and whether something else came between them. */
const handshakeOf = (bytes: Buffer): { content: Buffer; broken: boolean } => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) return { content: Buffer.concat(pieces), broken: true };
    if (at + RECORD_HEAD > bytes.length) break;
    const end = at + RECORD_HEAD + bytes.readUInt16BE(at + 3);
    pieces.push(bytes.subarray(at + RECORD_HEAD, end));
    at = end;
  }
  return { content: Buffer.concat(pieces), broken: false };
};

/**
 * The protocols that a client offers (ALPN), from the first bytes of its connection: `more` while they are not all there, `other` when they
 * are not the beginning of TLS.
 */
export const offeredProtocols = (bytes: Buffer): readonly string[] | 'more' | 'other' => {
  const { content, broken } = handshakeOf(bytes);
  const unfinished = broken || bytes.length > MAX_HELLO_BYTES ? 'other' : 'more';
  if (content.length < 4) return unfinished;
  if (content[0] !== CLIENT_HELLO) return 'other';
  const length = content.readUIntBE(1, 3);
  if (content.length < 4 + length) return length > MAX_HELLO_BYTES ? 'other' : unfinished;
  try {
    const hello = createReader(content.subarray(4, 4 + length));
    // Version and random number; then session, cipher suites and compression, each behind its length.
    hello.take(34);
    hello.vector(1);
    hello.vector(2);
    hello.vector(1);
    const extensions = createReader(hello.more() ? hello.vector(2) : Buffer.alloc(0));
    while (extensions.more()) {
      const kind = extensions.number(2);
      const value = extensions.vector(2);
      if (kind !== ALPN) continue;
      const names = createReader(createReader(value).vector(2));
      const found: string[] = [];
      while (names.more()) found.push(names.vector(1).toString('latin1'));
      return found;
    }
    return [];
  } catch (error) {
    if (error instanceof TooShort) return 'other';
    throw error;
  }
};
