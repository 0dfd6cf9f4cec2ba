// Reassembles the TCP streams of a packet capture and searches them for words in several encodings.

/** One direction of one connection. */
export type Stream = { from: string; to: string; bytes: Buffer; isComplete: boolean };

const ETHERNET_BYTES = 14;
const ETHERTYPE_IPV4 = 0x0800;
const IP_PROTOCOL_TCP = 6;
const TCP_FLAG_SYN = 0x02;
const LENGTH_BYTES = 4;

function* framesOf(capture: Buffer): Generator<Buffer> {
  for (let offset = 0; offset + LENGTH_BYTES <= capture.length;) {
    const length = capture.readUInt32BE(offset);
    yield capture.subarray(offset + LENGTH_BYTES, offset + LENGTH_BYTES + length);
    offset += LENGTH_BYTES + length;
  }
}

type Segment = { from: string; to: string; sequence: number; isSyn: boolean; payload: Buffer };

const addressAt = (packet: Buffer, offset: number): string => [...packet.subarray(offset, offset + 4)].join('.');

const segmentOf = (frame: Buffer): Segment | undefined => {
  if (frame.length < ETHERNET_BYTES + 40 || frame.readUInt16BE(12) !== ETHERTYPE_IPV4) return undefined;
  const packet = frame.subarray(ETHERNET_BYTES);
  const headerBytes = (packet.readUInt8(0) & 0x0f) * 4;
  if (packet.readUInt8(9) !== IP_PROTOCOL_TCP) return undefined;
  // Short Ethernet frames have padding after the packet.
  const segment = packet.subarray(headerBytes, packet.readUInt16BE(2));
  return {
    from: `${addressAt(packet, 12)}:${segment.readUInt16BE(0)}`,
    to: `${addressAt(packet, 16)}:${segment.readUInt16BE(2)}`,
    sequence: segment.readUInt32BE(4),
    isSyn: (segment.readUInt8(13) & TCP_FLAG_SYN) !== 0,
    payload: segment.subarray((segment.readUInt8(12) >> 4) * 4),
  };
};

/** Reassembles the TCP streams that begin in the capture, so that words split across packets are found. */
export const streamsOf = (capture: Buffer): Stream[] => {
  const flows = new Map<string, { from: string; to: string; start: number; segments: Map<number, Buffer> }>();
  for (const frame of framesOf(capture)) {
    const segment = segmentOf(frame);
    if (segment === undefined) continue;
    const { from, to, sequence, isSyn, payload } = segment;
    const key = `${from} ${to}`;
    if (isSyn) flows.set(key, { from, to, start: sequence + 1, segments: new Map() });
    const flow = flows.get(key);
    if (flow === undefined || payload.length === 0) continue;
    const offset = (sequence - flow.start) >>> 0;
    if (payload.length > (flow.segments.get(offset)?.length ?? 0)) flow.segments.set(offset, payload);
  }
  return [...flows.values()].map(({ from, to, segments }) => {
    const sortedSegments = [...segments].toSorted(([a], [b]) => a - b);
    const bytes = Buffer.alloc(Math.max(0, ...sortedSegments.map(([offset, { length }]) => offset + length)));
    let coveredBytes = 0;
    let isComplete = true;
    for (const [offset, segment] of sortedSegments) {
      if (offset > coveredBytes) isComplete = false;
      segment.copy(bytes, offset);
      coveredBytes = Math.max(coveredBytes, offset + segment.length);
    }
    return { from, to, bytes, isComplete };
  });
};

/**
 * Returns the base64url encodings of a word at an offset of 0, 1 or 2 bytes modulo 3. Omits characters that depend on
 * the neighbouring bytes.
 */
const base64UrlVariantsOf = (word: Buffer): string[] =>
  [0, 1, 2].map((precedingBytes) => {
    const text = Buffer.concat([Buffer.alloc(precedingBytes), word])
      .toString('base64url')
      .replaceAll('=', '');
    const first = Math.ceil((precedingBytes * 8) / 6);
    const last = Math.floor(((precedingBytes + word.length) * 8) / 6);
    return text.slice(first, last);
  });

/** Returns the byte sequences of a word, by encoding. */
const encodingsOf = (word: string): Record<string, Buffer[]> => {
  const bytes = Buffer.from(word);
  const base64Url = base64UrlVariantsOf(bytes);
  const base64 = base64Url.map((text) => text.replaceAll('-', '+').replaceAll('_', '/'));
  const hex = bytes.toString('hex');
  return {
    plain: [bytes, Buffer.from(encodeURIComponent(word)), Buffer.from(word, 'utf16le')],
    base64: [...base64Url, ...base64].map((text) => Buffer.from(text)),
    hex: [hex, hex.toUpperCase()].map((text) => Buffer.from(text)),
  };
};

/** Returns the encodings in which the word occurs in any of the buffers. */
export const findEncodings = (buffers: readonly Buffer[], word: string): string[] =>
  Object.entries(encodingsOf(word)).flatMap(([encoding, variants]) =>
    variants.some((variant) => buffers.some((buffer) => buffer.includes(variant))) ? [encoding] : [],
  );
