import { Failure } from '../failure.ts';
import type { JsonFailure } from './text.ts';

/** @param outcome sentence that states the consequence */
export const toInvalidJsonFailure = (failure: JsonFailure, outcome = 'Nothing was stored.'): Failure =>
  new Failure('invalid_json', `${failure.cause}. ${outcome}`, {
    details: [
      { path: `body (line ${failure.line}, byte ${failure.position})`, problem: failure.problem.replaceAll('_', ' ') },
    ],
  });
