import type { Caller, Trace } from './route.ts';

export const newTrace = (): Trace => ({ records: new Map(), gone: null, unnamed: 0, fields: null, consent: null });

/** Hears which places (seq) of which endpoint a call got at, before its answer leaves. */
export type Seen = (endpoint: string, seqs: readonly number[]) => void;

/** What fills the trace of a call; undefined for the owner, whose own calls leave none and pay for none. */
export const seenBy = ({ principal, trace }: Caller): Seen | undefined => {
  if (principal.kind === 'owner') return undefined;
  return (endpoint, seqs) => {
    let known = trace.records.get(endpoint);
    if (known === undefined) trace.records.set(endpoint, (known = []));
    for (const seq of seqs) known.push(seq);
  };
};
