/**
 * Steps of an erasure, in order. An interrupted erasure resumes at its current step. This file contains no schemas, so
 * that the dashboard can import it without bundling Zod.
 */
export const ERASURE_STEPS = ['hold', 'records', 'derived', 'files', 'traces', 'indexes', 'copies', 'scrub'] as const;
export type ErasureStep = (typeof ERASURE_STEPS)[number];
