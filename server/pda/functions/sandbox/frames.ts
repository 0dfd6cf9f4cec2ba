/** The frames between the server and a sandbox: four bytes of length, one letter, the payload in UTF-8. */

const HEADER_BYTES = 5;

/** What a sandbox may send, by its letter, and how many bytes each may have at most. */
export type FrameBounds = Readonly<Record<string, number>>;

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
 * Puts frames together from pieces as they arrive. What comes is not to be trusted: a length is looked at before a
 * byte is kept for it.
 */
export const createFrameReader = (
  bounds: FrameBounds,
  onFrame: (frame: Frame) => void,
  onBroken: (why: 'unknown' | 'too-long', kind: string) => void,
): ((piece: Buffer) => void) => {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let payload: Buffer | undefined;
  let payloadBytes = 0;
  let broken = false;

  const finish = (): void => {
    const kind = header.toString('latin1', 4, 5);
    const text = payload?.toString('utf8') ?? '';
    headerBytes = 0;
    payload = undefined;
    payloadBytes = 0;
    onFrame({ kind, text });
  };

  const begin = (): void => {
    const length = header.readUInt32BE(0);
    const kind = header.toString('latin1', 4, 5);
    const bound = Object.hasOwn(bounds, kind) ? bounds[kind] : undefined;
    if (bound === undefined || length > bound) {
      broken = true;
      onBroken(bound === undefined ? 'unknown' : 'too-long', kind);
      return;
    }
    if (length === 0) finish();
    else payload = Buffer.allocUnsafeSlow(length);
  };

  return (piece) => {
    let at = 0;
    while (at < piece.length && !broken) {
      if (payload === undefined) {
        const taken = piece.copy(header, headerBytes, at, at + HEADER_BYTES - headerBytes);
        at += taken;
        headerBytes += taken;
        if (headerBytes === HEADER_BYTES) begin();
      } else {
        const taken = piece.copy(payload, payloadBytes, at);
        at += taken;
        payloadBytes += taken;
        if (payloadBytes === payload.length) finish();
      }
    }
  };
};
