import fc from 'fast-check';
import { AT_LENGTH } from './at-length.ts';

/**
 * Bounds the shrinking of a failing property. The test runner's timeout cannot stop synchronous work, and a large
 * counterexample would delay the whole run. Reports the smallest counterexample found so far.
 */
const SHRINK_FOR_MS = 60_000;

// The limit counts from the first run on, so what is tried at length (`npm run test:long`) has none.
if (!AT_LENGTH) fc.configureGlobal({ interruptAfterTimeLimit: SHRINK_FOR_MS, markInterruptAsFailure: true });
