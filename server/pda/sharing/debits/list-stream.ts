import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonText, type RouteResponse } from '../../../platform/http/route.ts';

/** Number of JSON characters after which a chunk ends. The event loop runs between chunks. */
const CHUNK_CHARS = 500_000;

/** Yields all chunks except the last. Returns the last chunk. */
async function* formatList<Item>(
  items: Iterable<Item>,
  beforeChunk: (items: readonly Item[]) => Promise<void>,
): AsyncGenerator<string, string> {
  let text = '[';
  let separator = '';
  let chunkItems: Item[] = [];
  for (const item of items) {
    text += separator + JSON.stringify(item);
    separator = ',';
    chunkItems.push(item);
    if (text.length < CHUNK_CHARS) continue;
    await beforeChunk(chunkItems);
    yield text;
    await nextTurn();
    text = '';
    chunkItems = [];
  }
  if (chunkItems.length > 0) await beforeChunk(chunkItems);
  return `${text}]`;
}

/**
 * Responds with a list as JSON in chunks. An error in the first chunk becomes an error response; a later error ends the
 * connection.
 * @param beforeChunk called with the items of each chunk before the chunk is sent
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
