import fc from 'fast-check';
import { AT_LENGTH } from './at-length.ts';

/**
 * Bounds the shrinking of a failing property. The test runner's timeout cannot stop synchronous work, and a large
 * counterexample would delay the whole run. Reports the smallest counterexample found so far.
 */
const SHRINK_FOR_MS = 60_000;

// The time limit covers the whole property from its first run, so long test runs (`npm run test:long`) have none.
if (!AT_LENGTH) fc.configureGlobal({ interruptAfterTimeLimit: SHRINK_FOR_MS, markInterruptAsFailure: true });
