import { Failure } from '../failure.ts';
import type { JsonFailure } from './text.ts';

/** What the scanner refused, as the answer that the caller gets. `outcome`: what did not happen, as a sentence. */
export const jsonRefused = (failure: JsonFailure, outcome = 'Nothing was stored.'): Failure =>
  new Failure('invalid_json', `${failure.cause}. ${outcome}`, {
    details: [
      { path: `body (line ${failure.line}, byte ${failure.position})`, problem: failure.problem.replaceAll('_', ' ') },
    ],
  });
