/** The header of a frame consists of four bytes of length and one letter for the kind. The payload in UTF-8 follows. */
const HEADER_BYTES = 5;

export type Frame = { readonly kind: string; readonly text: string };

export const encodeFrame = (kind: string, text: string): Buffer => {
  const length = Buffer.byteLength(text, 'utf8');
  const bytes = Buffer.allocUnsafeSlow(HEADER_BYTES + length);
  bytes.writeUInt32BE(length, 0);
  bytes.write(kind, 4, 'latin1');
  bytes.write(text, HEADER_BYTES, 'utf8');
  return bytes;
};

/**
 * Returns a function that parses the chunks of a stream. It ignores everything after an invalid frame.
 * @param bounds size limits in bytes of the accepted frame kinds
 */
export const createFrameReader = (
  bounds: Readonly<Record<string, number>>,
  onFrame: (frame: Frame) => void,
  onInvalid: (reason: 'unknown' | 'too-long', kind: string) => void,
): ((chunk: Buffer) => void) => {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let payload: Buffer | undefined;
  let payloadBytes = 0;
  let isInvalid = false;

  const finish = (): void => {
    const kind = header.toString('latin1', 4, 5);
    const text = payload?.toString('utf8') ?? '';
    headerBytes = 0;
    payload = undefined;
    payloadBytes = 0;
    onFrame({ kind, text });
  };

  const startPayload = (): void => {
    const length = header.readUInt32BE(0);
    const kind = header.toString('latin1', 4, 5);
    const bound = Object.hasOwn(bounds, kind) ? bounds[kind] : undefined;
    if (bound === undefined || length > bound) {
      isInvalid = true;
      onInvalid(bound === undefined ? 'unknown' : 'too-long', kind);
      return;
    }
    if (length === 0) finish();
    else payload = Buffer.allocUnsafeSlow(length);
  };

  return (chunk) => {
    let offset = 0;
    while (offset < chunk.length && !isInvalid) {
      if (payload === undefined) {
        const copiedBytes = chunk.copy(header, headerBytes, offset, offset + HEADER_BYTES - headerBytes);
        offset += copiedBytes;
        headerBytes += copiedBytes;
        if (headerBytes === HEADER_BYTES) startPayload();
      } else {
        const copiedBytes = chunk.copy(payload, payloadBytes, offset);
        offset += copiedBytes;
        payloadBytes += copiedBytes;
        if (payloadBytes === payload.length) finish();
      }
    }
  };
};
