import type { DataEvent } from '../../../core/events/service.ts';

/** By whom, and when. */
export type Happening = { origin: number; time: number };

/** What is reported when records of one endpoint that follow each other without a gap came or changed. */
export const runOfRecords = (
  kind: DataEvent['kind'],
  run: { endpoint: number; firstSeq: number; lastSeq: number; count: number; bytes: number },
  { origin, time }: Happening,
): DataEvent => ({ kind, ...run, seqs: null, origin, time });

/** The same of one record. `bytes`: by how much what is stored at its endpoint changes. */
export const oneRecord = (
  kind: DataEvent['kind'],
  { endpoint, seq }: { endpoint: number; seq: number },
  bytes: number,
  happening: Happening,
): DataEvent => runOfRecords(kind, { endpoint, firstSeq: seq, lastSeq: seq, count: 1, bytes }, happening);

/** The same of an endpoint that goes or comes back as a whole, with all its records up to a place. */
export const wholeEndpoint = (
  kind: 'deleted' | 'restored',
  { endpoint, count, lastSeq = 0 }: { endpoint: number; count: number; lastSeq?: number },
  { origin, time }: Happening,
): DataEvent => ({ kind, endpoint, count, firstSeq: 0, lastSeq, seqs: [], bytes: 0, whole: true, origin, time });
