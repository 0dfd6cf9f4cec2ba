import { decodeInSlices } from '../../../../platform/json/text-slices.ts';
import type { RecordStore } from '../store.ts';

export type RecordSliceRequest = {
  /** Start of the JSON text of each record of the endpoint. */
  head: string;
  endpoint: number;
  seq: number;
  meta: boolean;
};

/**
 * Returns one large record as JSON text, slice by slice; undefined if it is not at the endpoint. The page statement
 * would create nine copies of the record, and a string would stay on the heap until the next full garbage collection.
 * This function uses a single buffer and frees it after the last slice.
 */
export const recordSlices = (
  store: RecordStore,
  { head, endpoint, seq, meta }: RecordSliceRequest,
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
