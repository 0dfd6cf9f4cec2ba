import fc from 'fast-check';
import { AT_LENGTH } from './at-length.ts';

/**
 * A property that fails is made smaller and smaller. Where it runs without a pause no time limit of the test runner can stop that, and a large
 * counterexample would keep a whole run waiting. What was found until then is told.
 */
const SHRINK_FOR_MS = 60_000;

// The limit counts from the first run on, so what is tried at length (`npm run test:long`) has none.
if (!AT_LENGTH) fc.configureGlobal({ interruptAfterTimeLimit: SHRINK_FOR_MS, markInterruptAsFailure: true });
