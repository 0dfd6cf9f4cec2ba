/** As it says of itself, else UTF-8. A character that was cut at the end is left out. */
export function decode(bytes: Uint8Array<ArrayBuffer>): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes, { stream: true });
}

/** The first bytes, also of an answer that brings more than was asked for. */
export async function firstBytes(body: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const all = new Uint8Array(most);
  let length = 0;
  while (length < most) {
    const { done, value } = await reader.read();
    if (done) break;
    all.set(value.subarray(0, most - length), length);
    length = Math.min(most, length + value.length);
  }
  await reader.cancel();
  return all.slice(0, length);
}
