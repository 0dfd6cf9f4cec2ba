import type { Caller, Trace } from '../http/route.ts';

export const newTrace = (): Trace => ({ records: new Map(), gone: null, unnamed: 0, fields: null, consent: null });

/** Hears which places (seq) of which endpoint a call got at, before its answer leaves. */
export type Seen = (endpoint: string, seqs: readonly number[] | Float64Array) => void;

/** Who reads, when it is not the owner. */
export type Guest = { seen: Seen } & Pick<Caller, 'longRead'>;

/** What fills the trace of a call; undefined for the owner, whose own calls leave none and pay for none. */
export const seenBy = ({ principal, trace }: Pick<Caller, 'principal' | 'trace'>): Seen | undefined => {
  if (principal.kind === 'owner') return undefined;
  return (endpoint, seqs) => {
    let known = trace.records.get(endpoint);
    if (known === undefined) trace.records.set(endpoint, (known = []));
    for (const seq of seqs) known.push(seq);
  };
};

/** The caller as a reader; undefined for the owner. */
export const guestOf = (caller: Pick<Caller, 'principal' | 'trace' | 'longRead'>): Guest | undefined => {
  const seen = seenBy(caller);
  return seen === undefined ? undefined : { seen, longRead: caller.longRead };
};
