import fc from 'fast-check';
import { IS_LONG_RUN } from './long-run.ts';

/**
 * Time limit per property, which bounds the shrinking of a counterexample. The test runner's timeout cannot interrupt
 * synchronous work. On timeout, the smallest counterexample found so far is reported. A passing property takes less
 * time even on a busy machine, and the limit is below the test timeout.
 */
const PROPERTY_TIME_LIMIT_MS = 200_000;

// The time limit covers the whole property from its first run, so long test runs (`npm run test:long`) have none.
if (!IS_LONG_RUN) fc.configureGlobal({ interruptAfterTimeLimit: PROPERTY_TIME_LIMIT_MS, markInterruptAsFailure: true });
