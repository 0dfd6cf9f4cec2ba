/** The steps of an erasure, in this order. One that was interrupted goes on with its step at the next start. Without schemas: the pages show them too. */
export const ERASURE_STEPS = ['hold', 'records', 'derived', 'files', 'traces', 'indexes', 'copies', 'scrub'] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];
