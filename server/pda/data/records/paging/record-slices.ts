import { textSlices } from '../../../../platform/json/text-slices.ts';
import type { RecordStore } from '../store.ts';

export type RecordPlace = {
  /** What the JSON text of each record of its endpoint begins with. */
  head: string;
  endpoint: number;
  seq: number;
  meta: boolean;
};

/**
 * One large record as JSON text, slice by slice. The page statement would hold nine copies of it, and a string of it would stay on the heap
 * until the next full collection; here it is a single buffer that is freed as soon as the last slice has left. Undefined when the record is gone.
 */
export const recordSlices = (
  store: RecordStore,
  { head, endpoint, seq, meta }: RecordPlace,
): AsyncGenerator<string> | undefined => {
  const record = store.head(seq);
  const content = store.content(seq);
  if (record?.endpoint !== endpoint || content === undefined) return undefined;
  const dates = meta ? store.metaText(seq) : '';
  return (async function* slices() {
    yield `${head}${record.id}","data":`;
    yield* textSlices(content);
    yield `${dates}}`;
  })();
};
