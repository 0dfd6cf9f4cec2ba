const SLICE_BYTES = 256_000;

/**
 * Decodes UTF-8 in slices and yields to the event loop after each. At the end, frees the buffer if it has no other
 * content, because the garbage collector sees only a small object and would free it late.
 */
export async function* decodeInSlices(content: Uint8Array<ArrayBuffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  try {
    for (let offset = 0; offset < content.length; offset += SLICE_BYTES) {
      yield decoder.decode(content.subarray(offset, offset + SLICE_BYTES), { stream: true });
      await new Promise(setImmediate);
    }
    yield decoder.decode();
  } finally {
    if (content.length === content.buffer.byteLength) content.buffer.transfer(0);
  }
}
