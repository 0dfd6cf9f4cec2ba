/** Bytes that are decoded in one turn of the event loop. */
const SLICE_BYTES = 256_000;

/**
 * Decodes UTF-8 slice by slice and lets the event loop turn in between. Frees the bytes at the end, unless they share
 * their buffer, also when the reader stops early: the garbage collector sees how small the object is, not the megabytes behind it.
 */
export async function* textSlices(content: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for (let at = 0; at < content.length; at += SLICE_BYTES) {
      yield decoder.decode(content.subarray(at, at + SLICE_BYTES), { stream: true });
      await new Promise(setImmediate);
    }
    yield decoder.decode();
  } finally {
    if (content.length === content.buffer.byteLength) content.buffer.transfer(0);
  }
}
