import { setImmediate as nextTurn } from 'node:timers/promises';

/** Characters of JSON that are sent in one turn of the event loop. The item that reaches the limit ends a chunk. */
const CHUNK_CHARS = 500_000;

/**
 * Formats a list as JSON, chunk by chunk: a Data Debit has up to a hundred permissions with their bundles. An item is
 * taken from `items` only when the chunk before it was sent.
 * @param beforeChunk is awaited with the items of each chunk before its text is returned
 */
export async function* streamList<Item>(
  items: Iterable<Item>,
  beforeChunk: (items: readonly Item[]) => Promise<void>,
): AsyncGenerator<string> {
  let text = '[';
  let separator = '';
  let chunk: Item[] = [];
  for (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ',';
    chunk.push(item);
    if (text.length < CHUNK_CHARS) continue;
    await beforeChunk(chunk);
    yield text;
    await nextTurn();
    text = '';
    chunk = [];
  }
  if (chunk.length > 0) await beforeChunk(chunk);
  yield `${text}]`;
}
