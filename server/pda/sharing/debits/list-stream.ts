import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonText, type RouteResponse } from '../../../platform/http/route.ts';

/**
 * Maximum number of characters of JSON that are sent before yielding to the event loop. The item that reaches the
 * limit ends a chunk.
 */
const CHUNK_CHARS = 500_000;

/** Yields a list as JSON, chunk by chunk, and returns the last chunk. */
async function* formatList<Item>(
  items: Iterable<Item>,
  beforeChunk: (items: readonly Item[]) => Promise<void>,
): AsyncGenerator<string, string> {
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
  return `${text}]`;
}

/**
 * Responds with a list as JSON, chunk by chunk: a Data Debit has up to a hundred permissions with their bundles. An item
 * is taken from `items` only when the chunk before it was sent. An error in the first chunk is thrown, so that it gets
 * an error response; a later one ends the connection.
 * @param beforeChunk is awaited with the items of each chunk before its text is sent
 */
export const respondWithList = async <Item>(
  items: Iterable<Item>,
  beforeChunk: (items: readonly Item[]) => Promise<void>,
): Promise<RouteResponse> => {
  const chunks = formatList(items, beforeChunk);
  const { done, value } = await chunks.next();
  if (done === true) return jsonText(200, value);
  async function* stream(): AsyncGenerator<string> {
    yield value;
    const last = yield* chunks;
    yield last;
  }
  return jsonText(200, stream());
};
