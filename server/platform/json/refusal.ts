import { MAX_JSON_DEPTH, MAX_RECORDS_PER_REQUEST } from '../../wire/limits.ts';

/** What keeps a text from being stored. Codes are stable; the sentence for a person is in `cause`. */
export type JsonProblem =
  | 'empty'
  | 'not_utf8'
  | 'not_json'
  | 'too_deep'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'lone_surrogate'
  | 'number_out_of_range'
  | 'not_an_object';

/** Thrown by the scanner at the first byte that breaks a rule, and turned into a value by its callers. */
export class JsonRefusal extends Error {
  readonly problem: JsonProblem;
  /** Bytes from the start of the scanned text. */
  readonly position: number;

  constructor(problem: JsonProblem, position: number, cause: string) {
    super(cause);
    this.problem = problem;
    this.position = position;
  }
}

export interface JsonLimits {
  /** Levels of arrays and objects, the outermost counted as one. */
  readonly maxDepth: number;
  /** Elements that are kept; whatever comes behind them is checked and counted alone. Millions of them are ten megabytes. */
  readonly maxElements?: number;
}

export const JSON_LIMITS: JsonLimits = { maxDepth: MAX_JSON_DEPTH, maxElements: MAX_RECORDS_PER_REQUEST };
