/** Decodes text by its byte order mark, or as UTF-8 if it has none. Drops a truncated character at the end. */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): string {
  const [firstByte, secondByte] = bytes;
  const encoding =
    firstByte === 0xff && secondByte === 0xfe
      ? 'utf-16le'
      : firstByte === 0xfe && secondByte === 0xff
        ? 'utf-16be'
        : 'utf-8';
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** Reads up to `maxBytes` and cancels the rest of the stream. */
export async function readFirstBytes(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const buffer = new Uint8Array(maxBytes);
  let length = 0;
  while (length < maxBytes) {
    const { done, value } = await reader.read();
    if (done) break;
    buffer.set(value.subarray(0, maxBytes - length), length);
    length = Math.min(maxBytes, length + value.length);
  }
  await reader.cancel();
  return buffer.slice(0, length);
}
