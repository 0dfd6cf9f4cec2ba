import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import type { RecordStore } from '../store.ts';

/**
 * Returns one large record as JSON text, slice by slice; undefined if it is not at the endpoint. The page statement
 * would create nine copies of the record, and a string would stay on the heap until the next full garbage collection.
 */
export const recordSlices = (
  store: RecordStore,
  { head, endpoint, seq, meta }: { head: string; endpoint: number; seq: number; meta: boolean },
): AsyncGenerator<string> | undefined => {
  const record = store.head(seq);
  const content = store.content(seq);
  if (record?.endpoint !== endpoint || content === undefined) return undefined;
  const dates = meta ? store.metaText(seq) : '';
  return (async function* slices() {
    yield `${head}${record.id}","data":`;
    yield* decodeInSlices(content);
    yield `${dates}}`;
  })();
};
