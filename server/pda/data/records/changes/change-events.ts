import type { DataEvent } from '../../../core/events/service.ts';

/** `origin`: id of the origin that makes the change. `time`: Unix milliseconds. */
export type ChangeContext = { origin: number; time: number };

/** Creates an event for all records of an endpoint with sequence numbers from `firstSeq` to `lastSeq`. */
export const createRangeEvent = (
  kind: DataEvent['kind'],
  range: { endpoint: number; firstSeq: number; lastSeq: number; count: number; bytes: number },
  { origin, time }: ChangeContext,
): DataEvent => ({ kind, ...range, seqs: null, origin, time });

/** @param bytes change of the endpoint's stored bytes */
export const createRecordEvent = (
  kind: DataEvent['kind'],
  { endpoint, seq }: { endpoint: number; seq: number },
  bytes: number,
  changeContext: ChangeContext,
): DataEvent => createRangeEvent(kind, { endpoint, firstSeq: seq, lastSeq: seq, count: 1, bytes }, changeContext);

/** `lastSeq`: sequence number of the last restored record; omitted if the endpoint was deleted. */
export const createEndpointEvent = (
  kind: 'deleted' | 'restored',
  { endpoint, count, lastSeq = 0 }: { endpoint: number; count: number; lastSeq?: number },
  { origin, time }: ChangeContext,
): DataEvent => ({ kind, endpoint, count, firstSeq: 0, lastSeq, seqs: [], bytes: 0, whole: true, origin, time });
