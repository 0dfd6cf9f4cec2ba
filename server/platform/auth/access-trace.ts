import type { Caller, AccessTrace } from '../http/route.ts';

export const createAccessTrace = (): AccessTrace => ({
  records: new Map(),
  removedIds: null,
  unnamedCount: 0,
  fields: null,
  consent: null,
  isUnrecorded: false,
  isDecisionStored: false,
});

/** Adds records to the trace of the request that read them. Must be called before the response is sent. */
export type ReadRecorder = (endpoint: string, seqs: readonly number[] | Float64Array) => void;

/** A principal other than the owner. Its reads are recorded and its long reads are limited. */
export type NonOwnerReader = { recordReads: ReadRecorder } & Pick<Caller, 'admitLongRead'>;

/** Returns undefined for the owner, whose reads are not logged. */
export const readRecorderOf = ({ principal, trace }: Pick<Caller, 'principal' | 'trace'>): ReadRecorder | undefined => {
  if (principal.kind === 'owner') return undefined;
  return (endpoint, seqs) => {
    let seqsOfEndpoint = trace.records.get(endpoint);
    if (seqsOfEndpoint === undefined) trace.records.set(endpoint, (seqsOfEndpoint = []));
    for (const seq of seqs) seqsOfEndpoint.push(seq);
  };
};

export const nonOwnerReaderOf = (
  caller: Pick<Caller, 'principal' | 'trace' | 'admitLongRead'>,
): NonOwnerReader | undefined => {
  const recordReads = readRecorderOf(caller);
  return recordReads === undefined ? undefined : { recordReads, admitLongRead: caller.admitLongRead };
};
